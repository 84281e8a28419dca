"""Counts of all runs on record, added up as they appear.

A run is recorded in the catalog by whatever process made it, so these counts survive a restart.
While another profile is filled its runs are on record in a second catalog, which takes over the
record of the first when it is served; and a run that was overtaken ends after others with higher
numbers. So each run is known by number and start, and counted once, wherever it is met.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import DONE, PARTIAL
from . import table
from .table import Sample

if TYPE_CHECKING:
    from ..store.db import Db

TRIGGERS = frozenset(("schedule", "watch", "start", "look", "api", "web", "cli", "repair", "langchain"))
CHANGES = ("added", "modified", "deleted", "moved")
_OPEN = 100
"""So many numbers without a finished run are looked for again: of runs overtaken, or killed."""


class _Run(NamedTuple):
    id: int
    started: int
    finished: int
    trigger: str
    exit_code: int
    report: str | None

    @property
    def key(self) -> int:
        """One number for what tells runs apart; it mostly grows, so that it is put at the end of the known ones."""
        return self.started + self.id

    def facts(self) -> dict[str, Any]:
        """The report; a damaged one says nothing."""
        try:
            found = json.loads(self.report or "{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


class _Keys:
    """A sorted set of 64-bit numbers, 8 bytes each: a daemon may see a million runs."""

    def __init__(self) -> None:
        self._keys = array("q")

    def add(self, key: int) -> bool:
        """Whether it was not there yet."""
        at = bisect_left(self._keys, key)
        if at < len(self._keys) and self._keys[at] == key:
            return False
        self._keys.insert(at, key)
        return True


class _Place(NamedTuple):
    """How far the record of one generation is read, and which numbers below are still open."""

    seen: int = 0
    open: tuple[int, ...] = ()


class Totals:
    """What the records of all generations say, together."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}
        self._known = _Keys()
        self._runs: Counter[tuple[str, str]] = Counter()
        self._ns: Counter[tuple[str, str]] = Counter()
        self._sums: Counter[str] = Counter()
        self._fresh: list[_Run] = []
        self._last: _Run | None = None
        self._success = 0

    def take(self, generation: str, db: Db) -> None:
        """Add the runs of a generation that were not there at the last call."""
        place = self._places.get(generation, _Place())
        # two statements: SQLite answers "id>? OR id IN (...)" by reading every run there ever was
        rows = db.among(_RUNS + " AND id IN ({})", place.open) + db.all(_RUNS + " AND id>? ORDER BY id", (place.seen,))
        for run in (_Run(*row) for row in rows):
            if self._known.add(run.key):
                self._count(run)
                self._fresh.append(run)
            elif self._last is not None and self._last.key == run.key:
                self._last = run  # done, and then its tidying up failed
        newest = int(db.value("SELECT max(id) FROM run") or 0)
        ended = {row[0] for row in rows if row[0] != newest}
        open_ = {*place.open, *range(max(place.seen + 1, newest - _OPEN), newest + 1)} - ended
        self._places[generation] = _Place(max(place.seen, newest), tuple(sorted(open_)[-_OPEN:]))

    def settle(self) -> None:
        """After all generations were read: which of the runs that were new is the newest."""
        if self._fresh:
            self._last = max(self._fresh, key=lambda run: run.finished)
            self._success = max((run.finished for run in self._fresh if _complete(run)), default=self._success)
            self._fresh.clear()

    def _count(self, run: _Run) -> None:
        labels = (run.trigger if run.trigger in TRIGGERS else "other", str(run.exit_code))
        self._runs[labels] += 1
        self._ns[labels] += max(run.finished - run.started, 0)
        facts = run.facts()
        for name in ("embedded", "reused", *CHANGES):
            self._sums[name] += int(facts.get(name) or 0)

    def samples(self) -> list[Sample]:
        """All that was counted."""
        found = [Sample(table.RUNS, n, labels) for labels, n in sorted(self._runs.items())]
        found += [Sample(table.RUN_SECONDS, ns / 1e9, labels) for labels, ns in sorted(self._ns.items())]
        found.append(Sample(table.EMBEDDED, self._sums["embedded"]))
        found.append(Sample(table.REUSED, self._sums["reused"]))
        found += [Sample(table.CHANGES, self._sums[change], (change,)) for change in CHANGES]
        if last := self._last:
            found.append(Sample(table.LAST_RUN, last.finished / 1e9))
            found.append(Sample(table.LAST_SECONDS, max(last.finished - last.started, 0) / 1e9))
            found.append(Sample(table.LAST_CODE, last.exit_code))
        if self._success:
            found.append(Sample(table.LAST_SUCCESS, self._success / 1e9))
        return found


def _complete(run: _Run) -> bool:
    """A look at everything that left nothing for the next run, as ``indexer status`` has it."""
    facts = run.facts()
    return run.exit_code in (DONE, PARTIAL) and bool(not facts or facts.get("full")) and not facts.get("left")


_RUNS = (
    "SELECT id,started,finished,coalesce(trigger,''),exit_code,report FROM run "
    "WHERE exit_code IS NOT NULL AND finished IS NOT NULL"
)
