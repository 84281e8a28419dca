"""What must hold of everything readers saw, of the nights, and of memory."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from soak_truth import NOTHING

HOUR_NS = 3600 * 10**9


class Stretch(NamedTuple):
    """From one settle to the next: what was found at its end and in which commit, what may have been found before.

    ``lasting``: what no search of this stretch may miss; ``at``: when it ended (monotonic ns).
    """

    commit: int
    found: Mapping[str, str]
    ever: Mapping[str, set[str]]
    lasting: Mapping[str, str]
    at: int


class Run(NamedTuple):
    """A run of the history; times in injected ns, ``due`` 0 for none."""

    started: int
    exit_code: int
    due: int
    full: bool


class Slope(NamedTuple):
    """MB in one injected hour, and the standard error of that."""

    per_hour: float
    error: float

    def __str__(self) -> str:
        return f"{self.per_hour:+.3f} ± {self.error:.3f} MB/h"


def slope(points: Sequence[tuple[float, float]]) -> Slope:
    """Least squares over (hours, MB)."""
    n = len(points)
    x0, y0 = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - x0) ** 2 for x, _ in points)
    at = sum((x - x0) * (y - y0) for x, y in points) / spread
    rest = sum((y - y0 - at * (x - x0)) ** 2 for x, y in points)
    return Slope(at, math.sqrt(rest / (n - 2) / spread))


def check_nights(due: Sequence[int], runs: Mapping[int, Run], now_ns: int) -> None:
    """No night was run twice; the last one was run, by its own run or a later one over everything."""
    good = [r for r in runs.values() if r.exit_code in (0, 3)]
    for at in due:
        found = [n for n, r in runs.items() if r.due == at and r.exit_code in (0, 3)]
        assert len(found) <= 1, f"the night of {at} was run {len(found)} times: runs {found}"
    passed = [at for at in due if at <= now_ns - HOUR_NS // 3]
    if passed:
        stands = [r for r in good if r.due >= passed[-1] or (r.full and r.started >= passed[-1])]
        assert stands, f"nothing was run for the night of {passed[-1]}, it is {now_ns}"


class Reader:
    """The log of one reader, checked line by line; ``searches`` counts them."""

    def __init__(self, path: Path, stretches: Sequence[Stretch], same: dict[int, str]) -> None:
        self.path, self.stretches, self.same = path, stretches, same
        self.shown: dict[str, dict[str, str]] = {}
        self.searches, self.last, self.at = 0, 0, 0

    def check(self) -> None:
        """Raises AssertionError."""
        for text in self.path.read_text().splitlines():
            line: Any = json.loads(text)
            if isinstance(line, dict):
                assert "error" not in line, f"{self.path.name} failed: {line}"
                self.shown[line["digest"]] = dict(line["shown"])
            else:
                self._search(*line)

    def _search(self, start: int, end: int, commit: int, digest: str) -> None:
        self.searches += 1
        assert commit >= self.last, f"{self.path.name}: back from commit {self.last} to {commit}"
        self.last = commit
        assert self.same.setdefault(commit, digest) == digest, f"commit {commit} shows two things"
        while self.at < len(self.stretches) and self.stretches[self.at].at < start:
            self.at += 1
        if self.at:
            there = self.stretches[self.at - 1].commit
            assert commit >= there, f"{self.path.name}: commit {commit} answered when {there} was there"
        if self.at < len(self.stretches) and end < self.stretches[self.at].at:
            lasting, shown = self.stretches[self.at].lasting, self.shown[digest]
            lost = [p for p, sha in lasting.items() if shown.get(p) != sha] if self.at else []
            assert not lost, f"{self.path.name}: commit {commit} misses what was there all the time: {lost[:5]}"
        self._known(commit, self.shown[digest])

    def _known(self, commit: int, shown: Mapping[str, str]) -> None:
        stretch = next((s for s in self.stretches if commit <= s.commit), None)
        if stretch is None:
            return
        if commit == stretch.commit:
            assert shown == stretch.found, f"commit {commit} shows something else than at its settle"
        for path, sha in shown.items():
            assert sha in stretch.ever.get(path, {NOTHING}), f"commit {commit} shows an old version of {path!r}"
