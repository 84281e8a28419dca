"""Watching by events in real folders: whoever looks only at what is asked about knows all there is."""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from pathlib import Path

import pytest
from watch_lab import FAST, Lab, until, write
from watch_operations import DONE, seed

from indexer.core.model import Ask, Key

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify")


@pytest.mark.parametrize("what", DONE)
def test_what_happens_is_known(what: str, tmp_path: Path) -> None:
    """After one thing was done, and after another one in the same place, all is known without a look at everything."""
    (tmp_path / "out").mkdir()
    seed(tmp_path / "kb")
    with Lab(tmp_path / "kb") as lab:
        DONE[what](lab.root, tmp_path / "out")
        assert lab.settles()
        write(lab.root / "old/1/deep/later.txt" if (lab.root / "old").is_dir() else lab.root / "later.txt")
        assert lab.settles()
        assert what == "rules taken away" or all(k.path for a in lab.asked for k in a.paths)
        assert {a.trigger for a in lab.asked} <= {"watch"}
        assert lab.status()["folders"] == sum(1 for _, _, _ in os.walk(lab.root)) - _ignored(lab.root)


def _ignored(root: Path) -> int:
    rules = root / "old/.indexerignore"
    if rules.is_file() and (root / "old").is_dir() and not (root / "old").is_symlink():
        return sum(1 for _ in os.walk(root / "old/1"))
    return 0


# ---- at random --------------------------------------------------------------------------

_NAMES = ("a.txt", "b.md", "c.tmp", "~$a.txt", "d", "e", "f.txt")


def _path(rng: random.Random) -> str:
    return "/".join(rng.choice(_NAMES) for _ in range(rng.randint(1, 4)))


def _step(rng: random.Random, root: Path, out: Path) -> None:
    one, two = root / _path(rng), root / _path(rng)
    what = rng.randrange(10)
    if what < 4:
        write(one, str(rng.random()))
    elif what == 4:
        two.parent.mkdir(parents=True, exist_ok=True)
        one.rename(two)
    elif what == 5:
        one.rename(out / str(rng.random()))
    elif what == 6:
        moved = rng.choice(sorted(out.iterdir()))
        one.parent.mkdir(parents=True, exist_ok=True)
        moved.rename(one)
    elif what == 7:
        shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
    elif what == 8:
        one.symlink_to(two)
    else:
        write(one.parent / ".indexerignore", rng.choice(("*.md\n", "d/\n", "", "a.txt\n")))


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_is_known(seed: int, tmp_path: Path) -> None:
    """Random work in folders, in bursts: after each all is known, without a look at everything."""
    rng = random.Random(seed)  # noqa: S311
    out = tmp_path / "out"
    out.mkdir()
    with Lab(tmp_path / "kb") as lab:
        for _ in range(25):
            for _ in range(rng.randint(1, 30)):
                try:
                    _step(rng, lab.root, out)
                except (OSError, IndexError, shutil.Error):
                    continue
                if rng.random() < 0.1:
                    time.sleep(rng.random() / 10)
            assert lab.settles()
        assert {a.trigger for a in lab.asked} == {"watch"}


def test_a_folder_that_was_closed_for_a_moment(tmp_path: Path) -> None:
    """It can be read again when the events are: a look in between could not, so there has to be another."""
    write(tmp_path / "kb/d/a.txt")
    with Lab(tmp_path / "kb") as lab:
        (lab.root / "d").chmod(0)
        (lab.root / "d").chmod(0o755)
        assert until(lambda: {"d"} in lab.paths()), lab.paths()


# ---- what must not happen ------------------------------------------------------------------


def test_reading_asks_for_nothing(tmp_path: Path) -> None:
    """Opening, reading, listing, and closing without a write; also temporaries, other types, skipped folders."""
    seed(tmp_path / "kb")
    write(tmp_path / "kb/.git/config.txt")
    with Lab(tmp_path / "kb") as lab:
        assert lab.proved()
        for _ in range(40):
            (lab.root / "a.txt").read_text()
            os.listdir(lab.root / "old")
            list(os.walk(lab.root))
        with open(lab.root / "a.txt", "r+"):
            pass
        time.sleep(0.3)
        closed = lab.asked  # opened for writing and closed: the file may have changed
        write(lab.root / "x.dat", "other")
        write(lab.root / "~$a.txt")
        write(lab.root / ".git/config.txt", "other")
        write(lab.root / "node_modules/m/readme.md")
        time.sleep(0.4)
        assert lab.asked == closed
        assert lab.paths() in ([], [{"a.txt"}])


def test_requests_say_what_since_when(tmp_path: Path) -> None:
    """The trigger, the keys, urgency, and the wall time of the first event."""
    with Lab(tmp_path / "kb", FAST._replace(debounce=3.0, max_wait=60.0)) as lab:
        before = time.time_ns()
        write(lab.root / "a.txt")
        time.sleep(1.5)  # for the first event to be read, however busy the machine is
        after = time.time_ns()
        write(lab.root / "a.txt", "more")
        assert lab.settles()
        (ask,) = lab.asked
        assert ask == Ask("watch", (Key("s", "a.txt"),), urgent=True, since_ns=ask.since_ns)
        assert before <= ask.since_ns <= after


def test_a_folder_renamed_is_one_request(tmp_path: Path) -> None:
    """Old and new name are in one request even at once: apart they look like a deletion of many."""
    (tmp_path / "kb").mkdir()
    for n in range(30):
        write(tmp_path / f"kb/old/{n}.txt")
    with Lab(tmp_path / "kb", FAST._replace(debounce=0.0)) as lab:
        for old, new in (("old", "one"), ("one", "two"), ("two", "old")):
            (lab.root / old).rename(lab.root / new)
            assert lab.settles()
        assert all({"old", "one", "two"} & p and len(p) > 1 for p in lab.paths())


def test_watches_are_given_back(tmp_path: Path) -> None:
    """Folders that went are watched no more, those that came are; after the end nothing is."""
    with Lab(tmp_path / "kb") as lab:
        for n in range(50):
            write(lab.root / f"d/{n}/f.txt")
        assert lab.settles()
        assert lab.status()["folders"] == 52
        (lab.root / "d").rename(tmp_path / "away")
        assert lab.settles()
        assert lab.status()["folders"] == 1
        (tmp_path / "away").rename(lab.root / "back")
        assert lab.settles()
        assert lab.status()["folders"] == 52
        fds = set(os.listdir("/proc/self/fd"))
    assert len(os.listdir("/proc/self/fd")) < len(fds)
