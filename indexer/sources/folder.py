"""The walk over one source, and reading one file so that what is hashed is what is parsed.

A folder's files are packed into one blob (sorted names, size, mtime, ctime, inode). The
catalog keeps the blob, so an unchanged folder is one bytes comparison: measured at 100,000
files this is what keeps a no-change look within 2 x of ``find``.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat as stat_
from collections.abc import Callable, Collection, Iterator
from struct import Struct
from typing import NamedTuple

from ..core.errors import SourceUnavailable, Unreadable
from ..core.model import FileStat, Message, Skipped, Source, raw, unraw
from .rules import IGNORE_FILE, Patterns, ignored_by, included, junk, skipped_folder, suffix

_STAT = Struct("<QqqQ")
_COUNT = Struct("<I")
_RACY_NS = 2_000_000_000


def unsettled(stat: FileStat) -> FileStat:
    """Recorded for a file that must be looked into again: equals no real stat (inode 0).

    The size stays, so that a file moved meanwhile can still be paired with its new name.
    """
    return FileStat(stat.size, 0, 0, 0)


def pack(files: dict[bytes, FileStat]) -> bytes:
    """One folder's files as bytes; equal dicts give equal bytes."""
    names = sorted(files)
    stats = b"".join([_STAT.pack(*files[n]) for n in names])
    return _COUNT.pack(len(names)) + stats + b"\0".join(names)


def unpack(blob: bytes) -> dict[bytes, FileStat]:
    """Inverse of :func:`pack`."""
    (count,) = _COUNT.unpack_from(blob)
    end = _COUNT.size + count * _STAT.size
    names = blob[end:].split(b"\0") if count else []
    stats = map(FileStat._make, _STAT.iter_unpack(blob[_COUNT.size : end]))
    return dict(zip(names, stats, strict=True))


class Look:
    """What one walk saw. Folder paths are bytes relative to the root, "" for the root."""

    def __init__(self, source: Source, at_ns: int) -> None:
        self.source, self.at_ns = source, at_ns
        self.root_id: tuple[int, int] = (0, 0)
        self.folders: dict[bytes, bytes] = {}
        self.unreadable: dict[bytes, Message] = {}
        self.ignored: set[bytes] = set()
        self.skipped: list[Skipped] = []

    def has(self, path: bytes) -> bool:
        """Whether the walk saw this file as a candidate."""
        folder, _, name = path.rpartition(b"/")
        blob = self.folders.get(folder)
        return blob is not None and name in blob and name in unpack(blob)

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
) -> Look:
    """Walk a source. Links and special files are never followed or opened.

    ``stop`` is called once per folder and may raise. Raises SourceUnavailable when the root
    itself cannot be listed; folders further down become ``unreadable``.
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
    rules = Patterns("", source.exclude) if source.exclude else None
    _Walk(look, frozenset(suffixes), stop).folder(root, b"", rules)
    return look


class _Walk:
    def __init__(self, look: Look, suffixes: frozenset[str], stop: Callable[[], None]) -> None:
        self.look, self.stop = look, stop
        self.endings = frozenset(raw(s) for s in suffixes)
        self.include = look.source.include

    def folder(self, root: bytes, path: bytes, rules: Patterns | None) -> None:
        pending = [(path, rules)]
        while pending:
            self.stop()
            path, rules = pending.pop()
            pending += self._one(root, path, rules)

    def _one(self, root: bytes, path: bytes, rules: Patterns | None) -> list[tuple[bytes, Patterns | None]]:
        """List one folder; returns the folders below it."""
        files: dict[bytes, FileStat] = {}
        below: list[tuple[bytes, Patterns | None]] = []
        prefix = path + b"/" if path else b""
        full = os.path.join(root, path) if path else root
        try:
            with os.scandir(full) as it:
                entries = list(it)
            rules = self._own_rules(full, prefix, entries, rules)
            for entry in entries:
                name = entry.name
                if entry.is_symlink():
                    self._skip(prefix + name, "a link is not followed")
                elif entry.is_dir(follow_symlinks=False):
                    if not skipped_folder(name) and not ignored_by(rules, unraw(prefix + name) + "/"):
                        below.append((prefix + name, rules))
                elif self._candidate(entry, prefix, rules):
                    self._file(entry, files)
        except OSError as e:
            if path and e.errno in (errno.ENOENT, errno.ENOTDIR):
                return []  # removed while we walked: the next look sees it gone
            self.look.unreadable[path] = Message("the folder cannot be read ({why})", {"why": e.strerror})
            return []
        if files:
            self.look.folders[path] = pack(files)
        return below

    def _file(self, entry: os.DirEntry[bytes], files: dict[bytes, FileStat]) -> None:
        try:
            files[entry.name] = of(entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return

    def _own_rules(
        self, full: bytes, prefix: bytes, entries: list[os.DirEntry[bytes]], rules: Patterns | None
    ) -> Patterns | None:
        for entry in entries:
            if entry.name == IGNORE_FILE and entry.is_file(follow_symlinks=False):
                with open(os.path.join(full, IGNORE_FILE), encoding="utf-8-sig", errors="surrogateescape") as f:
                    lines = [line for line in f.read().splitlines() if line.strip() and not line.startswith("#")]
                return Patterns(unraw(prefix), lines, rules) if lines else rules
        return rules

    def _candidate(self, entry: os.DirEntry[bytes], prefix: bytes, rules: Patterns | None) -> bool:
        name = entry.name
        dot = name.rfind(b".")
        if dot <= 0 or (name[dot:] not in self.endings and name[dot:].lower() not in self.endings) or junk(name):
            return False
        if not entry.is_file(follow_symlinks=False):
            self._skip(prefix + name, "a pipe, socket or device is not read")
            return False
        if rules is not None or self.include:
            path = unraw(prefix + name)
            if ignored_by(rules, path) or not included(self.include, path):
                self.look.ignored.add(prefix + name)
                return False
        return True

    def _skip(self, path: bytes, rule: str) -> None:
        self.look.skipped.append(Skipped(unraw(path), Message(rule)))


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
        fd = os.open(full, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except PermissionError as e:
        raise Unreadable("the file cannot be opened ({why}); give the indexer read permission", denied=True, why=e.strerror) from e
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(full) from None
    except OSError as e:
        raise Unreadable("the file cannot be opened ({why})", why=e.strerror) from e
    try:
        before = os.fstat(fd)
        if not stat_.S_ISREG(before.st_mode):
            raise Unreadable("it is no regular file any more")
        data, digest = _take(fd, before.st_size, limit_mb * 2**20)
        after = os.fstat(fd)
    except OSError as e:
        raise Unreadable("the file cannot be read ({why})", why=e.strerror) from e
    finally:
        os.close(fd)
    if of(before) != of(after) or (data and len(data) != after.st_size):
        return None
    return Bytes(data, digest, of(after), racy(of(after), at))


def _take(fd: int, size: int, limit: int) -> tuple[bytes, bytes]:
    if size <= limit:
        parts = list(_pieces(fd, size))
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        return data, hashlib.sha256(data).digest()
    digest = hashlib.sha256()
    for piece in _pieces(fd, 2**20):
        digest.update(piece)
    return b"", digest.digest()


def _pieces(fd: int, size: int) -> Iterator[bytes]:
    while piece := os.read(fd, min(max(size, 4096) + 1, 2**24)):
        yield piece


__all__ = ["Bytes", "Look", "of", "pack", "racy", "read", "scan", "suffix", "unpack", "unsettled"]
