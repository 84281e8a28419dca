"""What only the daemon knows: how long changes took, what runs, what waits, how it watches."""

from __future__ import annotations

import sys
import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.model import display
from ..core.tables import WatchSettings
from ..report import Outcome
from . import table
from .table import Metric, Sample
from .totals import TRIGGERS

LAG_BOUNDS = (0.1, 0.25, 0.5, 1, 2, 2.5, 3, 4, 5, 7.5, 10, 15, 20, 30, 45, 60, 120, 300, 900, 3600)
"""Seconds; close together about the goals: quiet time 2 s + 0.5 s, and 30 s at most."""

DURATION_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 10_800, 36_000)
"""Seconds; from a look that finds nothing to a night of first embedding."""


class Spread:
    """A histogram: how many values lay at or below each bound, and their sum."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.sum = 0.0

    def add(self, value: float) -> None:
        """Count one value; a clock that was set back makes no negative ones."""
        value = max(value, 0.0)
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value


class SpreadSample(NamedTuple):
    """The state of one histogram; counts are not yet cumulated, the last is above all bounds."""

    metric: Metric
    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    sum: float
    labels: tuple[str, ...] = ()


class Live:
    """A listener of the service and the triggers; scraped from another thread."""

    def __init__(self, version: str, started_ns: int) -> None:
        self._version = version
        self._lock = threading.Lock()
        self._started = started_ns
        self._lag = Spread(LAG_BOUNDS)
        self._took: dict[str, Spread] = {}
        self._running: list[int] = []
        self._waiting = self._next_ns = 0
        self._watch: tuple[Mapping[str, Any], ...] = ()
        self._followers: tuple[Mapping[str, Any], ...] = ()

    def heard(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Take in what happened; kinds that mean nothing here are passed over."""
        with self._lock:
            match kind:
                case "begin":
                    self._running.append(facts["at_ns"])
                case "end":
                    self._end(facts["outcome"])
                case "queue":
                    self._waiting = facts["waiting"]
                case "schedule":
                    self._next_ns = facts.get("next_ns") or 0
                case "watch":
                    self._watch = tuple(facts["status"])
                case "followers":
                    self._followers = tuple(facts["status"])

    def _end(self, outcome: Outcome) -> None:
        if self._running:
            self._running.pop()  # a run that was overtaken ends after the one that overtook it
        trigger = outcome.ask.trigger if outcome.ask.trigger in TRIGGERS else "other"
        self._took.setdefault(trigger, Spread(DURATION_BOUNDS)).add((outcome.ended_ns - outcome.started_ns) / 1e9)
        if outcome.report is not None:  # what failed is not searchable yet
            for since in outcome.since_ns:
                self._lag.add((outcome.ended_ns - since) / 1e9)

    def samples(self, watch: WatchSettings) -> list[Sample]:
        """Everything but the histograms."""
        python = ".".join(map(str, sys.version_info[:3]))
        with self._lock:
            found = [
                Sample(table.BUILD, 1, (self._version, python)),
                Sample(table.START, self._started / 1e9),
                Sample(table.QUEUE, self._waiting),
                Sample(table.RUNNING, len(self._running)),
            ]
            if self._running:
                found.append(Sample(table.RUN_STARTED, self._running[0] / 1e9))
            if self._next_ns:
                found.append(Sample(table.NEXT_RUN, self._next_ns / 1e9))
            return [*found, *_watched(self._watch, watch), *_followed(self._followers)]

    def spreads(self) -> list[SpreadSample]:
        """The histograms."""
        with self._lock:
            named = [(table.LAG, self._lag, ()), *((table.DURATION, s, (t,)) for t, s in sorted(self._took.items()))]
            return [SpreadSample(m, s.bounds, tuple(s.counts), s.sum, labels) for m, s, labels in named]


def _watched(status: Sequence[Mapping[str, Any]], settings: WatchSettings) -> list[Sample]:
    found = []
    for one in status:
        source, events = (display(str(one["source"])),), one["how"] == "events"
        found.append(Sample(table.WATCH_EVENTS, int(events), source))
        found.append(Sample(table.WATCH_FALLBACK, int(not events and settings.mode != "polling"), source))
        found.append(Sample(table.WATCH_FOLDERS, one.get("folders") or 0, source))
        if probe := one.get("probe_ns"):
            found.append(Sample(table.PROBE, probe / 1e9, source))
    if status and settings.probe_minutes:
        found.append(Sample(table.PROBE_EVERY, settings.probe_minutes * 60))
    return found


def _followed(status: Sequence[Mapping[str, Any]]) -> Iterator[Sample]:
    for one in status:
        name, state = (str(one["name"]),), one["state"]
        yield Sample(table.FOLLOWER_UP, state not in ("down", "misconfigured"), name)
        yield Sample(table.FOLLOWER_PAUSED, state == "paused", name)
        yield Sample(table.FOLLOWER_MISCONFIGURED, state == "misconfigured", name)
        yield Sample(table.FOLLOWER_BEHIND, one["behind"], name)
        if one["behind_since_ns"]:
            yield Sample(table.FOLLOWER_SINCE, one["behind_since_ns"] / 1e9, name)
        if one["ok_ns"]:
            yield Sample(table.FOLLOWER_OK, one["ok_ns"] / 1e9, name)
        for kind, count in one["documents"].items():
            yield Sample(table.FOLLOWER_DOCUMENTS, count, (*name, kind))
