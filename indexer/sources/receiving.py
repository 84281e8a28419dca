"""Files put into a source, and taken out of it, by us: the only place that changes a user's folder.

A path is followed part by part from the opened root, and no part may be a link: whatever somebody makes of the
folder meanwhile, nothing outside of it is touched. A file comes into being under a name that every look ignores
and gets its own when it is complete; it never takes the place of another unless that is asked for.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat as stat_
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..core.errors import IndexerError, SourceUnavailable, UsageError
from ..core.model import Message, display, raw, unraw
from ..core.tables import Source

_DIR = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)  # fmt: skip
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)  # fmt: skip
_BY_HANDLE = os.open in os.supports_dir_fd


class Taken(IndexerError):
    """A file of this name is there already."""


class Folder(NamedTuple):
    """An open folder of a source; where the system cannot work relative to one (Windows), its path."""

    fd: int
    path: bytes

    def name(self, name: bytes) -> bytes:
        """What to say to the system for a name in it."""
        return name if _BY_HANDLE else os.path.join(self.path, name)

    @property
    def at(self) -> int | None:
        """The folder the name is relative to."""
        return self.fd if _BY_HANDLE else None


@contextlib.contextmanager
def opened(source: Source, folder: str, *, make: bool = False) -> Iterator[Folder]:
    """A folder of a source ("" the root), made where it is not there if ``make``.

    Raises SourceUnavailable when the source is not there, UsageError when a part is a link or no folder,
    FileNotFoundError when it is absent.
    """
    try:
        at = Folder(_open_root(source), os.fsencode(source.path))
    except OSError as e:
        raise SourceUnavailable(
            "Source {name}: the folder {path} cannot be opened ({why}).",
            name=source.name, path=source.path, why=e.strerror,
        ) from e  # fmt: skip
    try:
        for part in [p for p in raw(folder).split(b"/") if p]:
            below = _enter(at, part, make)
            _close(at)
            at = below
        yield at
    finally:
        _close(at)


def _open_root(source: Source) -> int:
    """The root itself may be a link: it is configured."""
    if not _BY_HANDLE:
        os.stat(source.path)
        return -1
    return os.open(os.fsencode(source.path), _DIR & ~getattr(os, "O_NOFOLLOW", 0))


def _close(at: Folder) -> None:
    if at.fd >= 0:
        os.close(at.fd)


def _enter(at: Folder, part: bytes, make: bool) -> Folder:
    if part in (b".", b".."):
        raise UsageError("{path} is no folder of a source.", path=unraw(part))
    path = os.path.join(at.path, part)
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(at.name(part), dir_fd=at.at)
    if not _BY_HANDLE:
        if not stat_.S_ISDIR(os.lstat(path).st_mode):
            raise UsageError("{path} is a link or no folder: nothing is done there.", path=unraw(path))
        return Folder(-1, path)
    try:
        return Folder(os.open(part, _DIR, dir_fd=at.fd), path)
    except OSError as e:
        if e.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise UsageError("{path} is a link or no folder: nothing is done there.", path=unraw(part)) from e
        raise


class Incoming:
    """A file on its way into a folder; ``write`` what comes, then ``place`` it, or it is as if it never was."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.temporary = b".upload-" + secrets.token_hex(8).encode() + b".part"
        self._fd = os.open(folder.name(self.temporary), _NEW, 0o666, dir_fd=folder.at)
        self._there = True

    def write(self, data: bytes) -> None:
        """The next bytes; raises OSError when there is no room."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]

    def finish(self) -> bytes:
        """Make it durable; returns its bytes, for a look at what they are."""
        os.fsync(self._fd)
        os.close(self._fd)
        self._fd = -1
        fd = os.open(self.folder.name(self.temporary), _READ, dir_fd=self.folder.at)
        with open(fd, "rb") as file:
            return file.read()

    def place(self, name: bytes, *, replace: bool) -> bytes:
        """Give it its name; raises Taken when that is another file's and ``replace`` is not said.

        Returns the name it got: that of the file it replaced, where the two differ in the form of accents only.
        """
        there = _twin(self.folder, name)
        if replace and there is not None:
            if not stat_.S_ISREG(
                os.stat(self.folder.name(there), dir_fd=self.folder.at, follow_symlinks=False).st_mode
            ):
                raise Taken(Message("{name} is there already, and no file.", {"name": display(unraw(name))}))
            self._rename(there)
            name = there
        elif there is not None or not self._link(name):
            raise Taken(Message("{name} is there already.", {"name": display(unraw(name))}))
        self._there = False
        if _BY_HANDLE:
            os.fsync(self.folder.fd)
        return name

    def _rename(self, name: bytes) -> None:
        f = self.folder
        os.replace(f.name(self.temporary), f.name(name), src_dir_fd=f.at, dst_dir_fd=f.at)

    def _link(self, name: bytes) -> bool:
        """A second name for it and the first one gone: nobody's file is ever replaced, however close the race."""
        f = self.folder
        try:
            os.link(f.name(self.temporary), f.name(name), src_dir_fd=f.at, dst_dir_fd=f.at, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as e:
            if e.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES):
                raise
            return self._reserve(name)
        os.unlink(f.name(self.temporary), dir_fd=f.at)
        return True

    def _reserve(self, name: bytes) -> bool:
        """Where there are no hard links: an empty file of ours holds the name until ours takes its place."""
        try:
            os.close(os.open(self.folder.name(name), _NEW, 0o666, dir_fd=self.folder.at))
        except FileExistsError:
            return False
        self._rename(name)
        return True

    def close(self) -> None:
        """Leave nothing behind of what was not placed."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if self._there:
            with contextlib.suppress(OSError):
                os.unlink(self.folder.name(self.temporary), dir_fd=self.folder.at)


def _twin(folder: Folder, name: bytes) -> bytes | None:
    """The name of the file that is there: the same, or one that differs in the form of accents only."""
    with contextlib.suppress(FileNotFoundError):
        os.stat(folder.name(name), dir_fd=folder.at, follow_symlinks=False)
        return name
    if name.isascii():
        return None
    wanted = unicodedata.normalize("NFC", unraw(name))
    names = os.listdir(folder.fd) if _BY_HANDLE else os.listdir(os.fsdecode(folder.path))
    return next((raw(n) for n in names if unicodedata.normalize("NFC", n) == wanted), None)


def remove(source: Source, path: str) -> None:
    """Take a file out of a source; raises FileNotFoundError, and UsageError for what is no regular file."""
    where, _, name = path.rpartition("/")
    with opened(source, where) as folder:
        found = os.stat(folder.name(raw(name)), dir_fd=folder.at, follow_symlinks=False)
        if not stat_.S_ISREG(found.st_mode):
            raise UsageError("{path} is no regular file: it is left alone.", path=path)
        os.unlink(folder.name(raw(name)), dir_fd=folder.at)
        if _BY_HANDLE:
            os.fsync(folder.fd)


def reading(source: Source, path: str) -> int:
    """A descriptor of a file of a source; raises FileNotFoundError, and UsageError for what is no regular file."""
    where, _, name = path.rpartition("/")
    with opened(source, where) as folder:
        try:
            fd = os.open(folder.name(raw(name)), _READ, dir_fd=folder.at)
        except OSError as e:
            if e.errno in (errno.ELOOP, errno.EMLINK):
                raise UsageError("{path} is no regular file: it is left alone.", path=path) from e
            raise
    if not stat_.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise UsageError("{path} is no regular file: it is left alone.", path=path)
    return fd


def writable(source: Source) -> bool:
    """Whether this process may put files into the source."""
    return os.access(source.path, os.W_OK | os.X_OK)
