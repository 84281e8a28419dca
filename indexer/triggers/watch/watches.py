"""The inotify watches of one source, as the tree of its folders."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from itertools import count

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyFD,
    Mask,
    WatchCallback,
    WatchDescriptor,
)

from ...sources.patterns import Patterns
from .relevance import Relevance

C = InotifyConstants
GONE = Mask(C.IN_MOVED_FROM | C.IN_DELETE)
CAME = Mask(C.IN_MOVED_TO | C.IN_CREATE)
WANTED = Mask(C.IN_MODIFY | C.IN_CLOSE_WRITE | C.IN_ATTRIB | GONE | CAME)
"""Opening and reading is not among them: what we read ourselves cannot come back as an event."""

_ROOT = Mask(WANTED | C.IN_DELETE_SELF | C.IN_MOVE_SELF | C.IN_ONLYDIR | C.IN_EXCL_UNLINK)
_BELOW = Mask(_ROOT | C.IN_DONT_FOLLOW)  # only the source itself may be configured by a link
_REFUSED = (errno.ENOSPC, errno.EMFILE, errno.ENOMEM)


class Node:
    """One watched folder."""

    __slots__ = ("below", "id", "name", "parent", "rules", "wd")

    def __init__(self, wd: WatchDescriptor, id_: CallbackId) -> None:
        self.wd, self.id, self.name = wd, id_, b""
        self.parent: Node | None = None
        self.below: dict[bytes, Node] = {}
        self.rules: Patterns | None = None

    def path(self) -> bytes:
        """Relative to the root, by the names that hold now: a folder keeps its watch when it is renamed."""
        return b"/".join(reversed([n.name for n in self.up() if n.parent is not None]))

    def up(self) -> Iterator[Node]:
        """This folder and those it lies in."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def away(self) -> None:
        """Not in its parent any more."""
        if self.parent is not None and self.parent.below.get(self.name) is self:
            del self.parent.below[self.name]


class Watches:
    """Sets and gives back watches; whoever holds it has a lock. ``put`` and ``descend`` raise OSError at a limit."""

    def __init__(self, fd: InotifyFD, callback: WatchCallback, root: bytes, relevance: Relevance) -> None:
        self._fd, self._callback, self._root, self._relevance = fd, callback, root, relevance
        self._ids = count(1)
        self.nodes: dict[WatchDescriptor, Node] = {}
        self.top: Node | None = None

    def arm(self) -> None:
        """Watch every folder there is, let go of those that are not; raises OSError where there is no root to list."""
        self.top = self.put(None, b"")
        if self.top is None:
            code = errno.EACCES if os.path.isdir(self._root) else errno.ENOENT
            raise OSError(code, os.strerror(code), self._root)
        self.descend(self.top)

    def listen_to_opening(self, *, also: bool) -> None:
        """Whether the root tells of being opened, too."""
        if self.top is not None:
            self._add(self._root, Mask(_ROOT | C.IN_OPEN) if also else _ROOT)

    def put(self, parent: Node | None, name: bytes) -> Node | None:
        """The node of a folder in its place; None where there is none, or none we may list."""
        path = join(parent.path(), name) if parent else b""
        full = os.path.join(self._root, path) if path else self._root
        added = self._add(full, _BELOW if parent else _ROOT)
        if added is None:
            if parent is not None and name in parent.below:
                self.drop(parent.below[name])
            return None
        node = self.nodes.get(added[0])
        if node is None:
            node = self.nodes[added[0]] = Node(*added)
        elif parent is not None and node in parent.up():
            return None  # the same folder again, mounted within itself
        self._place(node, parent, name)
        node.rules = self._relevance.rules(self._root, path, parent.rules if parent else self._relevance.top)
        return node

    def descend(self, top: Node) -> None:
        """Watch the folders below: first the watch, then the listing, so that none falls in between."""
        pending = [top]
        while pending:
            node = pending.pop()
            names = self._folders(node)
            for name in node.below.keys() - names:
                self.drop(node.below[name])
            pending += [child for name in names if (child := self.put(node, name)) is not None]

    def drop(self, node: Node) -> None:
        """Let go of a folder and all below it."""
        node.away()
        pending = [node]
        while pending:
            one = pending.pop()
            pending += one.below.values()
            if self.nodes.pop(one.wd, None) is not None:
                self._fd.remove_callbacks([(one.wd, one.id)])

    def _place(self, node: Node, parent: Node | None, name: bytes) -> None:
        node.away()
        node.parent, node.name = parent, name
        if parent is not None:
            before = parent.below.get(name)
            if before is not None:
                self.drop(before)
            parent.below[name] = node

    def _add(self, full: bytes, mask: Mask) -> tuple[WatchDescriptor, CallbackId] | None:
        """Set one watch, or set it anew."""
        id_ = CallbackId(next(self._ids))
        try:
            wd = self._fd.add_callback(full, mask, self._callback, id_)
        except OSError as e:
            if e.errno in _REFUSED:
                raise
            return None
        if wd == -1:  # no permission: watchdog raises nothing
            self._fd.remove_callbacks([(wd, id_)])
            return None
        known = self.nodes.get(wd)
        if known is not None:
            self._fd.remove_callbacks([(wd, known.id)])
            known.id = id_
        return wd, id_

    def _folders(self, node: Node) -> set[bytes]:
        path = node.path()
        try:
            with os.scandir(os.path.join(self._root, path) if path else self._root) as entries:
                names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
        except OSError:
            return set()
        return {name for name in names if self._relevance.folder(join(path, name), node.rules)}


def join(folder: bytes, name: bytes) -> bytes:
    """A path below the root."""
    return folder + b"/" + name if folder else name
