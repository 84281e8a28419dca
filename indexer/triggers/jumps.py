"""Noticing that the clock was set or the machine slept: neither wakes who waits for a wall time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

_NOTED = 1.0


class Jump(NamedTuple):
    """Seconds, 0 when nothing happened; ``stepped`` is negative when the clock was set back."""

    stepped: float = 0.0
    slept: float = 0.0


def asleep() -> float:
    """Seconds this machine has slept since it was started; 0 where the system does not tell (then it looks stepped)."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


class Jumps:
    """Compares the wall clock with the monotonic one from call to call, so that slow corrections do not add up."""

    def __init__(self, now: Callable[[], int], clock: Callable[[], float], asleep: Callable[[], float]) -> None:
        self._now, self._clock, self._asleep = now, clock, asleep
        self._before = self._read()

    def _read(self) -> tuple[float, float, float]:
        return self._now() / 1e9, self._clock(), self._asleep()

    def look(self) -> Jump:
        """What happened since the last call."""
        before, self._before = self._before, self._read()
        wall, ran, slept = (after - earlier for after, earlier in zip(self._before, before, strict=True))
        stepped = wall - ran - slept
        return Jump(stepped if abs(stepped) > _NOTED else 0.0, slept if slept > _NOTED else 0.0)
