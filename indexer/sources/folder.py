"""The walk over one source, and reading one file so that what is hashed is what is parsed.

The walk itself and the packed form of a folder are in :mod:`.walk`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat as stat_
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from ..core.errors import SourceUnavailable, Unreadable
from ..core.model import FileStat, Message, Skipped, raw, unraw
from ..core.tables import Source
from . import partial, walk
from .walk import COUNT, STAT, Walk

_RACY_NS = 2_000_000_000


def unsettled(stat: FileStat) -> FileStat:
    """Recorded for a file that must be looked into again: equals no real stat (inode 0).

    The size stays, so that a file moved meanwhile can still be paired with its new name.
    """
    return FileStat(stat.size, 0, 0, 0)


def pack(files: dict[bytes, FileStat]) -> bytes:
    """One folder's files as bytes; equal dicts give equal bytes."""
    names = sorted(files)
    return walk.pack(names, [STAT.pack(*files[n]) for n in names])


def unpack(blob: bytes) -> dict[bytes, FileStat]:
    """Inverse of :func:`pack`."""
    (count,) = COUNT.unpack_from(blob)
    end = COUNT.size + count * STAT.size
    names = blob[end:].split(b"\0") if count else []
    stats = map(FileStat._make, STAT.iter_unpack(blob[COUNT.size : end]))
    return dict(zip(names, stats, strict=True))


class Look:
    """What one walk saw. Folder paths are bytes relative to the root, "" for the root.

    ``empty``: there is no candidate in the whole source, also where only a part was looked at.
    """

    def __init__(self, source: Source, at_ns: int) -> None:
        self.source, self.at_ns = source, at_ns
        self.root_id: tuple[int, int] = (0, 0)
        self.empty = False
        self.folders: dict[bytes, bytes] = {}
        self.unreadable: dict[bytes, Message] = {}
        self.ignored: set[bytes] = set()
        self.skipped: list[Skipped] = []

    def has(self, path: bytes) -> bool:
        """Whether the walk saw this file as a candidate."""
        folder, _, name = path.rpartition(b"/")
        blob = self.folders.get(folder)
        return blob is not None and name in blob and name in unpack(blob)

    def excluded(self, path: bytes) -> bool:
        """Whether a rule excludes this path, or a folder above it, that is there."""
        if not self.ignored:
            return False
        parts = path.split(b"/")
        return any(b"/".join(parts[:i]) in self.ignored for i in range(1, len(parts) + 1))

    def unknown(self, folder: bytes) -> bool:
        """Whether the walk could not see into this folder."""
        return any(folder == u or folder.startswith(u + b"/") for u in self.unreadable) if self.unreadable else False


def racy(stat: FileStat, at_ns: int) -> bool:
    """A file so young (or dated in the future) that an edit could leave the stat as it is."""
    return max(stat.mtime_ns, stat.ctime_ns) > at_ns - _RACY_NS


def of(st: os.stat_result) -> FileStat:
    """The deciding part of a stat."""
    return FileStat(st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino)


def scan(
    source: Source,
    suffixes: Collection[str],
    now_ns: int,
    stop: Callable[[], None] = lambda: None,
    walked: tuple[tuple[int, int], Walk] | None = None,
    only: Collection[bytes] | None = None,
) -> Look:
    """Walk a source. Links and special files are never followed or opened.

    ``stop`` is called once per folder and may raise. ``walked``: the root's device and inode
    and a walk just made, used if it was made of this root in this way. ``only``: nothing but
    these paths, and what lies below them, need be looked at. Raises SourceUnavailable when the
    root itself cannot be listed; folders further down become ``unreadable``.
    """
    root = os.fsencode(source.path)
    look = Look(source, now_ns)
    try:
        st = os.stat(root)
        if not stat_.S_ISDIR(st.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        os.scandir(root).close()
    except OSError as e:
        raise SourceUnavailable(
            "Source {name}: the folder {path} is not available ({why}). Its documents stay as they are; "
            "mount or restore it and run the update again.",
            name=source.name,
            path=source.path,
            why=e.strerror,
        ) from e
    look.root_id = (st.st_dev, st.st_ino)
    walk = Walk(root, map(raw, suffixes), source.include, source.exclude, stop)
    if walked is not None and walked[0] == look.root_id and walked[1].like(walk):
        walk = walked[1]
    elif only is None:
        walk.go()
    else:
        partial.visit(walk, only)
    look.folders, look.ignored = walk.folders, walk.ignored
    look.empty = not walk.folders and (only is None or partial.shows_nothing(walk))
    look.unreadable = {
        p: Message("the folder cannot be read ({why})", {"why": why}) for p, why in walk.unreadable.items()
    }
    look.skipped = [Skipped(unraw(p), Message(rule)) for p, rule in walk.skipped]
    return look


def known_but(known: Mapping[bytes, bytes], look: Look, asked: Collection[bytes]) -> Mapping[bytes, bytes]:
    """What was seen at and below the asked paths; everywhere else what is known."""
    wanted = frozenset(asked)
    if b"" in wanted:
        return look.folders

    def inside(path: bytes) -> bool:
        while path and path not in wanted:
            path = path.rpartition(b"/")[0]
        return bool(path)

    merged = {f: blob for f, blob in known.items() if not inside(f)}
    names: dict[bytes, set[bytes]] = {}
    for path in wanted:
        where, _, name = path.rpartition(b"/")
        names.setdefault(where, set()).add(name)
    for where, here in names.items():
        if inside(where) or look.unknown(where):
            continue
        old, new = (unpack(x[where]) if where in x else {} for x in (merged, look.folders))
        files = {n: s for n, s in old.items() if n not in here} | {n: s for n, s in new.items() if n in here}
        merged[where] = pack(files)
        if not files:
            del merged[where]
    return merged | {f: b for f, b in look.folders.items() if inside(f)}


class Bytes(NamedTuple):
    """A file's bytes, their SHA-256, and the stat that held before and after reading."""

    data: bytes
    sha256: bytes
    stat: FileStat
    racy: bool


def read(source: Source, path: str, limit_mb: int, clock_ns: Callable[[], int], tries: int = 3) -> Bytes:
    """Read one file whole, proving that it did not change meanwhile.

    Raises Unreadable (``denied`` for lack of permission) and FileNotFoundError when it is
    gone. A file over ``limit_mb`` MiB is hashed in pieces and returned without its bytes.
    """
    full = os.path.join(os.fsencode(source.path), raw(path))
    for _ in range(tries):
        got = _read_once(full, limit_mb, clock_ns)
        if got is not None:
            return got
    raise Unreadable("the file kept changing while it was read; it is looked at again in the next run")


def _read_once(full: bytes, limit_mb: int, clock_ns: Callable[[], int]) -> Bytes | None:
    at = clock_ns()
    try:
        fd = _open(full)
    except PermissionError as e:
        raise Unreadable(
            "the file cannot be opened ({why}); give the indexer read permission", denied=True, why=e.strerror
        ) from e
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(full) from None
    except OSError as e:
        raise Unreadable(
            "the file cannot be opened ({why}); it is looked at again in the next run", why=e.strerror
        ) from e
    try:
        before = os.fstat(fd)
        if not stat_.S_ISREG(before.st_mode):
            raise Unreadable("it is no regular file any more; put the file back, or exclude it")
        data, digest = _take(fd, before.st_size, limit_mb * 2**20)
        after = os.fstat(fd)
    except OSError as e:
        raise Unreadable(
            "the file cannot be read ({why}); check the disk or the share, it is looked at again in the next run",
            why=e.strerror,
        ) from e
    finally:
        os.close(fd)
    if of(before) != of(after) or (data and len(data) != after.st_size):
        return None
    return Bytes(data, digest, of(after), racy(of(after), at))


_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NOATIME = getattr(os, "O_NOATIME", 0)


def _open(full: bytes) -> int:
    """Open without leaving a trace: an access time would be written back for every file read."""
    try:
        return os.open(full, _FLAGS | _NOATIME)
    except PermissionError:
        return os.open(full, _FLAGS)  # only the owner may leave the access time alone


def _take(fd: int, size: int, limit: int) -> tuple[bytes, bytes]:
    if size <= limit:
        data = os.read(fd, size + 1)
        if len(data) != size:  # a short read, or it grows: the caller compares with the size afterwards
            data = b"".join((data, *_pieces(fd, size)))
        return data, hashlib.sha256(data).digest()
    digest = hashlib.sha256()
    for piece in _pieces(fd, 2**20):
        digest.update(piece)
    return b"", digest.digest()


def _pieces(fd: int, size: int) -> Iterator[bytes]:
    while piece := os.read(fd, min(max(size, 4096) + 1, 2**24)):
        yield piece


__all__ = ["Bytes", "Look", "known_but", "of", "pack", "racy", "read", "scan", "unpack", "unsettled"]
