"""The documents: which there are, in which state, and all that is known of one."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ... import names
from ...core.errors import UsageError
from ...core.model import Key, Message, State, display, raw, unraw
from ...docid import docid
from ...i18n import translate
from ...scope import matches
from ...sources import folder
from ...store import audit
from ...store.catalog import GONE, Catalog, expand, notes_of
from ..problems import NotFound
from . import plain, when

_UNREAD = (State.FAILED, State.STALE)
_ROWS = (
    "SELECT d.id,s.name,d.path,CASE WHEN d.held IS NULL THEN d.state ELSE 'held' END "
    "FROM document d JOIN source s ON s.id=d.source WHERE d.state<>'gone' ORDER BY s.name,d.path"
)
_DETAILS = (
    "SELECT d.id,s.name,d.path,d.state,d.notes,d.tries,d.retry_at,d.held,d.pinned,length(c.passages)/8,c.title,c.details,"
    "lower(hex(substr(c.sha,1,32))),v.added,l.at FROM document d JOIN source s ON s.id=d.source "
    "LEFT JOIN content c ON c.id=d.content LEFT JOIN version v ON v.document=d.id AND v.removed IS NULL "
    "LEFT JOIN log l ON l.n=v.added WHERE d.id IN ({})"
)


class Wanted(NamedTuple):
    """Which documents are listed. ``q``: part of the name, in any case; ``cursor``: as the page before gave it."""

    state: str = ""
    inside: str = ""
    q: str = ""
    limit: int = 50
    cursor: str = ""


def listed(catalog: Catalog, wanted: Wanted, lang: str) -> dict[str, Any]:
    """A page of documents in the order of their names, how many there are, and the cursor of the next page."""
    if wanted.state and wanted.state not in tuple(State):
        raise UsageError(
            "There is no state {state}; the states are {states}.", state=wanted.state, states=", ".join(State)
        )
    after, q = _after(wanted.cursor), wanted.q.casefold()
    total, more = 0, False
    page: list[tuple[int, str, bytes]] = []
    for document, source, path, state in catalog.db.all(_ROWS):
        name = unraw(path)
        if (wanted.state and state != wanted.state) or (q and q not in display(f"{source}/{name}").casefold()):
            continue
        if wanted.inside and not matches(wanted.inside, source, name):
            continue
        total += 1
        if after is None or (source, path) > after:
            more = len(page) == wanted.limit
            page += [] if more else [(document, source, path)]
    last = page[-1][1:] if more else None
    return {"documents": details(catalog, [row[0] for row in page], lang), "total": total, "next": _cursor(last)}


def _after(cursor: str) -> tuple[str, bytes] | None:
    if not cursor:
        return None
    try:
        source, _, path = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).partition(
            b"/"
        )
        return source.decode(), path
    except (ValueError, UnicodeError):
        raise UsageError("{cursor} is not a cursor this list gave.", cursor=cursor[:100]) from None


def _cursor(last: Sequence[Any] | None) -> str | None:
    if last is None:
        return None
    return base64.urlsafe_b64encode(last[0].encode() + b"/" + last[1]).rstrip(b"=").decode()


def details(catalog: Catalog, ids: Sequence[int], lang: str) -> list[dict[str, Any]]:
    """These documents, in this order."""
    rows = {row[0]: row for row in catalog.db.among(_DETAILS, list(ids))}
    found = [rows[i] for i in ids if i in rows]
    sizes = _sizes(catalog, [(row[1], row[2]) for row in found])
    return [_told(row, sizes.get((row[1], row[2])), lang) for row in found]


def _told(row: Sequence[Any], size: int | None, lang: str) -> dict[str, Any]:
    _, source, path, state, notes, _, retry_at, held, _, chunks, title, content, _, added, at = row
    name = unraw(path)
    named, shown = names.shown(title or "", content, name), State.HELD if held is not None else state
    reasons = [plain(translate(note, lang)) for note in notes_of(notes)]
    return {
        "document": docid(Key(source, name)), "source": display(source), "path": display(name),
        "name": display(name.rpartition("/")[2]), "state": shown, "chunks": chunks or 0, "title": plain(named.title),
        "label": plain(named.label), "size": size, "version": added, "changed": when(at), "reasons": reasons,
        "remedy": translate(remedy(shown, retry_at), lang), "retry_at": when(retry_at), "held": held is not None,
    }  # fmt: skip


def remedy(state: str, retry_at: int | None) -> Message:
    """What a person can do about a document's state, "" where nothing is to be done."""
    if state == State.HELD:
        return Message("It is gone from the folder, and still found: release its deletion, or put the file back.")
    if state not in _UNREAD:
        return Message("")
    if retry_at and retry_at > 0:
        return Message("It is tried again by itself; to try it at once, update it alone.")
    return Message("Tried again when the file, its parser or the settings change.")


def _sizes(catalog: Catalog, wanted: Iterable[tuple[str, bytes]]) -> Mapping[tuple[str, bytes], int]:
    """Sizes of files by source and path, from the folders' records."""
    ids = catalog.source_ids()
    sizes: dict[tuple[str, bytes], int] = {}
    folders: dict[tuple[str, bytes], list[bytes]] = {}
    for source, path in wanted:
        folders.setdefault((source, path.rpartition(b"/")[0]), []).append(path)
    for (source, where), paths in folders.items():
        blob = catalog.db.value("SELECT files FROM folder WHERE source=? AND path=?", (ids.get(source), where))
        files = folder.unpack(expand(blob)) if blob else {}
        sizes |= {(source, p): st.size for p in paths if (st := files.get(p.rpartition(b"/")[2])) is not None}
    return sizes


# ---- one document --------------------------------------------------------------------


def document_id(catalog: Catalog, key: Key, *, gone: bool = False) -> int:
    """The row of a document; raises NotFound. ``gone``: also one that is no more."""
    row = catalog.db.one(
        "SELECT d.id,d.state FROM document d JOIN source s ON s.id=d.source WHERE s.name=? AND d.path=?",
        (key.source.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), raw(key.path)),
    )
    if row is None or (row[1] == GONE and not gone):
        raise NotFound(Message("There is no document {path} in the index.", {"path": str(key)}))
    return int(row[0])


def one(catalog: Catalog, key: Key, lang: str, *, writable: bool) -> dict[str, Any]:
    """All that is known of a document; raises NotFound."""
    row = next(iter(catalog.db.among(_DETAILS, [document_id(catalog, key)])))
    author = audit.authors(catalog.db, [row[13]]).get(row[13], {}) if row[13] else {}
    parser = json.loads(row[11]).get("parser", "") if row[11] else ""
    sizes = _sizes(catalog, [(row[1], row[2])])
    return {
        **_told(row, sizes.get((row[1], row[2])), lang), "sha256": row[12], "parser": str(parser), "tries": row[5],
        "pinned": row[8], "writable": writable, **{n: str(author.get(n, "")) for n in ("actor", "client", "trigger")},
    }  # fmt: skip
