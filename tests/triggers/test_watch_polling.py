"""Watching without events: walks are compared, and what differs is asked about by the same rules."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from watch_lab import FAST, Lab, until, write
from watch_operations import DONE, seed

POLLING = FAST._replace(mode="polling", poll_seconds=0.15)


@pytest.mark.parametrize("what", DONE)
def test_what_happens_is_known(what: str, tmp_path: Path) -> None:
    """The same things as for events, known by polling; no look at everything but the first."""
    (tmp_path / "out").mkdir()
    seed(tmp_path / "kb")
    with Lab(tmp_path / "kb", POLLING) as lab:
        assert until(lambda: {""} in lab.paths())  # the first walk is made
        DONE[what](lab.root, tmp_path / "out")
        assert lab.settles()
        write(lab.root / "deep/later.txt")
        assert lab.settles()
        assert {a.trigger for a in lab.asked} == {"watch"}
        assert lab.paths().count({""}) == 1 or what in ("rules taken away",)


def test_nothing_happens_nothing_is_asked(tmp_path: Path) -> None:
    """Walks that find the same ask for nothing."""
    seed(tmp_path / "kb")
    with Lab(tmp_path / "kb", POLLING) as lab:
        assert until(lambda: {""} in lab.paths())
        (lab.root / "a.txt").read_text()
        write(lab.root / "x.dat", "other")
        time.sleep(0.8)
        assert lab.paths() == [{""}]


def test_a_slow_copy_is_asked_about_when_it_is_done(tmp_path: Path) -> None:
    """A file that grows between two walks is not quiet, however rare the walks are."""
    seed(tmp_path / "kb")
    settings = POLLING._replace(debounce=0.6, max_wait=60.0, poll_seconds=1.0)
    with Lab(tmp_path / "kb", settings) as lab:
        assert until(lambda: {""} in lab.paths())
        with open(lab.root / "big.txt", "w") as file:
            for _ in range(30):
                file.write("x" * 1000)
                file.flush()
                time.sleep(0.1)
        asked = len(lab.asked)
        assert asked == 1
        assert lab.settles()
        assert lab.paths() == [{""}, {"big.txt"}]


def test_a_folder_renamed_is_one_request(tmp_path: Path) -> None:
    """What came and what went between two walks is asked about together."""
    seed(tmp_path / "kb")
    with Lab(tmp_path / "kb", POLLING._replace(debounce=0.0)) as lab:
        assert until(lambda: {""} in lab.paths())
        (lab.root / "old").rename(lab.root / "new")
        assert lab.settles()
        assert lab.paths()[1:] == [{f"{d}/{f}" for d in ("old", "new") for f in ("0/f.txt", "1/f.txt", "1/deep/g.txt")}]


def test_many_changes_in_a_folder_are_the_folder(tmp_path: Path) -> None:
    """No request names thousands of files."""
    seed(tmp_path / "kb")
    with Lab(tmp_path / "kb", POLLING._replace(debounce=0.5)) as lab:
        assert until(lambda: {""} in lab.paths())
        (tmp_path / "many").mkdir()
        for n in range(500):
            write(tmp_path / f"many/{n}.txt")
        (tmp_path / "many").rename(lab.root / "many")
        assert lab.settles()
        assert lab.paths()[1:] == [{"many"}]


def test_an_empty_source_is_looked_at_whole(tmp_path: Path) -> None:
    """A walk cannot prove that somebody emptied it: the look, which knows the rule for that, decides."""
    write(tmp_path / "kb/d/a.txt")
    with Lab(tmp_path / "kb", POLLING) as lab:
        assert until(lambda: {""} in lab.paths())
        (lab.root / "d/a.txt").unlink()
        assert lab.settles()
        time.sleep(0.5)
        assert lab.paths()[1:] == [{""}]


def test_it_is_said(tmp_path: Path) -> None:
    """How, why, and how many folders; the log has it as well."""
    seed(tmp_path / "kb")
    with Lab(tmp_path / "kb", POLLING) as lab:
        assert until(lambda: lab.status()["folders"] == 4)
        status = lab.status()
        assert (status["source"], status["how"], status["probe_ns"]) == ("s", "polling", 0)
        assert "configured" in str(status["why"])
        assert lab.said("is polled every 0.15 seconds")
        assert [level for level, _ in lab.told] == ["info"]
        assert lab.states[-1]["how"] == "polling"
