"""One source under watchdog's own observer: macOS and Windows watch a whole tree with one handle.

Linux has :mod:`.inotify`; this one works there as well, and its tests run there.
"""

from __future__ import annotations

import errno
import os

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from ...sources.patterns import IGNORE_FILE
from ...sources.rules import junk
from ...sources.walk import skipped_folder
from .hear import Hear
from .relevance import Relevance

_CHANGES = frozenset(("created", "modified", "moved", "deleted", "closed", "attrib"))
"""Opened, and closed without a write, are none: what we read ourselves changes nothing."""


class Observed(FileSystemEventHandler):
    """A watcher (see :class:`.hear.Watcher`); also watchdog's handler of every event.

    Rules of ``.indexerignore`` files are left to the look: an event in an ignored folder costs a
    look at that folder's place, no more.
    """

    def __init__(self, root: bytes, relevance: Relevance, hear: Hear) -> None:
        self._root, self._relevance, self._hear = os.fsdecode(os.path.realpath(root)), relevance, hear
        self._observer = Observer()
        self._proving = False
        self.folders = 0
        self.busy = False

    def arm(self) -> None:
        """Watch the tree; raises OSError where there is no root, or the system refuses."""
        if not os.path.isdir(self._root):
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), self._root)
        self._observer.schedule(self, self._root, recursive=True)
        self._observer.start()
        self.folders = 1

    def settle(self) -> None:
        """The system watches new folders by itself."""

    def alive(self) -> bool:
        """Whether events are still read."""
        return self._observer.is_alive() and all(e.is_alive() for e in self._observer.emitters)

    def probe(self, name: bytes) -> None:
        """Make a file for an instant; where that is not allowed, nothing can be proved and all counts as well."""
        self._proving = True
        full = os.path.join(self._root, os.fsdecode(name))
        try:
            os.close(os.open(full, os.O_CREAT | os.O_WRONLY, 0o600))
            os.unlink(full)
        except PermissionError:
            self._hear.probed()

    def close(self) -> None:
        """Stop listening."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join(2.0)

    def dispatch(self, event: FileSystemEvent) -> None:
        """One event."""
        if event.event_type not in _CHANGES:
            return
        if self._proving:
            self._proving = False
            self._hear.probed()
        old = self._path(event.src_path)
        if event.event_type == "moved":
            self._moved(old, self._path(event.dest_path), event)
        elif old is not None and self._counts(old, event):
            self._touch(old)

    def _moved(self, old: bytes | None, new: bytes | None, event: FileSystemEvent) -> None:
        left = old is not None and (event.is_directory or self._document(old))
        came = new is not None and (event.is_directory or self._document(new))
        if left and came:
            self._hear.moved(old or b"", new or b"")
        elif left or came:
            self._touch((old if left else new) or b"")

    def _counts(self, path: bytes, event: FileSystemEvent) -> bool:
        if event.event_type == "deleted":
            return True  # Windows does not say of what is gone whether it was a folder
        if event.is_directory:
            return event.event_type == "created"  # a folder is said to be modified with every file in it
        return self._document(path)

    def _document(self, path: bytes) -> bool:
        return self._relevance.document(path, self._relevance.top)

    def _touch(self, path: bytes) -> None:
        folder, _, name = path.rpartition(b"/")
        self._hear.touched(folder if name == IGNORE_FILE else path)

    def _path(self, full: bytes | str) -> bytes | None:
        """Relative to the root; None for the root itself and for what no walk would enter or take."""
        path = os.path.relpath(os.fsdecode(full), self._root)
        if path == os.curdir or path.startswith(os.pardir + os.sep):
            return None
        parts = os.fsencode(path.replace(os.sep, "/")).split(b"/")
        if any(map(skipped_folder, parts)) or (junk(parts[-1]) and parts[-1] != IGNORE_FILE):
            return None
        return b"/".join(parts)
