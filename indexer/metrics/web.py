"""What the web service counts: answers and how long they took, by route as it is declared, so the number of series is bounded."""

from __future__ import annotations

import threading

from . import table
from .live import Spread, SpreadSample
from .table import Sample

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds."""

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "POST")
OTHER = "other"
"""The route of what is none of ours: whatever somebody types makes no series of its own."""


class Tally:
    """Counted by whoever answers, read by whoever scrapes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count: dict[tuple[str, str, str], int] = {}
        self._took: dict[str, Spread] = {}

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """One answer."""
        key = (method if method in METHODS else OTHER, route, str(status))
        with self._lock:
            self._count[key] = self._count.get(key, 0) + 1
            self._took.setdefault(route, Spread(BOUNDS)).add(seconds)

    def samples(self) -> list[Sample]:
        """The counters."""
        with self._lock:
            return [Sample(table.REQUESTS, n, key) for key, n in sorted(self._count.items())]

    def spreads(self) -> list[SpreadSample]:
        """The histograms."""
        with self._lock:
            found = sorted(self._took.items())
            return [SpreadSample(table.REQUEST_SECONDS, s.bounds, tuple(s.counts), s.sum, (r,)) for r, s in found]
