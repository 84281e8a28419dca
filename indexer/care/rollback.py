"""Going back: a new commit that shows an earlier one, and a pin so that the next look keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..core.errors import UsageError
from ..core.model import State
from ..store.batch import Batch, Settled, standing
from ..store.catalog import DOCUMENT_COLUMNS, GONE, Catalog, DocumentRow, expand
from ..store.local import Store


class Change(NamedTuple):
    """One document between two commits: contents by id, None for "not there"."""

    document: int
    source: str
    path: bytes
    before: int | None
    after: int | None


def visible(catalog: Catalog, at: int) -> Mapping[int, int]:
    """Document id to content id, as commit ``at`` showed them."""
    sql = "SELECT document,content FROM version WHERE added<=? AND (removed IS NULL OR removed>?)"
    return dict(catalog.db.all(sql, (at, at)))


def changes(catalog: Catalog, old: int, new: int) -> list[Change]:
    """What differs between two commits, by path."""
    a, b = visible(catalog, old), visible(catalog, new)
    differing = sorted(d for d in a.keys() | b.keys() if a.get(d) != b.get(d))
    names = {
        d: (s, p)
        for d, s, p in catalog.db.among(
            "SELECT d.id,s.name,d.path FROM document d JOIN source s ON s.id=d.source WHERE d.id IN ({})", differing
        )
    }
    return sorted((Change(d, *names[d], a.get(d), b.get(d)) for d in differing), key=lambda c: (c.source, c.path))


def check_commit(catalog: Catalog, n: int) -> None:
    """Raise UsageError when a commit cannot be gone back to."""
    first = max(int(catalog.db.value("SELECT min(n) FROM log") or 0), int(catalog.meta("oldest") or 0))
    head = catalog.head()
    if not first <= n <= head:
        raise UsageError(
            "There is no commit {n} to go back to: {first} to {head} can be searched.", n=n, first=first, head=head
        )


def rollback(store: Store, n: int, run: int, at_ns: int) -> tuple[int, list[Change]]:
    """Show again what commit ``n`` showed, as a new commit.

    Every document that differs is pinned: the next look leaves it alone until its file
    changes, or until :func:`release`. Returns the new commit's number and the changes.
    """
    catalog = store.catalog
    check_commit(catalog, n)
    differing = changes(catalog, catalog.head(), n)
    rows = _rows(catalog, [c.document for c in differing])
    shas: dict[int, bytes] = dict(
        catalog.db.among(
            "SELECT id,sha FROM content WHERE id IN ({})", [c.after for c in differing if c.after is not None]
        )
    )
    states: dict[int, str] = dict(catalog.db.among("SELECT id,state FROM content WHERE id IN ({})", list(shas)))
    settled = []
    for c in differing:
        row = rows[c.document]
        content = shas[c.after] if c.after is not None else None
        state = states[c.after] if c.after is not None else GONE
        settled.append(Settled(row.source, row.path, row.sha, state, content, None, pinned=n, metadata=row.metadata))
    head = store.add_documents(Batch(run=run, at=at_ns, note=f"rollback to {n}", settled=settled))
    return head, differing


def release(store: Store, run: int, at_ns: int) -> int:
    """End every pin: the next look brings those documents to what lies in the folder.

    Returns how many there were. Nothing that is found changes before that look.
    """
    rows = store.catalog.db.all(f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE pinned IS NOT NULL")
    pinned = [DocumentRow(*r) for r in rows]
    folders = {(r.source, r.path.rpartition(b"/")[0]) for r in pinned}
    batch = Batch(run=run, at=at_ns, note="release")
    batch.settled = [standing(r, pinned=None, sha=None, state=_shown(r)) for r in pinned]
    batch.folders = [(s, p, _unsettled(store.catalog, s, p, pinned)) for s, p in sorted(folders)]
    store.add_documents(batch)
    return len(pinned)


def _shown(row: DocumentRow) -> str:
    return row.state if row.content is not None or row.state == GONE else State.FAILED


def _unsettled(catalog: Catalog, source: int, path: bytes, pinned: list[DocumentRow]) -> bytes | None:
    """The folder's record with the pinned files marked to be looked at again.

    A pinned file that is not in the folder is put into the record, so the look finds it gone.
    """
    from ..core.model import FileStat
    from ..sources import folder

    blob = catalog.db.value("SELECT files FROM folder WHERE source=? AND path=?", (source, path))
    files = folder.unpack(expand(blob)) if blob else {}
    for row in pinned:
        where, _, name = row.path.rpartition(b"/")
        if row.source == source and where == path and (row.content is not None or name in files):
            files[name] = folder.unsettled(files.get(name, FileStat(0, 0, 0, 0)))
    return folder.pack(files) if files else None


def _rows(catalog: Catalog, ids: list[int]) -> dict[int, DocumentRow]:
    rows = catalog.db.among(f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE id IN ({{}})", ids)
    return {r[0]: DocumentRow(*r) for r in rows}
