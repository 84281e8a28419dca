"""What the catalogs tell of the runs that were made."""

from __future__ import annotations

import os
import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from schedule_lab import ns
from schedule_store import FIRST, add, catalog, layout

from indexer import quick
from indexer.care.runs import RunRecord, record
from indexer.cli import main
from indexer.core.tables import ScheduleSettings
from indexer.store.db import Db
from indexer.triggers.due import due
from indexer.triggers.wall import build

NIGHT, NEXT, DAY = ns("2031-06-10 02:00"), ns("2031-06-11 02:00"), 86_400 * 10**9
SECOND = 10**9
OTHER = "fedcba9876543210-2"


def test_nothing_on_record(tmp_path: Path) -> None:
    """No folder, no catalog, an empty catalog."""
    assert record(layout(tmp_path)) == RunRecord()
    catalog(tmp_path)
    assert record(layout(tmp_path)) == RunRecord(frozenset(), 0, 0, 0, None)


def test_only_finished_runs_count(tmp_path: Path) -> None:
    """Exit codes 0 and 3; a failed one is the last run all the same."""
    add(tmp_path, NIGHT, {"due": NIGHT, "full": True})
    add(tmp_path, NEXT, {"due": NEXT, "full": True}, exit_code=3)
    add(tmp_path, NEXT + DAY, {"due": NEXT + DAY, "full": True}, exit_code=5)
    assert record(layout(tmp_path)) == RunRecord(
        frozenset({NIGHT, NEXT}), NEXT, NEXT + 5 * SECOND, NEXT + DAY + 5 * SECOND, 5
    )


def test_a_run_over_some_paths_is_not_one_over_everything(tmp_path: Path) -> None:
    """A watched change does not stand for a night."""
    add(tmp_path, NIGHT, {"full": True})
    add(tmp_path, NIGHT + 60 * SECOND, {})
    assert record(layout(tmp_path)).last_full_ns == NIGHT


def test_the_runs_of_every_generation_count(tmp_path: Path) -> None:
    """A run that fills another profile is on record there."""
    add(tmp_path, NIGHT, {"due": NIGHT, "full": True})
    add(tmp_path, NEXT, {"due": NEXT, "full": True}, generation=OTHER)
    assert record(layout(tmp_path)).dues == {NIGHT, NEXT}


def test_a_damaged_catalog_tells_nothing_and_raises_nothing(tmp_path: Path) -> None:
    """The others are read; reports that are no JSON, or hold something else, are passed over."""
    add(tmp_path, NIGHT, {"due": NIGHT, "full": True})
    add(tmp_path, NIGHT + SECOND, "{", exit_code=3)
    add(tmp_path, NIGHT + 2 * SECOND, {"due": "tomorrow"})
    path = catalog(tmp_path, OTHER)
    for damage in (b"", b"no database at all" * 1000, None):
        path.unlink() if damage is None else path.write_bytes(damage)
        assert record(layout(tmp_path)).dues == {NIGHT}
    path.mkdir()
    assert record(layout(tmp_path)).last_success_ns == NIGHT + 7 * SECOND


def test_a_night_is_found_behind_thousands_of_watched_changes(tmp_path: Path) -> None:
    """A busy folder makes a run every few seconds."""
    add(tmp_path, NIGHT, {"due": NIGHT})
    db = Db(catalog(tmp_path))
    with db.write():
        rows = [(NIGHT + i * SECOND, NIGHT + i * SECOND) for i in range(1, 2500)]
        db.run_many("INSERT INTO run(started,finished,exit_code,report) VALUES(?,?,0,'{}')", rows)
    db.close()
    assert record(layout(tmp_path)).dues == {NIGHT}


def test_a_catalog_that_is_being_written_is_read(tmp_path: Path) -> None:
    """A reader waits for nobody."""
    add(tmp_path, NIGHT, {"due": NIGHT})
    db = Db(catalog(tmp_path, FIRST))
    with db.write():
        db.run("DELETE FROM run")
        assert record(layout(tmp_path)).dues == {NIGHT}
    db.close()


def test_runs_under_a_clock_that_was_ahead_are_not_believed(tmp_path: Path) -> None:
    """A run numbered before one that began hours earlier: that night is still to come, also for a new process."""
    trigger = build(ScheduleSettings(), ZoneInfo("Europe/Berlin"))
    add(tmp_path, NIGHT, {"due": NIGHT, "full": True})
    add(tmp_path, NIGHT + 3 * DAY, {"due": NIGHT + 3 * DAY, "full": True})
    assert due(trigger, NIGHT + 60 * SECOND, record(layout(tmp_path))) is None
    add(tmp_path, NEXT, {"due": NEXT, "full": True})
    assert record(layout(tmp_path)).dues == {NIGHT, NEXT}
    assert due(trigger, NIGHT + 3 * DAY, record(layout(tmp_path))) == NIGHT + 3 * DAY


def test_small_steps_back_do_not_make_runs_unbelievable(tmp_path: Path) -> None:
    """NTP set the clock back by some minutes between two runs."""
    add(tmp_path, NIGHT, {"due": NIGHT, "full": True})
    add(tmp_path, NIGHT - 1800 * SECOND, {"full": True})
    assert record(layout(tmp_path)).dues == {NIGHT}


def test_the_no_change_answer_is_a_run_over_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`indexer update --now` by hand counts as the catch-up, also where it finds nothing to do and loads nothing."""
    (tmp_path / "indexer.toml").write_text(
        '[embedding]\nmodel = "python:indexer.embed.hashing:HashEmbedder"\n', "utf-8"
    )
    document = tmp_path / "knowledge_base" / "leave.txt"
    document.parent.mkdir()
    document.write_text("Annual leave is fifteen days a year.", "utf-8")
    os.utime(document, (1e9, 1e9))
    time.sleep(2.1)  # a file is trusted when its newest stamp is 2 s old
    monkeypatch.chdir(tmp_path)
    assert [main(["update", "--now"]) for _ in range(2)] == [0, 0]
    before = record(layout(tmp_path))
    assert quick.attempt(["update", "--now"]) == 0
    assert record(layout(tmp_path)).last_full_ns > before.last_full_ns > 0
