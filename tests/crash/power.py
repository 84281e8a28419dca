"""A file system whose power can be cut: ext4 on a loop device, shut down by its own ioctl.

After the cut nothing in memory reaches the image any more, and the journal is not flushed:
what a new mount finds is what had been made durable, no more. Every worker mounts in a
mount namespace of its own, so nothing stays mounted however it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from indexer.store import db

from .workers import forked

_SHUTDOWN, _NO_LOG_FLUSH = 0x8004587D, 2
_CLONE_NEWNS = 0x20000
_MB = 32


class Disk:
    """One image and where it is mounted."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.image, self.point = folder / "image", folder / "mounted"
        self.point.mkdir(exist_ok=True)

    def format(self) -> None:
        """An empty file system."""
        with open(self.image, "wb") as f:
            f.truncate(_MB << 20)
        _do("mkfs.ext4", "-q", "-F", str(self.image))

    @contextlib.contextmanager
    def mounted(self) -> Iterator[Path]:
        """Mounted for as long as the block lasts."""
        # the journal is not written by a timer: on a slow machine that would save what is to be lost
        _do("mount", "-o", "loop,commit=600", str(self.image), str(self.point))
        try:
            yield self.point
        finally:
            _do("umount", str(self.point))

    def cut(self) -> None:
        """The power is gone: from here on every access fails, until it is mounted again."""
        cut(self.point)


def cut(point: Path) -> None:
    """Shut the file system at ``point`` down without writing anything back."""
    fd = os.open(point, os.O_RDONLY)
    fcntl.ioctl(fd, _SHUTDOWN, struct.pack("I", _NO_LOG_FLUSH))
    os.close(fd)


def own_mounts(worker: int) -> None:
    """Give this worker a mount namespace of its own, once."""
    if not _own:
        if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNS):
            raise OSError(ctypes.get_errno(), "unshare")
        _do("mount", "--make-rprivate", "/")
        _own.append(worker)


_own: list[int] = []


def _do(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")


def unavailable(worker: int, where: str) -> str:
    """Why there can be no power cut here, empty when there can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "a power cut needs root on Linux"
    try:
        own_mounts(worker)
        with tempfile.TemporaryDirectory(dir=where) as folder:
            disk = Disk(Path(folder))
            disk.format()
            with disk.mounted() as point:
                (point / "file").write_text("lost")
                disk.cut()
            with disk.mounted() as point:
                kept = (point / "file").exists()
        return "the power cut loses nothing here" if kept else ""
    except OSError as e:
        return f"a power cut needs loop devices, ext4 and the right to mount: {e}"


def apart(work: Callable[[], None]) -> None:
    """Do it in a forked child, so that no file of the mount stays open here; its failure is ours."""

    def told(say: Callable[[object], None]) -> None:
        try:
            work()
        except BaseException:
            say(traceback.format_exc())

    ended = forked(told)
    if ended.said or ended.code:
        raise AssertionError("".join(ended.said) or f"ended with {ended.code}")


# ---- a disk that is full ------------------------------------------------------------------


class SmallDisk:
    """A mounted file system with little room."""

    def __init__(self, point: Path, ballast: Path) -> None:
        self.point, self.ballast = point, ballast

    def fill(self, spare_kb: int) -> None:
        """Leave so much room."""
        free = shutil.disk_usage(self.point).free - (spare_kb << 10)
        with open(self.ballast, "wb") as f:
            os.posix_fallocate(f.fileno(), 0, max(free, 1))

    def empty(self) -> None:
        """Make room again."""
        self.ballast.unlink()


@contextlib.contextmanager
def small_disk(folder: Path, kind: str) -> Iterator[SmallDisk]:
    """A file system in memory (``tmpfs``) or on a loop device (``ext4``)."""
    disk = Disk(folder)
    if kind == "ext4":
        disk.format()
        with disk.mounted() as point:
            yield SmallDisk(point, point / "ballast")
        return
    _do("mount", "-t", "tmpfs", "-o", f"size={_MB}m", "tmpfs", str(disk.point))
    try:
        yield SmallDisk(disk.point, disk.point / "ballast")
    finally:
        _do("umount", str(disk.point))


# ---- negative controls -------------------------------------------------------------------


class _Hasty(sqlite3.Connection):
    """A connection that never waits for the disk."""

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        if sql.startswith("PRAGMA synchronous"):
            sql = "PRAGMA synchronous = OFF"
        return super().execute(sql, *args)


def sabotage(kind: str) -> None:
    """Take durability out of this process: ``files`` are not synced any more, or ``all`` is not."""
    os.fsync = lambda fd: None
    if kind == "all":
        db.sqlite3.connect = partial(sqlite3.connect, factory=_Hasty)  # type: ignore[attr-defined]
