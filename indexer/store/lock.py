"""``writer.lock``: one writer at a time, whoever and wherever it is."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..core.errors import Busy
from ..core.model import Message
from . import disk


def refuse(busy: Busy) -> None:
    """Do not wait."""
    raise busy


@contextlib.contextmanager
def writer_lock(path: Path, what: str = "", busy: Callable[[Busy], None] = refuse) -> Iterator[None]:
    """Hold ``writer.lock`` for a run; the file is never removed, so nobody can lock a ghost.

    While another process has it ``busy`` is called with an error that names it: it raises that, or
    waits a while and returns to try again. The kernel releases the lock however the process ends.
    ``what`` this process is at work on is written into the file, for those who wait.
    """
    disk.make_folder(path.parent)
    with disk.failures_named(path.parent):
        disk.step("lock", path)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        with disk.failures_named(path.parent):
            while not _lock(fd):
                busy(_busy(fd, path))
        with contextlib.suppress(OSError):  # only words: on a full disk the run itself says so
            _sign(fd, what)
        yield
    finally:
        os.close(fd)


def _lock(fd: int) -> bool:
    try:
        try:
            import fcntl
        except ImportError:  # Windows
            import msvcrt

            os.lseek(fd, 0, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            return True
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as e:
        if e.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            raise
        return False
    return True


def _sign(fd: int, what: str) -> None:
    """The first byte is the one that Windows locks: nobody else can read it."""
    data = b" " + json.dumps({"pid": os.getpid(), "what": what, "since": int(time.time())}).encode()
    os.lseek(fd, 0, os.SEEK_SET)
    os.write(fd, data)
    os.ftruncate(fd, len(data))


def _busy(fd: int, path: Path) -> Busy:
    who: str | Message = str(path)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        os.lseek(fd, 1, os.SEEK_SET)
        holder = json.loads(os.read(fd, 4096))
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(holder["since"]))
        who = Message(
            "process {pid}, {what}, since {since}",
            {"pid": holder["pid"], "what": Message(holder["what"]) if holder["what"] else "?", "since": since},
        )
    return Busy(
        "Another update of this knowledge base is running ({who}). Wait for it to end, or stop it.", who=who
    )  # fmt: skip
