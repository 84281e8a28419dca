"""The dirty paths of all sources, between the threads that hear of them and the one that asks."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition

from .debounce import Debounce, Path, Taken

GRACE = 0.1
"""Seconds in which the second half of a move arrives."""


class Inbox:
    """A :class:`.debounce.Debounce` for several threads. ``clock``: monotonic seconds; ``now_ns``: wall time."""

    def __init__(self, debounce: Debounce, clock: Callable[[], float], now_ns: Callable[[], int]) -> None:
        self._debounce, self._clock, self._now_ns = debounce, clock, now_ns
        self._changed = Condition()
        self._woken = False

    def touch(self, path: Path, grace: float = 0.0) -> None:
        """Something happened to a path, or below it."""
        with self._changed:
            before = len(self._debounce)
            self._debounce.touch(path, self._clock(), self._now_ns(), grace)
            if not before:  # later events only put off what is waited for
                self._changed.notify()

    def link(self, old: Path, new: Path) -> None:
        """One became the other."""
        with self._changed:
            self._debounce.link(old, new, self._clock(), self._now_ns())
            self._changed.notify()

    def forget(self, source: str) -> None:
        """Nobody can look at this source now."""
        with self._changed:
            self._debounce.forget(source)

    def wake(self) -> None:
        """Whoever waits looks around at once."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def wait(self, until: float) -> Taken | None:
        """What is ready, as soon as something is; None at ``until``, or when woken."""
        with self._changed:
            while not self._woken:
                at, due = self._clock(), self._debounce.due()
                if due is not None and due <= at:
                    if taken := self._debounce.take(at):
                        return taken
                    continue
                if at >= until:
                    break
                self._changed.wait(min(until, due if due is not None else until) - at)
            self._woken = False
        return None
