"""When what has changed is looked at: after quiet time, after the longest wait, and never once per event.

Pure: the clock is an argument. What is kept of an event is that its path is *dirty*; whoever is
told of it looks at the path itself. (A map from path to its last event loses saves: measured.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

Path = tuple[str, bytes]
"""A source's name and the path relative to it; a folder means all below it, b"" the whole source."""

FEW = 100
"""Paths still changing that keep nobody waiting: a log file that never rests does not delay somebody's save."""

MANY = 2000
"""Paths kept one by one; above this folders stand for what lies in them, then whole sources."""

_CROWD = 20
"""Dirty paths of one folder for which the folder may stand, when there are too many in all."""

_PAUSE = 0.05
"""Seconds between two looks at what is dirty: asking more often than that serves nobody."""


class Taken(NamedTuple):
    """What is to be looked at, and the wall time (ns) of the first event behind it."""

    paths: tuple[Path, ...]
    since_ns: int


class Pulse:
    """When something changed first and last (seconds); paths that were renamed into each other share one."""

    __slots__ = ("first", "last", "paths", "since_ns")

    def __init__(self, path: Path, at: float, since_ns: int) -> None:
        self.first, self.last, self.since_ns, self.paths = at, at, since_ns, {path}

    def join(self, other: Pulse) -> None:
        """Both go together: a document that moved is never looked at on one side only."""
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.since_ns = min(self.since_ns, other.since_ns)
        self.paths |= other.paths


class Debounce:
    """Dirty paths of all sources. Not for several threads: whoever holds it has a lock.

    ``quiet``: seconds without an event after which a path is ready, 0 at once; ``longest``: seconds
    after its first event at which it is looked at whatever happens.
    """

    def __init__(self, quiet: float, longest: float) -> None:
        self.quiet, self.longest = quiet, longest
        self._dirty: dict[Path, Pulse] = {}
        self._looked = float("-inf")

    def __len__(self) -> int:
        return len(self._dirty)

    # ---- in -------------------------------------------------------------------------------

    def touch(self, path: Path, at: float, now_ns: int, grace: float = 0.0) -> None:
        """Something happened to a path, or below it; ``grace``: more may be said of it within so many seconds."""
        self._pulse(path, at + grace, now_ns)

    def link(self, old: Path, new: Path, at: float, now_ns: int) -> None:
        """A path got another name: both are looked at in one go, or the move looks like a deletion."""
        one, two = self._pulse(old, at, now_ns), self._pulse(new, at, now_ns)
        if one is two:
            return
        small, large = sorted((one, two), key=lambda p: len(p.paths))
        large.join(small)
        self._dirty.update(dict.fromkeys(small.paths, large))

    def forget(self, source: str) -> None:
        """Drop what is kept of a source: it is not there, nobody can look at it."""
        self._dirty = {path: pulse for path, pulse in self._dirty.items() if path[0] != source}

    def _pulse(self, path: Path, at: float, now_ns: int) -> Pulse:
        found = self._covering(path)
        if found is None:
            if len(self._dirty) >= MANY:
                self._collapse()
                return self._pulse(path, at, now_ns)
            found = self._dirty[path] = Pulse(path, at, now_ns)
        found.last = max(found.last, at)
        return found

    def _covering(self, path: Path) -> Pulse | None:
        """The pulse of the path or of a folder above it: what is wanted whole needs no names below."""
        source, at = path
        while (found := self._dirty.get((source, at))) is None and at:
            at = at.rpartition(b"/")[0]
        return found

    def _collapse(self) -> None:
        """Folders stand for what lies in them, whole sources where that is not enough; they all go together."""
        lying = Counter(map(_folder, self._dirty))
        up = {above if lying[above := _folder(path)] > _CROWD else path for path in self._dirty}
        if len(up) > MANY // 2:
            up = {(source, b"") for source, _ in self._dirty}
        first, *rest = set(self._dirty.values())
        for pulse in rest:
            first.join(pulse)
        first.paths = set(_uncovered(up))
        self._dirty = dict.fromkeys(first.paths, first)

    # ---- out ------------------------------------------------------------------------------

    def due(self) -> float | None:
        """When to try :meth:`take` next (seconds), None while nothing is dirty."""
        if not self._dirty:
            return None
        soonest = min(min(p.last + self.quiet, p.first + self.longest) for p in self._dirty.values())
        return max(soonest, self._looked + _PAUSE)

    def take(self, at: float) -> Taken | None:
        """What is ready: what is quiet while few others are not, or in a storm everything once one waited too long."""
        self._looked = at
        overdue = {p for p, pulse in self._dirty.items() if at - pulse.first >= self.longest}
        ready = {p for p, pulse in self._dirty.items() if at - pulse.last >= self.quiet} | overdue
        if len(self._dirty) - len(ready) > FEW:
            ready = set(self._dirty) if overdue else set()
        if not ready:
            return None
        since = min(self._dirty[p].since_ns for p in ready)
        taken = _uncovered(ready)
        for path in ready:
            del self._dirty[path]
        return Taken(tuple(sorted(taken)), since)


def _folder(path: Path) -> Path:
    return path[0], path[1].rpartition(b"/")[0]


def _uncovered(paths: Iterable[Path]) -> list[Path]:
    """The paths that lie below no other one of them."""
    there = set(paths)
    return [p for p in there if not any((p[0], above) in there for above in _above(p[1]))]


def _above(path: bytes) -> Iterable[bytes]:
    while path:
        path = path.rpartition(b"/")[0]
        yield path
