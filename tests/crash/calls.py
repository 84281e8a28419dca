"""Stops a child at its n-th system call that changes a file, to kill it, tear the write or refuse the call.

What SQLite and Python do inside one step is seen here: every write into the log of the
catalog, every page of a checkpoint, every truncation. By ptrace, so nothing of the product
takes part in it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from .workers import Ended, answered, child

_TRACEME, _SYSCALL, _POKEUSER, _SETOPTIONS, _INFO = 0, 24, 6, 0x4200, 0x420E
_SYSGOOD, _EXITKILL = 1, 0x100000
_RAX, _RDX, _ORIG_RAX = 10 * 8, 12 * 8, 15 * 8
_ENTRY = 1
_BY_FD = {
    1: "write", 18: "pwrite", 20: "writev", 74: "fsync", 75: "fdatasync", 77: "ftruncate", 285: "fallocate", 296: "pwritev",
}  # fmt: skip
_BY_NAME = {
    76: "truncate", 82: "rename", 83: "mkdir", 84: "rmdir", 86: "link", 87: "unlink", 258: "mkdirat", 263: "unlinkat",
    264: "renameat", 265: "linkat", 316: "renameat2",
}  # fmt: skip
_OPEN = {2: 1, 257: 2}  # the argument with the flags
_READ = {0: "read", 17: "pread"}
_WRITES = ("write", "pwrite")
UNAVAILABLE = (
    ""
    if sys.platform == "linux" and platform.machine() == "x86_64"
    else "system calls are stopped on Linux x86_64 only"
)


class Call(NamedTuple):
    """One system call on a file of the state."""

    name: str
    path: str


class Trouble(NamedTuple):
    """What happens at the n-th call: ``kill`` before it, ``torn`` (half of the write, then killed), or an errno's name.

    ``forever``: that call and all after it. ``reads``: calls that read count, the others do not.
    """

    n: int
    what: str
    forever: bool = False
    reads: bool = False


_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request: int, pid: int, address: int = 0, data: int = 0) -> int:
    result: int = _libc.ptrace(request, pid, address, data)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def traced(
    work: Callable[[Callable[[object], None]], None], below: str, trouble: Trouble | None = None
) -> tuple[Ended, list[Call]]:
    """Run ``work(say)`` in a child and make trouble at one of its calls on files under ``below``.

    Answers how it ended and which calls it made (up to the trouble).
    """

    def stopped(say: Callable[[object], None]) -> None:
        _ptrace(_TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        work(say)

    pid, reading = child(stopped)
    os.waitpid(pid, 0)
    _ptrace(_SETOPTIONS, pid, 0, _SYSGOOD | _EXITKILL)
    watch = _Watch(pid, below, trouble)
    while True:
        with suppress(ProcessLookupError):  # killed while it was stopped
            _ptrace(_SYSCALL, pid, 0, watch.pass_on)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            return Ended(os.waitstatus_to_exitcode(status), answered(reading)), watch.calls
        watch.stop(os.WSTOPSIG(status))


class _Watch:
    def __init__(self, pid: int, below: str, trouble: Trouble | None) -> None:
        self.pid, self.below, self.trouble = pid, below, trouble
        self.calls: list[Call] = []
        self.pass_on = 0
        self.then: Callable[[], None] | None = None  # at the end of the call we are in
        self.buffer = ctypes.create_string_buffer(88)

    def stop(self, number: int) -> None:
        """The child stands still: at a system call or for a signal, which it gets."""
        self.pass_on = 0 if number == signal.SIGTRAP | 0x80 else number
        if self.pass_on:
            return
        _ptrace(_INFO, self.pid, 88, ctypes.addressof(self.buffer))
        if self.buffer.raw[0] != _ENTRY:
            then, self.then = self.then, None
            if then:
                then()
            return
        call = self._call(*struct.unpack_from("=7Q", self.buffer.raw, 24))
        if call is not None:
            self.calls.append(call)
            t = self.trouble
            if t and (len(self.calls) == t.n + 1 or (t.forever and len(self.calls) > t.n)):
                self._make_trouble(t, call)

    def _call(self, number: int, *args: int) -> Call | None:
        if self.trouble and self.trouble.reads:
            return self._on_file(_READ[number], args[0]) if number in _READ else None
        if number in _BY_FD:
            return self._on_file(_BY_FD[number], args[0])
        if number in _OPEN:
            return Call("create", "") if args[_OPEN[number]] & os.O_CREAT else None
        return Call(_BY_NAME[number], "") if number in _BY_NAME else None

    def _on_file(self, name: str, fd: int) -> Call | None:
        try:
            path = os.readlink(f"/proc/{self.pid}/fd/{fd}")
        except OSError:
            return None
        return Call(name, path) if path.startswith(self.below) else None

    def _make_trouble(self, t: Trouble, call: Call) -> None:
        if t.what == "torn" and call.name in _WRITES:
            length = struct.unpack_from("=Q", self.buffer.raw, 24 + 8 * 3)[0]
            _ptrace(_POKEUSER, self.pid, _RDX, length // 2)
            self.then = self._kill
        elif t.what in ("kill", "torn"):
            self._kill()
        else:
            _ptrace(_POKEUSER, self.pid, _ORIG_RAX, 2**64 - 1)  # no such call: it is not done
            self.then = lambda: _ptrace(_POKEUSER, self.pid, _RAX, 2**64 - getattr(errno, t.what)) and None

    def _kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
