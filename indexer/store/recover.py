"""After a run that ended between two of its commits: folder records agree with the documents again.

A commit holds documents of folders whose record is written only with their last file. If the
run ends before (a crash, a failing embedder, Ctrl-C), the catalog shows documents no record
names, and a record names files whose documents are gone. A look compares folders with records
only, so a file that goes away before the next run would never be missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.model import FileStat
from ..sources import folder
from .catalog import GONE, Catalog, squeeze

UNFINISHED = "unfinished"
"""The fact in ``meta`` that such a commit is the newest of its run."""


def mark(catalog: Catalog, unfinished: bool) -> None:
    """Note, in the commit's own transaction, whether folders are left without their record."""
    if bool(catalog.meta(UNFINISHED)) != unfinished:
        catalog.set_meta(**{UNFINISHED: int(unfinished)})


def recover(catalog: Catalog, *, always: bool = False) -> int:
    """Correct the folder records after such a run (or ``always``); returns how many were wrong."""
    if not catalog.meta(UNFINISHED) and not always:
        return 0
    rows = disagreeing(catalog)
    with catalog.db.write():
        _correct(catalog, rows)
        mark(catalog, False)
    return len(rows)


def recover_below(catalog: Catalog, source: int, paths: Iterable[bytes]) -> None:
    """Correct the records of these paths, and of all below them, in the middle of an unfinished run."""
    if not catalog.meta(UNFINISHED):
        return
    sql = "SELECT path,state FROM document WHERE source=? AND held IS NULL AND pinned IS NULL AND (path=? OR (path>=? AND path<?))"
    documents = [
        row
        for p in paths
        for row in catalog.db.all(sql, (source, p, p + b"/", p + b"0"))  # "0" is what follows "/"
    ]
    rows = list(_corrected(catalog, source, documents))
    with catalog.db.write():
        _correct(catalog, rows)


def _correct(catalog: Catalog, rows: Iterable[tuple[bytes, int, bytes]]) -> None:
    catalog.db.run_many(
        "INSERT INTO folder(files,source,path,scrubbed) VALUES(?,?,?,0) ON CONFLICT(source,path) DO UPDATE SET files=excluded.files",
        rows,
    )


def disagreeing(catalog: Catalog) -> list[tuple[bytes, int, bytes]]:
    """(record as it should be, source, folder) of every folder whose record is wrong; raises StoreDamaged.

    Held documents are in no record, and a rollback's pinned ones are left alone.
    """
    sources = [s for (s,) in catalog.db.all("SELECT id FROM source WHERE root IS NOT NULL")]
    sql = "SELECT path,state FROM document WHERE source=? AND held IS NULL AND pinned IS NULL"
    return [row for source in sources for row in _corrected(catalog, source, catalog.db.all(sql, (source,)))]


def _corrected(
    catalog: Catalog, source: int, documents: Iterable[tuple[bytes, str]]
) -> Iterator[tuple[bytes, int, bytes]]:
    """(record, source, folder) of every folder whose record does not name these documents (path, state) that stand."""
    records = {path: folder.unpack(blob) for path, blob in catalog.folders(source).items()}
    changed = set()
    for path, state in documents:
        where, _, name = path.rpartition(b"/")
        files = records.setdefault(where, {})
        if state == GONE and files.get(name) not in (None, _again(files.get(name))):
            del files[name]
            changed.add(where)
        elif state != GONE and name not in files:
            files[name] = _again(None)
            changed.add(where)
    return ((squeeze(folder.pack(records[path])), source, path) for path in changed)


def _again(stat: FileStat | None) -> FileStat:
    """The record of a file that is looked into whatever its stat: it may stand for a document that is gone."""
    return folder.unsettled(stat or FileStat(0, 0, 0, 0))
