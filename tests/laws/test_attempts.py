"""The attempt is on record before the work (DESIGN 3.7)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab import Fault, Lab, LawParsers

from indexer.core.model import Parsed
from indexer.store import disk
from indexer.update import Report, Request

A, D = ("one", "a.bin"), ("one", "d.bin")


class Killed(BaseException):
    """The process ends here: nothing in the product catches this."""


class Deadly(LawParsers):
    """``.bin`` files that begin with DIE end the process; ``tried`` counts the looks at them."""

    tried = 0

    def parse(self, path: str, data: bytes) -> Parsed:
        """Dies where LawParsers only reports a death."""
        if data.startswith(b"DIE"):
            Deadly.tried += 1
            raise Killed
        return super().parse(path, data)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A laboratory whose parser can end the process."""
    lab = Lab(tmp_path)
    lab.parsers, Deadly.tried = Deadly, 0
    yield lab
    lab.close()


def _run(lab: Lab) -> Report | None:
    """The report of an update, None when the process "died"."""
    lab._next_tick()
    with contextlib.suppress(Killed):
        return lab._run(Request())
    return None


def _reason(report: Report | None, path: str = "d.bin") -> str:
    assert report is not None
    return next((str(p.reason) for p in report.tally.problems.values() if p.key.path == path), "")


def test_a_file_that_kills_the_process_is_set_aside(lab: Lab) -> None:
    """Three attempts, then the run goes through without it, says so, and does not try again."""
    lab.write(*A, 1)
    lab.killer(*D, 1)
    assert [_run(lab) for _ in range(3)] == [None] * 3
    assert "set aside after 3 attempts" in _reason(_run(lab))
    assert "set aside" in _reason(_run(lab))
    assert Deadly.tried == 3
    assert {t[1] for t in lab._found(lab.follower) or ()} == {"a.bin"}


def test_its_neighbours_are_committed_before_it(lab: Lab) -> None:
    """What stands before and after a suspect is in the index before the suspect is tried again."""
    for i in range(3):
        lab.write("one", f"{'aez'[i]}.bin", i)
    lab.killer(*D, 1)
    _run(lab)
    _run(lab)
    assert "a.bin" in {t[1] for t in lab._found(lab.follower) or ()}


def _edit(lab: Lab) -> None:
    lab.write(*D, 7)


def _kill_again(lab: Lab) -> None:
    lab.killer(*D, 2)


def _new_parser(lab: Lab) -> None:
    lab.revision += 1


@pytest.mark.parametrize(("change", "tried"), [(_edit, 3), (_kill_again, 6), (_new_parser, 6)])
def test_it_is_tried_again_when_something_changes(lab: Lab, change: Callable[[Lab], None], tried: int) -> None:
    """Other bytes or another parser give it three attempts of its own."""
    lab.killer(*D, 1)
    for _ in range(4):
        _run(lab)
    change(lab)
    reports = [_run(lab) for _ in range(4)]
    assert Deadly.tried == tried
    assert ("set aside" in _reason(reports[-1])) == (tried == 6)


def test_a_parser_that_dies_in_its_sandbox_is_tried_three_times(tmp_path: Path) -> None:
    """A death that is reported counts as well, and its last good version stays."""

    class Counting(LawParsers):
        tried = 0

        def parse(self, path: str, data: bytes) -> Parsed:
            Counting.tried += 1
            return super().parse(path, data)

    lab = Lab(tmp_path)
    lab.parsers = Counting
    lab.write(*D, 1)
    _run(lab)
    found = lab._found(lab.follower)
    lab._next_tick()
    lab.killer(*D, 1)
    for _ in range(6):
        _run(lab)
    assert Counting.tried == 1 + 3
    assert lab._found(lab.follower) == found
    lab.close()


@pytest.mark.parametrize("step", ["backup", "fsync", "rename"])
def test_a_disk_that_fails_is_not_the_files_fault(tmp_path: Path, step: str) -> None:
    """Runs that end after the parser did its work (disk full, say) use up no attempt."""
    lab = Lab(tmp_path)
    for n in (1, 2):
        lab.write(*A, n)
        _run(lab)
        lab._next_tick()
    lab.days(2)  # a snapshot is due
    lab._next_tick()
    lab.write(*D, 3)

    def fault(operation: str, path: str) -> None:
        if operation == step:
            raise Fault(operation)

    for _ in range(5):
        disk.fault = fault
        try:
            with pytest.raises(Fault):
                lab._run(Request())
        finally:
            disk.fault = None
    assert not _reason(_run(lab))
    assert {t[1] for t in lab._found(lab.follower) or ()} == {"a.bin", "d.bin"}
    lab.close()
