"""A document that cannot be read is tried again because somebody named it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..core.model import State
from ..sources import folder
from ..store.catalog import DOCUMENT_COLUMNS, Catalog, DocumentRow, squeeze
from ..store.publish import put_documents
from .succession import AT_ONCE


def release(catalog: Catalog, source: int, wanted: Sequence[bytes]) -> int:
    """Marks the failed and stale documents at or below these paths as never tried; returns their number.

    A run that dies after this has only made them due: the next one reads them.
    """
    sql = (
        f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE state IN (?,?) AND source=? AND held IS NULL AND pinned IS NULL"
    )
    rows = [DocumentRow(*r) for r in catalog.db.all(sql, (State.FAILED, State.STALE, source))]
    rows = [r for r in rows if r.sha is not None and any(_below(r.path, w) for w in wanted)]
    if not rows:
        return 0
    known = catalog.folders(source)
    marked: dict[bytes, set[bytes]] = {}
    for where, _, name in (r.path.rpartition(b"/") for r in rows):
        if where in known:
            marked.setdefault(where, set()).add(name)
    with catalog.db.write():
        put_documents(catalog.db, (r._replace(tries=0, retry_at=AT_ONCE) for r in rows))
        catalog.db.run_many("DELETE FROM attempt WHERE source=? AND path=?", ((source, r.path) for r in rows))
        catalog.db.run_many(
            "UPDATE folder SET files=? WHERE source=? AND path=?",
            ((squeeze(_due(known[where], names)), source, where) for where, names in marked.items()),
        )
    return len(rows)


def _due(blob: bytes, names: Collection[bytes]) -> bytes:
    files = folder.unpack(blob)
    return folder.pack({n: folder.unsettled(s) if n in names else s for n, s in files.items()})


def _below(path: bytes, wanted: bytes) -> bool:
    return not wanted or path == wanted or path.startswith(wanted + b"/")
