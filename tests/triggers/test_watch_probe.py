"""The proof that events come: made in the root, polled where it fails, tried again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from watch_lab import FAST, Lab, until, write

from indexer.sources.rules import junk
from indexer.triggers.watch.hear import Hear
from indexer.triggers.watch.probe import PATIENCE, Probe, name
from indexer.triggers.watch.relevance import Relevance


class Deaf:
    """A watcher on a file system that tells nothing until ``works`` is set."""

    works = False

    def __init__(self, root: bytes, relevance: Relevance, hear: Hear) -> None:
        self._hear, self.folders, self.closed = hear, 1, False

    def arm(self) -> None:
        """All is well, as far as the system says."""

    def settle(self) -> None:
        """Nothing to do."""

    def alive(self) -> bool:
        """Nothing ever ends."""
        return True

    busy = False

    def probe(self, name: bytes) -> None:
        """Heard of only where it works."""
        if Deaf.works:
            self._hear.probed()

    def close(self) -> None:
        """Nothing to give back."""


def _fast() -> float:
    return time.monotonic() * 4


def test_no_events_no_watching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe nobody heard of: polled, said so; at a later probe that is heard of: watched again."""
    monkeypatch.setattr(Deaf, "works", False)
    write(tmp_path / "kb/a.txt")
    with Lab(tmp_path / "kb", FAST._replace(probe_minutes=0.2), clock=_fast, make=Deaf) as lab:
        assert lab.status()["how"] == "events"
        assert until(lambda: lab.status()["how"] == "polling")
        assert "no event came" in str(lab.status()["why"])
        write(lab.root / "b.txt")
        assert lab.settles()
        Deaf.works = True
        assert until(lambda: lab.status()["how"] == "events")
        assert lab.status()["probe_ns"] > 0
        assert until(lambda: lab.states[-1]["how"] == "events")
        assert list(dict.fromkeys(s["how"] for s in lab.states[1:])) == ["polling", "events"]


def test_the_probe_leaves_nothing(tmp_path: Path) -> None:
    """It is heard of, it is gone, and it asked for nothing."""
    with Lab(tmp_path / "kb") as lab:
        before = time.time_ns()
        assert lab.proved()
        assert lab.status()["probe_ns"] > before - 10 * 10**9
        assert os.listdir(lab.root) == []
        time.sleep(0.3)
        assert lab.asked == []


def test_probes_go_on(tmp_path: Path) -> None:
    """One each ``probe_minutes``."""
    with Lab(tmp_path / "kb", FAST._replace(probe_minutes=0.02)) as lab:
        assert lab.proved()
        first = lab.status()["probe_ns"]
        assert until(lambda: lab.status()["probe_ns"] > first)
        assert until(lambda: lab.states[-1]["probe_ns"] > first)  # and it was told


def test_one_probe_may_be_all(tmp_path: Path) -> None:
    """0 minutes: only at the start."""
    with Lab(tmp_path / "kb", FAST._replace(probe_minutes=0)) as lab:
        assert lab.proved()
        first = lab.status()["probe_ns"]
        time.sleep(2.5)
        assert lab.status()["probe_ns"] == first


def test_the_probe_is_no_document() -> None:
    """Its name is among those no document has."""
    assert junk(name()) == "rules of the indexer"


_READ_ONLY = """
import subprocess, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from watch_lab import Lab, until, write
root = Path({root!r})
subprocess.run(["mount", "--bind", str(root), str(root)], check=True)
subprocess.run(["mount", "-o", "remount,bind,ro", str(root)], check=True)
with Lab(root) as lab:
    assert lab.proved(), lab.status()
    for _ in range(20):
        (root / "a.txt").read_text()
    import time; time.sleep(0.3)
    assert lab.asked == []
    assert lab.status()["how"] == "events"
    write(Path({behind!r}) / "b.txt")
    assert lab.settles()
    print("right")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mount namespaces")
def test_a_root_nobody_may_write_to(tmp_path: Path) -> None:
    """The root is opened instead: that is an event too."""
    write(tmp_path / "kb/a.txt")
    (tmp_path / "behind").mkdir()
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    code = _READ_ONLY.format(paths=paths, root=str(tmp_path / "kb"), behind=str(tmp_path / "behind"))
    script = f'mount --bind "{tmp_path}/kb" "{tmp_path}/behind" && exec "$0" -c "$1"'
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", script, sys.executable, code], capture_output=True, text=True, timeout=200
    )
    assert done.stdout == "right\n", done.stderr


def test_verdicts() -> None:
    """Heard, not heard in time, not known yet; one that was dropped says nothing."""
    probe, made = Probe(100.0, 0.0), []
    assert probe.verdict(0.0, 1) is None
    probe.begin(10.0, made.append)
    assert made == [name()]
    assert (probe.open, probe.next, probe.verdict(10.0 + PATIENCE / 2, 1)) == (True, 110.0, None)
    assert probe.verdict(10.0 + PATIENCE, 1) is False
    assert not probe.open
    probe.begin(110.0, lambda name: probe.heard())
    assert probe.verdict(110.0, 7) is True
    assert probe.ns == 7
    probe.begin(210.0, made.append)
    probe.drop()
    assert probe.verdict(300.0, 8) is None
