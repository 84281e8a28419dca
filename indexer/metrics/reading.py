"""What the served catalog says, read anew only after a commit or a run.

A scrape comes every few seconds for years, whatever happens to the store meanwhile: it may be
written to, replaced, damaged or removed. Whatever goes wrong here is one metric,
``indexer_catalog_readable 0``, and never an error.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from ..core.model import State
from ..store.catalog import GONE, NAME, Catalog
from ..store.db import Db
from ..store.local import Layout
from . import files, table
from .table import Sample
from .totals import Totals

COUNTED = tuple(s for s in State if s is not State.HELD and s is not State.IGNORED)
"""States a document can have in the catalog; a held one has the state it had before."""


class _Opened(NamedTuple):
    """A catalog and what tells that its file is still this one, not one put in its place."""

    generation: str
    identity: tuple[int, ...]
    catalog: Catalog


class Readings:
    """Reads one knowledge base again and again; not for several threads at a time."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._totals = Totals()
        self._opened: _Opened | None = None
        self._version = -1
        self._samples: list[Sample] = []
        self._snapshots = files.Snapshots()

    def take(self) -> list[Sample]:
        """Every metric of the catalog, or that it cannot be read."""
        for _ in range(2):  # the index may have been replaced between two steps: then it is right at once
            try:
                return self._take()
            except Exception:  # a damaged catalog may raise anything, and there is nobody here to tell
                self.close()
        return [Sample(table.READABLE, 0)]

    def close(self) -> None:
        """Let go of the catalog; the next reading opens it again."""
        opened, self._opened, self._version = self._opened, None, -1
        if opened is not None:
            opened.catalog.close()

    def _take(self) -> list[Sample]:
        served = self.layout.served()
        if served is None:
            self.close()
            return [Sample(table.READABLE, 0)]
        catalog = self._open(served)
        version = catalog.db.value("PRAGMA data_version")
        if version != self._version:
            with catalog.db.read():
                self._samples = _standing(catalog)
                self._totals.take(served, catalog.db)
            self._version = version
        self._others(served)
        self._totals.settle()
        if self.layout.served() != served:
            raise FileNotFoundError(served)
        found = [Sample(table.READABLE, 1), *self._samples, *self._totals.samples()]
        return found + files.sizes(self.layout, served) + self._snapshots.samples(self.layout, served)

    def _open(self, served: str) -> Catalog:
        folder = self.layout.metadata / served
        identity = _identity(folder / NAME)
        if self._opened is None or self._opened[:2] != (served, identity):
            self.close()
            self._opened = _Opened(served, identity, Catalog.open(folder, readonly=True))
        return self._opened.catalog

    def _others(self, served: str) -> None:
        """Runs that fill another generation are on record there, until it is served."""
        for name in self.layout.generations():
            if name != served:
                with contextlib.suppress(Exception):  # being removed, or damaged: no word about the served one
                    self._other(name)

    def _other(self, generation: str) -> None:
        catalog = Catalog.open(self.layout.metadata / generation, readonly=True)
        try:
            self._totals.take(generation, catalog.db)
        finally:
            catalog.close()


def _identity(path: Path) -> tuple[int, ...]:
    st = os.stat(path)
    return st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns


def _standing(catalog: Catalog) -> list[Sample]:
    db = catalog.db
    found = [Sample(table.DOCUMENTS, n, (state,)) for state, n in _documents(db).items()]
    found.append(Sample(table.HELD, _count(db, "document WHERE held IS NOT NULL")))
    found.append(Sample(table.PINNED, _count(db, "document WHERE pinned IS NOT NULL")))
    [(segments, stored)] = db.all("SELECT count(*),coalesce(sum(count),0) FROM segment")
    dead = _count(db, "passage WHERE dead IS NOT NULL")
    found.append(Sample(table.SEGMENTS, segments))
    found.append(Sample(table.PASSAGES, max(stored - dead, 0), ("live",)))
    found.append(Sample(table.PASSAGES, dead, ("dead",)))
    found.append(Sample(table.COMMIT, catalog.head()))
    if at := db.value("SELECT at FROM log ORDER BY n DESC LIMIT 1"):
        found.append(Sample(table.COMMIT_TIME, at / 1e9))
    return found


def _documents(db: Db) -> dict[str, int]:
    """By state, from indexes alone: what is found has one open version, and all but the odd ones are indexed.

    Counting rows took 130 ms at 100,000 documents, after every commit; this takes 1 ms.
    """
    odd: dict[str, int] = dict(db.all(f"SELECT state,count(*) FROM document WHERE {_ODD} GROUP BY state"))
    found = _count(db, "version") - _count(db, "version WHERE removed IS NOT NULL")
    indexed = found - _count(db, f"document WHERE {_ODD} AND content IS NOT NULL")
    return {str(state): indexed if state is State.INDEXED else odd.get(state, 0) for state in COUNTED}


def _count(db: Db, rows: str) -> int:
    return int(db.value(f"SELECT count(*) FROM {rows}"))


_ODD = f"state NOT IN ('{State.INDEXED}', '{GONE}')"  # that of the partial index, word for word
