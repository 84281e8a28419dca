"""What a document says and said: its text, its versions, how two of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ... import names
from ...core.model import Key, Message
from ...document_text import DocumentText, compared, text_at
from ...store import audit
from ..problems import NotFound
from . import plain, when
from .documents import document_id

if TYPE_CHECKING:
    from ...search import Reader
    from ...store.catalog import Catalog
    from ..site import Site

_VERSIONS = (
    "SELECT v.added,v.removed,l.at,length(c.passages)/8,lower(hex(substr(c.sha,1,32))),c.title,c.details FROM version v "
    "JOIN content c ON c.id=v.content LEFT JOIN log l ON l.n=v.added WHERE v.document=? ORDER BY v.added DESC"
)


@contextmanager
def reading(site: Site) -> Iterator[Reader]:
    """A reader that has followed to the newest commit, within one read transaction."""
    with site.reading() as kb, kb.lock:
        reader = kb.reader()
        with reader.catalog.db.read():
            reader.view.follow()
            yield reader


def _text(reader: Reader, key: Key, commit: int | None) -> DocumentText:
    document = document_id(reader.catalog, key, gone=True)
    found = text_at(reader.catalog, document, reader.view.text, commit)
    if found is None:
        if commit is None:
            raise NotFound(Message("{path} has no text that is found now.", {"path": str(key)}))
        raise NotFound(Message("{path} was not found at commit {commit}.", {"path": str(key), "commit": commit}))
    return found


def text(site: Site, key: Key, as_of: str) -> dict[str, Any]:
    """The text at a commit or time ("": now); raises NotFound."""
    with reading(site) as reader:
        found = _text(reader, key, reader.commit_of(as_of) if as_of else None)
    return {
        "text": found.text.encode("utf-8", "replace").decode(), "commit": found.commit, "sha256": found.sha256,
        "sections": [
            {**s._asdict(), "headings": [plain(h) for h in s.headings], "place": plain(s.place)} for s in found.sections
        ],
    }  # fmt: skip


def diff(site: Site, key: Key, old: str, new: str) -> dict[str, Any]:
    """How the text of two commits differs; ``new`` "" is the newest. A version that was not there has no lines."""
    with reading(site) as reader:
        document = document_id(reader.catalog, key, gone=True)
        numbers = reader.commit_of(old), reader.commit_of(new) if new else reader.commit
        found = [text_at(reader.catalog, document, reader.view.text, n) for n in numbers]
    before, after = (one.text if one is not None else "" for one in found)
    lines = [{"kind": kind, "text": plain(line)} for kind, line in compared(before, after)]
    return {"from": numbers[0], "to": numbers[1], "lines": lines}


def versions(catalog: Catalog, key: Key) -> dict[str, Any]:
    """Every version on record, newest first; raises NotFound for what was never indexed."""
    rows = catalog.db.all(_VERSIONS, (document_id(catalog, key, gone=True),))
    known = audit.authors(catalog.db, [row[0] for row in rows])
    return {"versions": [_version(key, row, known.get(row[0], {})) for row in rows]}


def _version(key: Key, row: Any, author: Any) -> dict[str, Any]:
    added, removed, at, chunks, sha, title, details = row
    named = names.shown(title or "", details, key.path)
    return {
        "added": added, "removed": removed, "at": when(at), "chunks": chunks, "sha256": sha, "title": plain(named.title),
        "label": plain(named.label), **{n: str(author.get(n, "")) for n in ("actor", "client", "trigger")},
    }  # fmt: skip
