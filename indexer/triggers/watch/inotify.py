"""Every folder of one source under inotify, over watchdog's ``InotifyFD``.

watchdog's own recursive tree keeps silent when the watch limit is reached (a folder that cannot be
watched is skipped), tells nobody that the kernel's queue overflowed, and holds back one half of
every move for half a second. All that is needed here is which paths are dirty.
"""

from __future__ import annotations

import errno
import logging
import os
from threading import RLock

from watchdog.observers.inotify_c import InotifyEvent, InotifyFD, WatchDescriptor

from ...sources.patterns import IGNORE_FILE
from .hear import Hear
from .relevance import Relevance
from .watches import CAME, WANTED, C, Node, Watches, join

_NOT_WRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
_MOVES = 64
"""First halves of moves that wait for the second; a folder moved out of the source never gets one."""

logging.getLogger("watchdog.observers.inotify_c").setLevel(logging.ERROR)  # an overflow is told by us


class Tree:
    """A watcher (see :class:`.hear.Watcher`); also watchdog's callback for every watch it sets.

    Making one raises OSError when the system gives no more inotify instances.
    """

    def __init__(self, root: bytes, relevance: Relevance, hear: Hear) -> None:
        self._root, self._relevance, self._hear = root, relevance, hear
        self._lock = RLock()
        self._moves: dict[int, bytes] = {}
        self._stale = self._lost = self._proving = self._busy = self._closed = False
        self._fd = InotifyFD()
        self._watches = Watches(self._fd, self, root, relevance)
        self._fd.start()

    # ---- for the watch --------------------------------------------------------------------

    @property
    def folders(self) -> int:
        """How many folders are watched."""
        return len(self._watches.nodes)

    def arm(self) -> None:
        """Watch every folder there is; raises OSError: a limit, or the root is not there."""
        with self._lock:
            self._stale = self._lost = False
            self._watches.arm()

    def settle(self) -> None:
        """Arm again where events were lost or rules changed."""
        if self._stale:
            self.arm()

    def alive(self) -> bool:
        """Whether the thread that reads events runs."""
        return self._fd.is_alive()

    @property
    def busy(self) -> bool:
        """Whether it works on an event: a folder that was moved in may hold many more."""
        return self._busy

    def probe(self, name: bytes) -> None:
        """Make a file for an instant; where that is not allowed, open the root."""
        self._proving = True
        full = os.path.join(self._root, name)
        try:
            os.close(os.open(full, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            os.unlink(full)
        except OSError as e:
            if e.errno not in _NOT_WRITABLE:
                raise
            with self._lock:
                self._watches.listen_to_opening(also=True)
            os.scandir(self._root).close()

    def close(self) -> None:
        """Give back every watch."""
        self._closed = True
        self._fd.stop()
        self._fd.join(0.5)

    # ---- watchdog's WatchCallback ------------------------------------------------------------

    def on_event(self, event: InotifyEvent) -> None:
        """One event of one folder; any event proves that events come."""
        self._busy = True
        if self._proving:
            self._proving = False
            self._hear.probed()
        try:
            with self._lock:
                node = self._watches.nodes.get(event.wd)
                if node is not None:
                    self._event(node, event.name, event.mask, event.cookie)
        except OSError as e:
            self._hear.failed(e)
        finally:
            self._busy = False

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """The folder is gone, and its watch with it."""
        with self._lock:
            node = self._watches.nodes.get(wd)
            if node is not None:
                self._watches.drop(node)
                if node is self._watches.top and not self._closed:
                    self._hear.uprooted()

    def on_queue_overflow(self) -> None:
        """Which events were lost is not known: all folders are armed again before the next look."""
        self._hear.probed()
        if self._lost:
            self._hear.touched(b"")
        else:
            self._stale = self._lost = True
            self._hear.lost()

    def _event(self, node: Node, name: bytes, mask: int, cookie: int) -> None:
        if mask & C.IN_OPEN:
            self._watches.listen_to_opening(also=False)
        elif not name and mask & C.IN_MOVE_SELF and node is self._watches.top:
            self._hear.uprooted()
        elif name and mask & C.IN_ISDIR:
            self._folder(node, name, mask, cookie)
        elif name and mask & WANTED:
            self._file(node, name, mask, cookie)

    def _file(self, node: Node, name: bytes, mask: int, cookie: int) -> None:
        folder = node.path()
        path = join(folder, name)
        if name == IGNORE_FILE:
            self._stale = True
            self._hear.touched(folder)
        elif self._relevance.document(path, node.rules):
            self._tell(path, mask, cookie)

    def _folder(self, node: Node, name: bytes, mask: int, cookie: int) -> None:
        path = join(node.path(), name)
        if not self._relevance.folder(path, node.rules):
            return
        before = node.below.get(name)
        if mask & C.IN_MOVED_FROM and before is not None:
            self._watches.drop(before)
        elif mask & CAME:
            if (child := self._watches.put(node, name)) is not None:
                self._watches.descend(child)
        elif mask & C.IN_ATTRIB:
            self._open_or_close(node, name)
        self._tell(path, mask, cookie)

    def _open_or_close(self, parent: Node, name: bytes) -> None:
        """New rights may show or hide what is in a folder. Whether they did cannot be told from what they are now:

        it may have been closed and opened since, and a look in between could read nothing.
        """
        before = parent.below.get(name)
        child = self._watches.put(parent, name)
        if child is not None and child is not before:
            self._watches.descend(child)

    def _tell(self, path: bytes, mask: int, cookie: int) -> None:
        old = self._moves.pop(cookie, None) if mask & C.IN_MOVED_TO else None
        if old is not None:
            self._hear.moved(old, path)
            return
        if not mask & C.IN_MOVED_FROM:
            self._hear.touched(path)
            return
        self._moves[cookie] = path
        if len(self._moves) > _MOVES:
            del self._moves[next(iter(self._moves))]
        self._hear.left(path)
