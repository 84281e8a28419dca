"""Counts of all runs on record, added up as they appear.

A run is recorded in the catalog by whatever process made it, so these counts survive a restart.
Only new rows are read at each scrape. A generation that is replaced takes its rows with it: what
was counted stays counted while the process lives; after a restart the counters begin lower,
which Prometheus takes for what it is, a reset.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ..core.errors import DONE, PARTIAL
from . import table
from .table import Sample

if TYPE_CHECKING:
    from ..store.db import Db

TRIGGERS = frozenset(("schedule", "watch", "start", "look", "api", "cli"))
CHANGES = ("added", "modified", "deleted", "moved")
_SUMS = ("embedded", "reused", *CHANGES)
_NEW = f"""
SELECT trigger, exit_code, count(*), sum(max(finished-started,0)), max(id), max(started),
  {",".join(f"total(json_extract(facts,'$.{name}'))" for name in _SUMS)}
FROM (SELECT *, CASE WHEN json_valid(report) THEN report ELSE '{{}}' END AS facts FROM run WHERE id>? AND exit_code IS NOT NULL)
GROUP BY trigger, exit_code
"""
_LAST = "SELECT finished,finished-started,exit_code FROM run WHERE exit_code IS NOT NULL ORDER BY id DESC LIMIT 1"
_SUCCESS = f"SELECT finished FROM run WHERE exit_code IN ({DONE},{PARTIAL}) ORDER BY id DESC LIMIT 1"


class _Ended(NamedTuple):
    """When (ns), after how long (ns), with which exit code."""

    at: int
    took: int
    code: int


class Totals:
    """What the run tables of all generations say, together."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}
        self._newest = 0
        self._runs: Counter[tuple[str, str]] = Counter()
        self._ns: Counter[tuple[str, str]] = Counter()
        self._sums: Counter[str] = Counter()
        self._last: dict[str, _Ended] = {}
        self._success: dict[str, int] = {}

    def take(self, generation: str, db: Db) -> None:
        """Add the runs of a generation that were not there at the last call."""
        if generation not in self._seen:
            # a generation made of a snapshot begins with copies of runs that are counted already
            old = db.value("SELECT max(id) FROM run WHERE started<=?", (self._newest,)) if self._seen else None
            self._seen[generation] = int(old or 0)
        for trigger, code, count, took, newest, started, *sums in db.all(_NEW, (self._seen[generation],)):
            labels = (trigger if trigger in TRIGGERS else "other", str(code))
            self._runs[labels] += count
            self._ns[labels] += took or 0
            self._sums.update(dict(zip(_SUMS, map(int, sums), strict=True)))
            self._seen[generation] = max(self._seen[generation], newest)
            self._newest = max(self._newest, started)
        if last := db.one(_LAST):
            self._last[generation] = _Ended(*last)
        if success := db.value(_SUCCESS):
            self._success[generation] = success

    def samples(self) -> list[Sample]:
        """All that was counted."""
        found = [Sample(table.RUNS, n, labels) for labels, n in sorted(self._runs.items())]
        found += [Sample(table.RUN_SECONDS, ns / 1e9, labels) for labels, ns in sorted(self._ns.items())]
        found.append(Sample(table.EMBEDDED, self._sums["embedded"]))
        found.append(Sample(table.REUSED, self._sums["reused"]))
        found += [Sample(table.CHANGES, self._sums[change], (change,)) for change in CHANGES]
        if self._last:
            last = max(self._last.values())
            found.append(Sample(table.LAST_RUN, last.at / 1e9))
            found.append(Sample(table.LAST_SECONDS, max(last.took, 0) / 1e9))
            found.append(Sample(table.LAST_CODE, last.code))
        if self._success:
            found.append(Sample(table.LAST_SUCCESS, max(self._success.values()) / 1e9))
        return found
