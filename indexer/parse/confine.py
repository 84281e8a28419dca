"""What the worker gives up before it reads the first hostile byte.

Each step is taken where the system has it (Linux all of them, macOS most, Windows none but the
environment); where a limit is missing, the parent's clock is the limit that remains.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import threading

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
OPEN_FILES = 128
OPEN_FILES_OF_PROGRAMS = 1024


def confine(memory_mb: int, most_mb: int, file_mb: int, children: bool, die_with_parent: bool) -> None:
    """Address space, written files (MiB), descriptors, core dumps, child processes, privileges.

    ``most_mb`` is what `grant_memory` may raise the address space to. ``children``: whether
    processes and threads may be started (configured loaders and LibreOffice need them).
    """
    os.umask(0o077)
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_AS", memory_mb << 20, most_mb << 20)
    _limit("RLIMIT_FSIZE", file_mb << 20)
    _limit("RLIMIT_NOFILE", OPEN_FILES_OF_PROGRAMS if children else OPEN_FILES)
    if sys.platform == "linux":
        _prctl(PR_SET_NO_NEW_PRIVS, 1)
        if die_with_parent:
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if not children:
        _limit("RLIMIT_NPROC", 0)  # counts per user, but forbids every further fork here


def _limit(name: str, value: int, most: int | None = None) -> None:
    kind = getattr(resource, name, None)
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    most = value if most is None else most
    if hard != resource.RLIM_INFINITY:
        value, most = min(value, hard), min(most, hard)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
        resource.setrlimit(kind, (value, most))


def _prctl(option: int, value: int) -> None:
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def grant_cpu(until: float) -> None:
    """The CPU time of this process (`time.process_time`) at which SIGXCPU ends it.

    The kernel counts over the life of the process, and a warm worker has a past.
    """
    _soft("RLIMIT_CPU", math.ceil(until))


def grant_memory(mb: int) -> None:
    """The address space from now on (MiB), up to the ``most_mb`` of :func:`confine`."""
    _soft("RLIMIT_AS", mb << 20)


def mapped_mb() -> int:
    """The address space this process has now, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as stream:
            return int(stream.read().split()[0]) * resource.getpagesize() >> 20
    except OSError:
        return 0


def _soft(name: str, value: int) -> None:
    """Only the soft limit moves: the hard one could not be raised again for the next file."""
    kind = getattr(resource, name, None)
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (value, hard))


def end_with(pipe: int) -> None:
    """Ends this process and its group when the other end of the pipe is closed.

    Works where PR_SET_PDEATHSIG does not: that signal comes when the *thread* that started the
    worker ends, so it can only be used when that was the main thread.
    """
    import select

    if not hasattr(select, "poll"):
        return

    def watch() -> None:
        poll = select.poll()
        poll.register(pipe, 0)  # POLLHUP is reported without being asked for
        while not any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll()):
            pass
        with contextlib.suppress(OSError):
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(1)

    threading.stack_size(256 << 10)  # the default 8 MB would count against the address space
    threading.Thread(target=watch, daemon=True).start()
    threading.stack_size(0)
