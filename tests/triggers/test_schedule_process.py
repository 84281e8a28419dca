"""Real processes, real clocks: frozen over the instant, started after it, killed and started again.

It is two o'clock in a moment because the time zone is made for the test.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from schedule_store import add, layout

from indexer.care.runs import record

HERE = Path(__file__).resolve().parent
DAY, PAUSE = 86_400, 0.5
TZIF = struct.Struct(">4sx15x6l")


class Nights:
    """A time zone in which it is soon two o'clock, and the processes that live in it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.zones = folder / "home", folder / "zones"
        (self.zones / "Test").mkdir(parents=True)
        path = os.pathsep.join((str(HERE.parents[1]), str(HERE)))
        self.environ = {**os.environ, "PYTHONTZPATH": str(self.zones), "PYTHONPATH": path}
        self.children: list[subprocess.Popen[str]] = []

    def make(self, soon: int) -> None:
        """Two o'clock comes so many seconds from now; the run of the night before is on record."""
        self.two = int(time.time()) + soon
        offset = (2 * 3600 - self.two + DAY // 2) % DAY - DAY // 2
        data = TZIF.pack(b"TZif", 0, 0, 0, 0, 1, 4) + struct.pack(">lBB", offset, 0, 0) + b"NOW\0"
        (self.zones / "Test" / "Now").write_bytes(data)
        add(self.home, (self.two - DAY) * 10**9, {"due": (self.two - DAY) * 10**9, "full": True})

    def load(self, pause: float = PAUSE) -> subprocess.Popen[str]:
        """A process that has loaded everything and waits for :meth:`begin`."""
        argv = [sys.executable, str(HERE / "schedule_child.py"), str(self.home), "Test/Now", str(pause)]
        child = subprocess.Popen(argv, env=self.environ, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.children.append(child)
        assert line(child) == "loaded"
        return child

    def begin(self, child: subprocess.Popen[str]) -> None:
        """Its schedule starts."""
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
        assert line(child) == "ready"

    def wait(self, after: float) -> None:
        """Until so many seconds after two."""
        time.sleep(max(0.0, self.two + after - time.time()))

    def run(self, child: subprocess.Popen[str]) -> tuple[int, float]:
        """The next run it asks for: (instant, seconds after two)."""
        due, at = line(child).split()
        return int(due), int(at) / 1e9 - self.two


def line(child: subprocess.Popen[str]) -> str:
    """The next one it prints."""
    assert child.stdout is not None
    return child.stdout.readline().strip()


def rest(child: subprocess.Popen[str]) -> str:
    """What it printed until it was told to end."""
    time.sleep(4 * PAUSE)
    return child.communicate(timeout=60)[0]


@pytest.fixture
def nights(tmp_path: Path) -> Iterator[Nights]:
    """Its processes do not outlive the test."""
    made = Nights(tmp_path)
    yield made
    for child in made.children:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("pause", [PAUSE, 3600.0])
def test_on_time(nights: Nights, pause: float) -> None:
    """One run at the instant, also where only APScheduler's own thread is awake."""
    child = nights.load(pause)
    nights.make(soon=3)
    nights.begin(child)
    due, after = nights.run(child)
    assert due == nights.two * 10**9
    assert after >= 0
    assert rest(child) == ""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no process can be frozen here")
@pytest.mark.parametrize("pause", [PAUSE, 3600.0])
def test_frozen_over_the_instant(nights: Nights, pause: float) -> None:
    """SCHED-03: stopped before two, continued 3 s after: one run is made up for (APScheduler drops it after 1 s)."""
    child = nights.load(pause)
    nights.make(soon=4)
    nights.begin(child)
    time.sleep(1)  # it has looked around, and sleeps
    child.send_signal(signal.SIGSTOP)
    nights.wait(3.0)
    child.send_signal(signal.SIGCONT)
    due, after = nights.run(child)
    assert due == nights.two * 10**9
    assert after >= 3.0
    assert rest(child) == ""


def test_started_after_the_instant_and_again(nights: Nights) -> None:
    """SCHED-04: nothing ran at two; the process that starts then is owed one run, the next one none."""
    first, second = nights.load(), nights.load()
    nights.make(soon=1)
    nights.wait(0.5)
    nights.begin(first)
    due, _ = nights.run(first)
    first.kill()
    assert first.communicate()[0] == ""
    assert due == nights.two * 10**9
    assert due in record(layout(nights.home)).dues
    nights.begin(second)
    assert rest(second) == ""
