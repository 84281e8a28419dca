"""What the system grants a process: watches, open files, memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress

from ..core.model import Message
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning

INOTIFY = "/proc/sys/fs/inotify"
OPEN_FILES = 1024
MODEL_MB = 600
"""What the built-in model and a search need (measured: 420 MB while a batch is embedded)."""


# ---- watching ------------------------------------------------------------------------


def watch_limits(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether the kernel grants a watch for each folder of the sources."""
    name = Message("watch limits")
    limit, instances = _number("max_user_watches"), _number("max_user_instances")
    if limit is None or instances is None:
        yield ok(name, Message("this system has no limit that watch mode could reach"))
        return
    folders = sum(_folders(s.path) for s in settings.sources)
    watches, used = _used()
    words = {"limit": limit, "folders": folders, "used": watches, "instances": instances, "taken": used}
    level = problem if settings.watch.enabled and settings.watch.mode != "polling" else warning
    if watches + folders > limit:
        more = max(524_288, 1 << (2 * (watches + folders)).bit_length())
        text = Message("the sources have {folders} folders, other programs use {used} watches, {limit} are granted: watch mode would poll", words)  # fmt: skip
        yield level(name, text, _sysctl("max_user_watches", more))
    if used + 4 > instances:
        text = Message("{taken} of {instances} inotify instances are taken: watch mode may find none left", words)
        yield level(name, text, _sysctl("max_user_instances", max(1024, 2 * instances)))
    if watches + folders <= limit and used + 4 <= instances:
        yield ok(name, Message("{folders} folders, {limit} watches granted, {used} in use", words))


def _sysctl(key: str, value: int) -> Message:
    command = (
        f"echo fs.inotify.{key}={value} | sudo tee /etc/sysctl.d/60-indexer-{key.split('_')[-1]}.conf"
        " && sudo sysctl --system"
    )
    return Message("Run {command}", {"command": command})


def _number(name: str) -> int | None:
    try:
        with open(os.path.join(INOTIFY, name), encoding="ascii") as f:
            return int(f.read())
    except (OSError, ValueError):
        return None


def _folders(root: str) -> int:
    """Folders at and below a source: each takes one watch."""
    return sum(1 for _ in os.walk(root))


def _used() -> tuple[int, int]:
    """(watches, instances) of this user's processes that can be looked at, all of which the limits count."""
    watches = instances = 0
    me = os.geteuid()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid != me:
                continue
            for fd in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    if os.readlink(f"/proc/{pid}/fd/{fd}") == "anon_inode:inotify":
                        instances += 1
                        with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as info:
                            watches += sum(line.startswith("inotify ") for line in info)
    return watches, instances


# ---- open files ----------------------------------------------------------------------


def open_files(case: Case) -> Iterator[Finding]:
    """Whether a process may open as many files as a store with many segments has."""
    name = Message("open files")
    try:
        import resource
    except ImportError:
        yield ok(name, Message("this system has no limit of open files"))
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < OPEN_FILES:
        remedy = Message("Run {command}", {"command": f"ulimit -n {OPEN_FILES}"})
        if 0 <= hard < OPEN_FILES:
            remedy = Message("Raise nofile in /etc/security/limits.conf (LimitNOFILE= in a unit).")
        yield warning(name, Message("a process may open {limit} files only", {"limit": soft}), remedy)
    else:
        yield ok(name, Message("a process may open {limit} files", {"limit": soft}))


# ---- memory --------------------------------------------------------------------------


def memory(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether there is memory for the model and for every parser at its limit."""
    from ..batches import workers_of

    name = Message("memory")
    available = _available_mb()
    workers = workers_of(settings.workers)
    needed = MODEL_MB + settings.limits.memory_mb
    most = MODEL_MB + workers * settings.limits.memory_mb
    words = {"available": available, "needed": needed, "most": most, "workers": workers}
    if available is None:
        yield ok(name, Message("how much memory is free cannot be told on this system"))
    elif available < needed:
        remedy = Message("End other programs, or lower memory_mb below [limits]; large files are set aside then.")
        yield warning(name, Message("{available} MB of memory are available; the model and one parser at its limit take {needed} MB", words), remedy)  # fmt: skip
    elif available < most:
        remedy = Message("Lower workers, or memory_mb below [limits].")
        yield warning(name, Message("{available} MB of memory are available; {workers} parsers at their limit and the model take {most} MB", words), remedy)  # fmt: skip
    else:
        yield ok(name, Message("{available} MB of memory are available, {most} MB is the most an update takes", words))


def _available_mb() -> int | None:
    """What this process may still take: the system's, or less in a container."""
    found = [n for n in (_system_mb(), _group_mb()) if n is not None]
    return min(found, default=None)


def _system_mb() -> int | None:
    if sys.platform == "linux":
        with suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) // 1024
    return None


def _group_mb() -> int | None:
    """The limit of the control group less what is used in it (version 2, then 1)."""
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError), open(limit, encoding="ascii") as a, open(used, encoding="ascii") as b:
            return max(0, int(a.read()) - int(b.read())) // 2**20
    return None
