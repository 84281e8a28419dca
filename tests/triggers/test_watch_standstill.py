"""A process that was frozen, a machine that slept, and the look at everything that comes anyway."""

from __future__ import annotations

import time
from pathlib import Path

from watch_lab import FAST, Lab, until


class Clock:
    """The monotonic clock, which may be made to jump."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        """Seconds."""
        return time.monotonic() + self.ahead


def test_after_a_standstill_everything_is_looked_at(tmp_path: Path) -> None:
    """A tick that comes a minute late; a probe that was open proves nothing then."""
    clock = Clock()
    with Lab(tmp_path / "kb", clock=clock) as lab:
        assert lab.proved()
        clock.ahead = 60
        assert until(lambda: [a.trigger for a in lab.asked] == ["look"])
        assert lab.said("stood still")
        assert lab.status()["how"] == "events"


def test_a_tick_that_is_a_little_late_is_none(tmp_path: Path) -> None:
    """A busy machine is not taken for one that slept."""
    clock = Clock()
    with Lab(tmp_path / "kb", clock=clock) as lab:
        assert lab.proved()
        clock.ahead = 5
        time.sleep(2.5)
        assert lab.asked == []


def test_everything_is_looked_at_anyway(tmp_path: Path) -> None:
    """Every ``full_look_minutes``, whatever events say; 0: never."""
    with Lab(tmp_path / "kb", FAST._replace(full_look_minutes=0.02)) as lab:
        assert until(lambda: len(lab.asked) >= 2)
        assert {(a.trigger, a.paths, a.urgent) for a in lab.asked} == {("look", (), False)}
    with Lab(tmp_path / "kb", FAST._replace(full_look_minutes=0)) as lab:
        time.sleep(2.5)
        assert lab.asked == []
