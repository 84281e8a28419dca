"""Where lines go: a file that is kept small, and stderr. Neither can stop whoever writes.

These lines are no state: nothing is read back, so they do not go through :mod:`indexer.store.disk`
and are not waited for. Each is one append of the operating system, so a crash leaves whole lines.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat as stat_
import time
from collections.abc import Callable
from itertools import pairwise
from typing import TextIO

from ..core.model import Message

AGAIN = 60.0
"""Seconds after which a file that could not be written is tried again."""


class Stderr(logging.Handler):
    """Lines on a stream; one that was closed at its other end is no reason to stop."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        """Write and flush, or do nothing."""
        with contextlib.suppress(OSError, ValueError):
            text = self.format(record) + "\n"
            encoding = getattr(self.stream, "encoding", None) or "utf-8"
            self.stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self.stream.flush()


class RotatingFile(logging.Handler):
    """Appends to ``path``; past ``max_bytes`` it becomes ``path.1``, that ``path.2``, up to ``backups``.

    When it cannot be written ``complain`` is told once, and it is tried again every minute; a
    sentence in the file says how many lines are missing. A file that was moved away or removed by
    somebody else is begun anew.
    """

    def __init__(
        self, path: str, max_bytes: int, backups: int, complain: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        super().__init__()
        self.path, self.max_bytes, self.backups = path, max_bytes, backups
        self.complain, self.clock = complain, clock
        self.fd, self.size, self.inode, self.regular = -1, 0, 0, True
        self.missing, self.again = 0, 0.0

    @property
    def broken(self) -> bool:
        """Whether lines are missing from the file at the moment."""
        return self.missing > 0

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record's line; called with the handler's lock held."""
        if self.missing and self.clock() < self.again:
            self.missing += 1
            return
        try:
            if self.missing:
                self._append(self._gap(record))
                self.missing = 0
            self._append(self._bytes(record))
        except OSError as e:
            self._give_up(e)

    def _bytes(self, record: logging.LogRecord) -> bytes:
        return (self.format(record) + "\n").encode("utf-8", "backslashreplace")

    def _gap(self, record: logging.LogRecord) -> bytes:
        from .log import record_of

        said = Message("{count} lines are missing here: this file could not be written.", {"count": self.missing})
        return self._bytes(record_of("log_gap", "warning", said, {"count": self.missing}, created=record.created))

    def _give_up(self, e: OSError) -> None:
        first, self.missing, self.again = not self.missing, self.missing + 1, self.clock() + AGAIN
        self._close()
        if first:
            self.complain(e.strerror or str(e))

    def _append(self, data: bytes) -> None:
        self._ready()
        if self.regular and self.size and self.size + len(data) > self.max_bytes:
            self._rotate()
            self._ready()
        while data:  # a disk that is almost full takes a part
            taken = os.write(self.fd, data)
            self.size, data = self.size + taken, data[taken:]

    def _ready(self) -> None:
        """Have the file of that name open, whatever became of the one we had."""
        if self.fd >= 0:
            with contextlib.suppress(OSError):
                if os.stat(self.path).st_ino == self.inode:
                    return
            self._close()
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        self.fd = os.open(self.path, flags, 0o640)
        stat = os.fstat(self.fd)
        self.size, self.inode, self.regular = stat.st_size, stat.st_ino, stat_.S_ISREG(stat.st_mode)
        if self.regular and self.size and not self._ends_with_a_line():
            self.size += os.write(self.fd, b"\n")

    def _ends_with_a_line(self) -> bool:
        with open(self.path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _rotate(self) -> None:
        """Give the full file its next name; where that is refused, lines go on in the same file."""
        self._close()
        names = [self.path, *(f"{self.path}.{n}" for n in range(1, self.backups + 1))]
        with contextlib.suppress(OSError):
            if not self.backups:
                os.truncate(self.path, 0)
            for old, new in reversed([*pairwise(names)]):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(old, new)

    def _close(self) -> None:
        if self.fd >= 0:
            with contextlib.suppress(OSError):
                os.close(self.fd)
            self.fd = -1

    def close(self) -> None:
        """Let go of the file."""
        self.acquire()
        try:
            self._close()
        finally:
            self.release()
        super().close()
