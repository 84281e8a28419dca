"""Landlock (Linux 5.13 and newer): the kernel forbids files beyond a list, TCP, and signals to others.

It needs no privilege and no namespace, and is inherited by every child process. What a kernel
does not know yet is left out; see https://docs.kernel.org/userspace-api/landlock.html.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

PR_SET_NO_NEW_PRIVS = 38
CREATE, ADD, RESTRICT = 444, 445, 446  # the same numbers on every architecture
VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE, READ, LIST = 1, 1 << 1, 1 << 2, 1 << 3
CHANGE = sum(1 << bit for bit in range(4, 13))  # remove and make files, folders, sockets, links, devices
REFER, TRUNCATE, DEVICE = 1 << 13, 1 << 14, 1 << 15
ON_FILES = EXECUTE | WRITE | READ | TRUNCATE | DEVICE
BIND_AND_CONNECT_TCP = 3
ABSTRACT_SOCKETS_AND_SIGNALS = 3


class Paths(NamedTuple):
    """What lies at or below these is free: to read (``reads`` None: anything), to list only, to run, to write and read."""

    reads: tuple[str, ...] | None
    names: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    run: bool = False  # what can be read


def restrict(paths: Paths, network: bool) -> int:
    """Holds this thread and all it starts to ``paths``; returns the version that holds, 0 where there is none."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(number: int, *args: object) -> int:
        return int(libc.syscall(ctypes.c_long(number), *args))

    version = call(CREATE, None, ctypes.c_size_t(0), VERSION)
    if version < 1:
        return 0
    writing = WRITE | CHANGE | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    reading = 0 if paths.reads is None else EXECUTE | READ | LIST | (DEVICE if version >= 5 else 0)
    tcp = 0 if network or version < 4 else BIND_AND_CONNECT_TCP
    scope = 0 if network or version < 6 else ABSTRACT_SOCKETS_AND_SIGNALS
    attributes = struct.pack("=QQQ", writing | reading, tcp, scope)
    rules = call(CREATE, attributes, ctypes.c_size_t(8 if version < 4 else 16 if version < 6 else 24), 0)
    if rules < 0:
        return 0
    try:
        for path, rights in _rights(paths, reading, writing):
            with contextlib.suppress(OSError):  # what is not there needs no rule
                _allow(call, rules, path, rights)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # the kernel's condition
        return version if call(RESTRICT, rules, 0) == 0 else 0
    finally:
        os.close(rules)


def _rights(paths: Paths, reading: int, writing: int) -> Iterator[tuple[str, int]]:
    read = reading & (READ | LIST | (EXECUTE if paths.run else 0))
    yield from ((path, read) for path in paths.reads or ())
    yield from ((path, reading & LIST) for path in paths.names)
    yield from ((path, read | writing | reading & DEVICE) for path in paths.writes)


def _allow(call: Callable[..., int], rules: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= ON_FILES
        if rights:
            call(ADD, rules, PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    finally:
        os.close(fd)
