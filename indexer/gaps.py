"""Between two batches of a run: who may go first, what they took, and when a run has done enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .core.model import Budget, FileStat


class Passed:
    """Paths that others took while a run was at work: their look is the younger one.

    A path stands for itself and for all below it.
    """

    def __init__(self) -> None:
        self._paths: dict[int, set[bytes]] = {}

    def add(self, source: int, paths: Iterable[bytes]) -> None:
        """Note what was taken of a source."""
        self._paths.setdefault(source, set()).update(paths)

    def has(self, source: int, path: bytes) -> bool:
        """Whether this path, or a folder above it, was taken."""
        taken = self._paths.get(source)
        if not taken:
            return False
        parts = path.split(b"/")
        return b"" in taken or any(b"/".join(parts[:i]) in taken for i in range(1, len(parts) + 1))

    def reaches(self, source: int, folder: bytes) -> bool:
        """Whether a file directly in this folder may have been taken."""
        taken = self._paths.get(source)
        return bool(taken) and (self.has(source, folder) or any(p.rpartition(b"/")[0] == folder for p in taken or ()))

    def merged(
        self, source: int, folder: bytes, ours: Mapping[bytes, FileStat], theirs: Mapping[bytes, FileStat]
    ) -> dict[bytes, FileStat]:
        """One folder's record: of what was taken theirs, of the rest ours."""
        prefix = folder + b"/" if folder else b""
        kept = {n: s for n, s in ours.items() if not self.has(source, prefix + n)}
        return kept | {n: s for n, s in theirs.items() if self.has(source, prefix + n)}


GiveWay = Callable[[Passed], None]
"""Serves everybody who waits, and notes what they took."""


class Spent:
    """Whether a budget is used up. ``passages``: how many the run has taken so far."""

    def __init__(self, budget: Budget, now_ns: Callable[[], int], passages: Callable[[], int]) -> None:
        self._budget, self._now_ns, self._passages = budget, now_ns, passages
        self._began = now_ns()

    def __call__(self) -> bool:
        """Asked before each file."""
        seconds, passages = self._budget
        return (0 < passages <= self._passages()) or 0 < seconds <= (self._now_ns() - self._began) / 1e9
