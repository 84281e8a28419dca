"""`document`: the text of a document, page by page, now and as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from .. import names
from ..core.errors import UsageError
from ..core.model import Key, display, raw, unraw
from ..docid import docid, key_of
from ..document_text import DocumentText, Stretch, text_at
from ..store.catalog import GONE
from . import asked, shown
from .desk import Call, Desk, read
from .moments import iso
from .plain import plain
from .searching import link

if TYPE_CHECKING:
    from ..search import Reader
    from ..store.catalog import Catalog

SECTIONS = 200

_ROWS = "SELECT d.id,s.name,d.path,d.state FROM document d JOIN source s ON s.id=d.source"
_VERSION = (
    "SELECT c.title,c.details,v.removed,l.at FROM version v JOIN content c ON c.id=v.content "
    "LEFT JOIN log l ON l.n=v.added WHERE v.document=? AND v.added=?"
)


class Named(NamedTuple):
    """A document of the catalog."""

    id: int
    key: Key
    gone: bool


def document(desk: Desk, given: asked.Document, call: Call) -> shown.Page:
    """A page of the text; raises UsageError."""
    return read(desk, lambda reader: _page(reader, given, call))


def whole(desk: Desk, name: str, most: int) -> str:
    """The text of a document, cut at ``most`` characters; raises UsageError."""
    found: DocumentText = read(desk, lambda reader: _text(reader, find(reader.catalog, name), ""))
    return plain(found.text[:most])


def _page(reader: Reader, given: asked.Document, call: Call) -> shown.Page:
    named = find(reader.catalog, given.document)
    found = _text(reader, named, given.as_of)
    total = len(found.text)
    if given.start > total or (given.start == total and total):
        raise UsageError("The text of {path} has {total} characters; there is none at {start}.", path=str(named.key), total=total, start=given.start)  # fmt: skip
    end = cut(found.text, given.start, given.length)
    title, details, removed, at = reader.catalog.db.one(_VERSION, (named.id, found.commit)) or ("", None, None, 0)
    called = names.shown(title or "", details, named.key.path)
    return shown.Page(
        document=docid(named.key), source=display(named.key.source), path=display(named.key.path), title=plain(called.title),
        label=plain(called.label), text=plain(found.text[given.start : end]), start=given.start, end=end, total=total,
        next=end if end < total else None, sections=_sections(found.sections, given.start, end), commit=found.commit,
        since=iso(at), newest=removed is None, sha256=found.sha256,
        url=link(call.base, named.key, found.commit, given.start, end),
    )  # fmt: skip


def cut(text: str, start: int, length: int) -> int:
    """Where a page ends: at the end of a line in its last tenth, else after ``length`` characters."""
    end = start + length
    if end >= len(text):
        return len(text)
    line = text.rfind("\n", end - length // 10, end)
    return line + 1 if line > start else end


def _sections(found: Iterable[Stretch], start: int, end: int) -> list[shown.Section]:
    touched = [s for s in found if s.start < end and s.end > start]
    return [
        shown.Section(start=s.start, end=s.end, headings=[plain(h) for h in s.headings], page=s.page, place=plain(s.place))
        for s in touched[:SECTIONS]
    ]  # fmt: skip


def _text(reader: Reader, named: Named, as_of: str) -> DocumentText:
    at = reader.commit_of(as_of) if as_of else None
    found = text_at(reader.catalog, named.id, reader.view.text, at)
    if found is not None:
        return found
    if at is not None:
        raise UsageError("{path} was not found at commit {commit}.", path=str(named.key), commit=at)
    if named.gone:
        raise UsageError("{path} was deleted. Give as_of to read it as it was.", path=str(named.key))
    raise UsageError("{path} has no text that is found now.", path=str(named.key))


# ---- which one -----------------------------------------------------------------------


def find(catalog: Catalog, name: str) -> Named:
    """The document an id, a source/path or a path names; raises UsageError for none and for several."""
    found = _exact(catalog, name) or _alike(catalog, name)
    alive = [one for one in found if not one.gone] or found
    if not alive:
        raise UsageError("There is no document {name}. Take its id, or its source and path, from a result of search or changes_since.", name=display(name[:300]))  # fmt: skip
    if len(alive) > 1:
        several = ", ".join(str(one.key) for one in alive[:5])
        raise UsageError("{name} names {count} documents: {several}. Give the source as well.", name=display(name[:300]), count=len(alive), several=several)  # fmt: skip
    return alive[0]


def _exact(catalog: Catalog, name: str) -> list[Named]:
    keys = []
    source, slash, path = name.partition("/")
    if slash and path:
        keys.append(Key(source, path))
    with suppress(UsageError):  # then it is no id
        keys.append(key_of(name))
    for key in keys:
        rows = catalog.db.all(f"{_ROWS} WHERE s.name=? AND d.path=?", (plain(key.source), raw(key.path)))
        if rows:
            return [_named(row) for row in rows]
    return []


def _alike(catalog: Catalog, name: str) -> list[Named]:
    """By the name as it is shown: composed characters, escaped bytes, without its source."""
    wanted = display(name)
    found = []
    for row in catalog.db.all(_ROWS):
        path = display(unraw(row[2]))
        if wanted in (path, f"{display(row[1])}/{path}"):
            found.append(_named(row))
    return found


def _named(row: Sequence[object]) -> Named:
    document, source, path, state = row
    assert isinstance(document, int) and isinstance(path, bytes)  # noqa: S101, PT018 - columns of ours
    return Named(document, Key(str(source), unraw(path)), state == GONE)
