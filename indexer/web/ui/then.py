"""The documents as an earlier commit showed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ... import names
from ...core.model import Key, State, display, unraw
from ...docid import docid
from ...store.catalog import GONE, Catalog
from ..facts import plain, when

_THEN = (
    "SELECT s.name,d.path,length(c.passages)/8,c.title,c.details,v.added,l.at FROM version v "
    "JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source JOIN content c ON c.id=v.content "
    "LEFT JOIN log l ON l.n=v.added WHERE v.added<=? AND (v.removed IS NULL OR v.removed>?) ORDER BY s.name,d.path"
)


def listed(catalog: Catalog, commit: int, q: str, limit: int, cursor: str) -> dict[str, Any]:
    """A page of them in the order of their names; the past does not change, so a cursor is a plain count."""
    wanted, first = q.casefold(), int(cursor) if cursor.isascii() and cursor.isdigit() else 0
    rows = [
        row for row in catalog.db.all(_THEN, (commit, commit))
        if not wanted or wanted in display(f"{row[0]}/{unraw(row[1])}").casefold()
    ]  # fmt: skip
    following = first + limit
    return {
        "documents": [_told(row) for row in rows[first:following]], "total": len(rows),
        "next": str(following) if following < len(rows) else None,
    }  # fmt: skip


def _told(row: Sequence[Any]) -> dict[str, Any]:
    source, path, chunks, title, details, added, at = row
    name = unraw(path)
    named = names.shown(title or "", details, name)
    return {
        "document": docid(Key(source, name)), "source": display(source), "path": display(name),
        "name": display(name.rpartition("/")[2]), "state": State.INDEXED, "chunks": chunks or 0,
        "title": plain(named.title), "label": plain(named.label), "size": None, "version": added, "changed": when(at),
        "reasons": [], "remedy": "", "retry_at": None, "held": False,
    }  # fmt: skip


def gone(key: Key, versions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A document that is no more, as its last version calls it."""
    last = versions[0] if versions else {"title": "", "label": ""}
    return {
        "document": docid(key), "source": display(key.source), "path": display(key.path),
        "name": display(key.path.rpartition("/")[2]), "state": GONE, "chunks": 0, "title": last["title"],
        "label": last["label"], "size": None, "version": None, "changed": None, "reasons": [], "remedy": "",
        "retry_at": None, "held": False, "sha256": None, "writable": False,
    }  # fmt: skip
