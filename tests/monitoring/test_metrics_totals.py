"""Every run is counted once, in whatever order, catalog or number it comes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.metrics.totals import Totals
from indexer.store.catalog import Catalog
from indexer.store.db import Db

SECOND = 10**9


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Db]:
    """An empty catalog's connection."""
    catalog = Catalog.create(tmp_path / "one", {})
    yield catalog.db
    catalog.close()


def ran(db: Db, number: int, at: int, code: int | None = 0, *, trigger: str = "look", **report: object) -> None:
    """Put a run on record that began ``at`` seconds after the epoch and took one; ``code`` None: it is at work."""
    finished = None if code is None else (at + 1) * SECOND
    with db.write():
        db.run(
            "INSERT OR REPLACE INTO run(id,started,finished,actor,trigger,exit_code,report) VALUES(?,?,?,'me',?,?,?)",
            (number, at * SECOND, finished, trigger, code, json.dumps(report) if report else "{}"),
        )


def told(totals: Totals, *generations: tuple[str, Db]) -> dict[str, float]:
    """What the totals say after a reading: labels joined behind the name."""
    for name, db in generations:
        totals.take(name, db)
    totals.settle()
    return {"/".join((s.metric.name.removeprefix("indexer_"), *s.labels)): s.value for s in totals.samples()}


def test_counts_grow_by_what_is_new(db: Db) -> None:
    """Runs, seconds, passages and changes; nothing twice."""
    totals = Totals()
    assert told(totals, ("a", db))["passages_embedded_total"] == 0
    ran(db, 1, 100, full=True, added=3, embedded=5)
    assert told(totals, ("a", db)) == told(totals, ("a", db))
    ran(db, 2, 200, 3, trigger="cli", full=True, modified=1, reused=2, embedded=1)
    found = told(totals, ("a", db))
    assert found["runs_total/look/0"] == found["runs_total/cli/3"] == 1
    assert found["runs_seconds_total/cli/3"] == 1
    assert (found["passages_embedded_total"], found["passages_reused_total"]) == (6, 2)
    assert (found["changes_total/added"], found["changes_total/modified"], found["changes_total/moved"]) == (3, 1, 0)
    assert found["last_run_timestamp_seconds"] == found["last_success_timestamp_seconds"] == 201
    assert found["last_run_exit_code"] == 3


def test_a_run_that_was_overtaken_is_counted_when_it_ends(db: Db) -> None:
    """Its number is below those of the runs that passed it."""
    totals = Totals()
    ran(db, 1, 100, None)
    told(totals, ("a", db))
    for number in range(2, 300):
        ran(db, number, 100 + number, trigger="watch")
        told(totals, ("a", db))
    ran(db, 1, 100, embedded=1000)
    found = told(totals, ("a", db))
    assert found["runs_total/watch/0"] == 298
    assert found["runs_total/look/0"] == 1
    assert found["passages_embedded_total"] == 1000


def test_a_number_that_was_left_out_may_still_come(db: Db) -> None:
    """A bulk run that has made no commit yet is not on record while others pass it."""
    totals = Totals()
    ran(db, 1, 100)
    ran(db, 3, 120, trigger="watch")
    assert told(totals, ("a", db))["runs_total/look/0"] == 1
    ran(db, 2, 110)
    assert told(totals, ("a", db))["runs_total/look/0"] == 2


def test_a_run_that_fails_in_its_tidying_up_is_still_one_run(db: Db) -> None:
    """Its row is written again: the counters stay, the exit code of the last run is the true one."""
    totals = Totals()
    ran(db, 1, 100)
    told(totals, ("a", db))
    ran(db, 1, 100, 1)
    found = told(totals, ("a", db))
    assert found["runs_total/look/0"] == 1
    assert "runs_total/look/1" not in found
    assert found["last_run_exit_code"] == 1


def test_a_record_that_is_taken_over_is_not_counted_again(db: Db, tmp_path: Path) -> None:
    """Run by run, whether the copy comes before or after the new catalog is first met."""
    totals, other = Totals(), Catalog.create(tmp_path / "two", {})
    for number in (1, 2, 3):
        ran(db, number, 100 * number)
    told(totals, ("a", db))
    ran(other.db, 4, 400, 5)
    assert told(totals, ("a", db), ("b", other.db))["runs_total/look/0"] == 3
    for number in (1, 2, 3):
        ran(other.db, number, 100 * number)
    ran(other.db, 5, 500)
    found = told(totals, ("b", other.db))
    assert found["runs_total/look/0"] == 4
    assert found["runs_total/look/5"] == 1
    other.close()


def test_a_number_used_again_is_another_run(db: Db, tmp_path: Path) -> None:
    """A catalog restored from a snapshot does not know the numbers given since."""
    totals, restored = Totals(), Catalog.create(tmp_path / "two", {})
    for number in (1, 2):
        ran(db, number, 100 * number)
    told(totals, ("a", db))
    ran(restored.db, 1, 100)
    ran(restored.db, 2, 900)
    assert told(totals, ("b", restored.db))["runs_total/look/0"] == 3
    restored.close()


def test_a_clock_that_was_ahead_does_not_hide_what_came_after(db: Db) -> None:
    """The newest run is the one that came last, not the one that claims the latest time."""
    totals = Totals()
    ran(db, 1, 10_000)
    told(totals, ("a", db))
    ran(db, 2, 100, 4)
    found = told(totals, ("a", db))
    assert found["last_run_timestamp_seconds"] == 101
    assert found["last_run_exit_code"] == 4


def test_success_is_a_look_at_everything_that_left_nothing(db: Db) -> None:
    """Not one at some files, nor one that a budget ended, nor one that failed; as `indexer status` has it."""
    totals = Totals()
    ran(db, 1, 100)  # nothing changed: an empty report
    ran(db, 2, 200, 0, added=1)
    ran(db, 3, 300, 3, full=True, left=5)
    ran(db, 4, 400, 5, full=True)
    assert told(totals, ("a", db))["last_success_timestamp_seconds"] == 101
    ran(db, 5, 500, 3, full=True, problems=1)
    assert told(totals, ("a", db))["last_success_timestamp_seconds"] == 501


@pytest.mark.parametrize("report", ["{", "[]", "null", "7", None])
def test_a_damaged_report_loses_its_figures_only(db: Db, report: str | None) -> None:
    """The run still counts."""
    ran(db, 1, 100)
    with db.write():
        db.run("UPDATE run SET report=?, trigger=NULL", (report,))
    assert told(Totals(), ("a", db))["runs_total/other/0"] == 1


def test_a_number_far_ahead_costs_nothing(db: Db) -> None:
    """Not a look for each of the numbers between."""
    ran(db, 1, 100)
    ran(db, 2**60, 200)
    assert told(Totals(), ("a", db))["runs_total/look/0"] == 2
