"""watchdog's own observer as the watcher, as on macOS and Windows: here with Linux below it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from watch_lab import Lab, write
from watch_operations import DONE, seed
from watchdog.events import DirDeletedEvent, DirModifiedEvent, FileDeletedEvent, FileModifiedEvent, FileOpenedEvent

from indexer.core.tables import Source
from indexer.triggers.watch.observer import Observed
from indexer.triggers.watch.relevance import Relevance


# watchdog warns of its own doing when a folder is moved into one that is new
@pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning")
@pytest.mark.parametrize("what", DONE)
def test_what_happens_is_known(what: str, tmp_path: Path) -> None:
    """The same things, without a look at everything."""
    (tmp_path / "out").mkdir()
    seed(tmp_path / "kb")
    with Lab(tmp_path / "kb", make=Observed) as lab:
        DONE[what](lab.root, tmp_path / "out")
        assert lab.settles()
        write(lab.root / "deep/later.txt")
        assert lab.settles()
        assert {a.trigger for a in lab.asked} == {"watch"}


def test_reading_asks_for_nothing(tmp_path: Path) -> None:
    """Opening, reading, closing, other types; the probe is heard of."""
    seed(tmp_path / "kb")
    with Lab(tmp_path / "kb", make=Observed) as lab:
        assert lab.proved()
        for _ in range(20):
            (lab.root / "a.txt").read_text()
        write(lab.root / "x.dat", "other")
        write(lab.root / ".git/config.txt")
        time.sleep(0.8)
        assert lab.asked == []
        assert (lab.status()["how"], lab.status()["folders"]) == ("events", 1)


class _Heard(list[bytes]):
    touched = left = list[bytes].append

    def moved(self, old: bytes, new: bytes) -> None:
        self.extend((old, new))

    def probed(self) -> None:
        """Not asked for here."""

    lost = uprooted = probed

    def failed(self, error: OSError) -> None:
        """Not here."""


def test_what_is_said_where_systems_differ(tmp_path: Path) -> None:
    """Windows says that a file is gone where it was a folder; folders are said to be modified with each file in them."""
    heard = _Heard()
    watcher = Observed(bytes(tmp_path), Relevance(Source("s", str(tmp_path)), (".txt",)), heard)
    for event in (
        FileDeletedEvent(str(tmp_path / "folder")),
        DirDeletedEvent(str(tmp_path / "another")),
        DirModifiedEvent(str(tmp_path / "third")),
        FileModifiedEvent(str(tmp_path / "a.txt")),
        FileModifiedEvent(str(tmp_path / "d/.indexerignore")),
        FileModifiedEvent(str(tmp_path / "a.dat")),
        FileModifiedEvent(str(tmp_path / "node_modules/a.txt")),
        FileDeletedEvent(str(tmp_path / "~$a.txt")),
        FileOpenedEvent(str(tmp_path / "b.txt")),
        DirDeletedEvent(str(tmp_path)),
    ):
        watcher.dispatch(event)
    assert heard == [b"folder", b"another", b"a.txt", b"d"]


def test_no_root(tmp_path: Path) -> None:
    """What is not there cannot be watched."""
    watcher = Observed(bytes(tmp_path / "none"), Relevance(Source("s", str(tmp_path)), ()), _Heard())
    with pytest.raises(OSError, match="No such file"):
        watcher.arm()
    watcher.close()
