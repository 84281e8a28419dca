"""What the catalogs tell of the runs that were made: which scheduled ones are done, and how the last went.

The rows of every generation count: while another profile is filled, its runs are on record there.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from typing import NamedTuple

from ..core.errors import DONE, PARTIAL, IndexerError
from ..store.catalog import NAME
from ..store.db import Db, Row
from ..store.local import Layout

_NEWEST = 2000
"""So many rows of each catalog are read, three weeks of a run every 15 minutes; a scheduled run is looked for further back."""

_INVERTED_NS = 3600 * 10**9


class RunRecord(NamedTuple):
    """``dues``: the scheduled instants whose run finished (exit code 0 or 3). Times in ns, 0 when there was none.

    ``last_full_ns``: when the last such run over everything began, whatever asked for it.
    ``last_success_ns``: when the last such run of any kind ended; ``last_ns``, ``last_exit_code``: the last run at all.
    """

    dues: frozenset[int] = frozenset()
    last_full_ns: int = 0
    last_success_ns: int = 0
    last_ns: int = 0
    last_exit_code: int | None = None


class _Run(NamedTuple):
    started: int
    finished: int
    exit_code: int
    due: int
    full: bool

    @property
    def good(self) -> bool:
        return self.exit_code in (DONE, PARTIAL)


def record(layout: Layout) -> RunRecord:
    """Read it; a catalog that is missing or damaged tells nothing, and is no error here."""
    runs = [run for generation in layout.generations() for run in _believed(_rows(layout, generation))]
    good = [run for run in runs if run.good]
    last = max(runs, key=lambda run: run.finished, default=None)
    return RunRecord(
        frozenset(run.due for run in good if run.due),
        max((run.started for run in good if run.full), default=0),
        max((run.finished for run in good), default=0),
        last.finished if last else 0,
        last.exit_code if last else None,
    )


def _rows(layout: Layout, generation: str) -> list[_Run]:
    """The newest runs of one catalog, newest first."""
    rows: list[Row] = []
    with suppress(IndexerError, OSError, sqlite3.Error), closing(_open(layout, generation)) as db:
        rows = db.all(_SQL.format("1"), (_NEWEST,))
        if len(rows) == _NEWEST and not any(row[3] for row in rows):  # watch mode has made so many since
            rows += db.all(_SQL.format("instr(report, '\"due\":')"), (1,))
    return [
        _Run(began, ended, code, _due(report) if report else 0, bool(full))
        for began, ended, code, report, full in rows
        if isinstance(ended, int) and isinstance(code, int)
    ]


def _due(report: str) -> int:
    """The scheduled instant in a run's report, 0 when there is none."""
    with suppress(ValueError, TypeError, AttributeError):
        return int(json.loads(report).get("due", 0))
    return 0


def _open(layout: Layout, generation: str) -> Db:
    return Db(layout.metadata / generation / NAME, readonly=True)


def _believed(runs: list[_Run]) -> list[_Run]:
    """Without runs that began over an hour after one made later: their clock was ahead and has been set back since."""
    found, earliest = [], 0
    for run in runs:
        if not earliest or run.started <= earliest + _INVERTED_NS:
            found.append(run)
            earliest = min(run.started, earliest or run.started)
    return found


# Looking for the words as json.dumps writes them costs a quarter of json_extract (measured); a quote within a text is escaped.
_SQL = """
SELECT started, finished, exit_code, CASE WHEN instr(report, '"due":') THEN report END, instr(report, '"full": true')
FROM run WHERE {} ORDER BY id DESC LIMIT ?
"""
