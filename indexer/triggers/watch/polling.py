"""Watching by walking again and comparing, where no events come."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from threading import Event, Thread

from ...core.model import FileStat, raw
from ...core.tables import Source
from ...sources.folder import unpack
from ...sources.walk import Walk
from .hear import Hear

_MANY = 200
"""Changed files of one folder that are named one by one; above, the folder is."""


class _Stopped(Exception):
    """Somebody closed the poller in the middle of a walk."""


class Changes:
    """How two walks differ: files that are other now, and what came or went (a move is both)."""

    def __init__(self, before: Walk, after: Walk) -> None:
        self.other: set[bytes] = set(before.ignored ^ after.ignored) | (
            before.unreadable.keys() ^ after.unreadable.keys()
        )
        self.came_or_went: set[bytes] = set()
        for folder in before.folders.keys() | after.folders.keys():
            old, new = before.folders.get(folder), after.folders.get(folder)
            if old != new and not (new is None and _hidden(folder, after)):
                self._compare(folder, unpack(old) if old else {}, unpack(new) if new else {})

    def _compare(self, folder: bytes, old: dict[bytes, FileStat], new: dict[bytes, FileStat]) -> None:
        prefix = folder + b"/" if folder else b""
        moved = old.keys() ^ new.keys()
        other = {n for n in old.keys() & new.keys() if old[n] != new[n]}
        many = len(moved) + len(other) > _MANY
        (self.came_or_went if moved else self.other).update({folder} if many else ())
        if not many:
            self.came_or_went |= {prefix + n for n in moved}
            self.other |= {prefix + n for n in other}


def _hidden(folder: bytes, walk: Walk) -> bool:
    return any(folder == u or folder.startswith(u + b"/") for u in walk.unreadable)


class Poller:
    """Walks one source every ``seconds`` in a thread of its own: a share that hangs holds up nobody else.

    Remembers the last walk as packed folders, as the catalog has them. After the first walk the
    whole source is said to be touched: what happened before it is not known here. Between two walks
    the files that changed are looked at every ``glance`` seconds, so that one still being copied is
    not taken for quiet. ``ready``: whether the root can be looked at now.
    """

    def __init__(
        self, source: Source, suffixes: Collection[str], seconds: float, glance: float,
        hear: Hear, ready: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._source, self._endings = source, frozenset(map(raw, suffixes))
        self._seconds, self._glance = seconds, glance
        self._root, self._hear, self._ready = os.fsencode(source.path), hear, ready
        self._stop = Event()
        self._last: Walk | None = None
        self._restless: dict[bytes, tuple[int, int] | None] = {}
        self._thread = Thread(target=self._run, name=f"poll {source.name}", daemon=True)

    @property
    def folders(self) -> int:
        """Folders with documents, as of the last walk."""
        return len(self._last.folders) if self._last else 0

    def start(self) -> None:
        """Begin; the first walk comes at once."""
        self._thread.start()

    def close(self) -> None:
        """End it; a share that hangs is not waited for."""
        self._stop.set()
        self._thread.join(0.5)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._poll() if self._ready() else self._away()
            except _Stopped:
                return
            self._pause()

    def _away(self) -> None:
        self._last = None  # when it is back, all of it counts as touched

    def _poll(self) -> None:
        walk = Walk(self._root, self._endings, self._source.include, self._source.exclude, self._stopped).go()
        last, self._last = self._last, walk
        self._restless = {}
        if b"" in walk.unreadable:
            self._away()
        elif last is None or (
            last.folders and not walk.folders
        ):  # that nothing is there is not proved by a walk: the look decides
            self._hear.touched(b"")
        else:
            self._say(Changes(last, walk))

    def _say(self, changes: Changes) -> None:
        together = sorted(changes.came_or_went)
        for path in together:
            self._hear.moved(together[0], path)
        for path in changes.other:
            self._hear.touched(path)
        self._restless = {p: self._stat(p) for p in sorted(changes.other | changes.came_or_went)[:_MANY]}

    def _pause(self) -> None:
        """Wait for the next walk, with an eye on what changed."""
        left = self._seconds
        while left > 0 and not self._stop.wait(min(left, self._glance) if self._restless else left):
            left -= self._glance if self._restless else left
            for path, before in self._restless.items():
                now = self._stat(path)
                if now != before:
                    self._restless[path] = now
                    self._hear.touched(path)

    def _stat(self, path: bytes) -> tuple[int, int] | None:
        try:
            st = os.lstat(os.path.join(self._root, path))
        except OSError:
            return None
        return st.st_size, st.st_mtime_ns

    def _stopped(self) -> None:
        if self._stop.is_set():
            raise _Stopped
