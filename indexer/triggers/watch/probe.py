"""The proof that events arrive at all: a change made for it, and a time in which it must be heard of."""

from __future__ import annotations

import os
from collections.abc import Callable

PATIENCE = 5.0
"""Seconds after which a change nobody heard of proves that no events come."""


def name() -> bytes:
    """The file a probe makes in the root for an instant; no rule takes it for a document."""
    return b".indexer-probe-%d" % os.getpid()


class Probe:
    """When to make the proof, and how it went. Times in seconds of one monotonic clock; ``every`` 0: once."""

    def __init__(self, every: float, at: float) -> None:
        self._every, self.next = every or float("inf"), at
        self._began: float | None = None
        self._heard = False
        self.ns = 0

    @property
    def open(self) -> bool:
        """Whether one is made and nobody knows how it went."""
        return self._began is not None

    def begin(self, at: float, make: Callable[[bytes], None]) -> None:
        """Make one; raises OSError when the root does not take it."""
        self._heard, self._began = False, at
        self.put_off(at)
        make(name())

    def heard(self) -> None:
        """An event told of it; called from the thread that hears."""
        self._heard = True

    def verdict(self, at: float, now_ns: int) -> bool | None:
        """True: events come; False: they do not; None: nothing new is known."""
        if self._began is None:
            return None
        if self._heard:
            self._began, self.ns = None, now_ns
            return True
        if at - self._began < PATIENCE:
            return None
        self._began = None
        return False

    def put_off(self, at: float) -> None:
        """The next one is due as long after this moment as two are apart."""
        self.next = at + self._every

    def drop(self) -> None:
        """Nothing can be concluded: the process stood still, or the root went away."""
        self._began = None
