"""The disk under the state: what is written is durable, snapshots cost nothing, there is room."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import suppress

from ..core.errors import INTERNAL
from ..core.model import Message, display
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning
from .mounts import existing

SLOW_SECONDS = 0.25
"""A commit waits for about four fsyncs: at this each, a file that was saved is found a second late."""
FEW_INODES = 20_000


def writing(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether what is written is on the disk when the disk says so, and whether snapshots cost nothing."""
    for path in (settings.metadata, settings.vectorstore):
        if os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK):
            yield from _writing(path)


def _writing(path: str) -> Iterator[Finding]:
    name, words = Message("writing"), {"path": display(path)}
    probe = os.path.join(path, f".tmp-doctor-{os.getpid()}")
    try:
        seconds = _fsync(probe)
        linked = _link(probe)
    except OSError as e:
        remedy = Message("Check the disk (dmesg, smartctl) and the mount's options.")
        words["why"] = e.strerror or str(e)
        yield problem(name, Message("{path}: writing does not work ({why})", words), remedy, INTERNAL)
        return
    finally:
        for leftover in (probe, probe + "-2"):
            with suppress(OSError):
                os.unlink(leftover)
    words["ms"] = f"{seconds * 1000:.0f}"
    if seconds > SLOW_SECONDS:
        yield warning(name, Message("{path}: the disk takes {ms} ms to make a file durable", words), Message("Use an SSD."))  # fmt: skip
    if not linked:
        yield warning(name, Message("{path}: no hard links here, so each snapshot is a full copy", words), Message("Use a file system with hard links, or lower snapshots_kept."))  # fmt: skip
    if linked and seconds <= SLOW_SECONDS:
        yield ok(name, Message("{path}: durable in {ms} ms, hard links work", words))


def _fsync(probe: str) -> float:
    """Seconds to make a small file durable."""
    fd = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(fd, b"indexer doctor\n" * 64)
        began = time.perf_counter()
        os.fsync(fd)
        return time.perf_counter() - began
    finally:
        os.close(fd)


def _link(probe: str) -> bool:
    try:
        os.link(probe, probe + "-2")
    except OSError as e:
        if e.errno in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES):
            return False
        raise
    return True


def disk(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether there is room for what comes: a merge and another model's index need as much again."""
    import shutil

    from ..glance import glance

    name = Message("disk")
    size = 0
    with suppress(Exception):  # an index that cannot be read is another check's to tell
        size = glance(settings, case.now_ns)["disk"]["index_bytes"]
    for path in dict.fromkeys(existing(p) for p in (settings.metadata, settings.vectorstore)):
        free, reserve = shutil.disk_usage(path).free, settings.min_free_mb * 2**20
        words = {"path": display(path), "free": free // 2**20, "reserve": settings.min_free_mb, "size": size // 2**20}
        if free < reserve:
            text = Message("{path}: {free} MB are free, {reserve} MB must stay free: updates stop", words)
            yield problem(name, text, Message("Free some space, or lower min_free_mb."), INTERNAL)
        elif free < reserve + size:
            text = Message("{path}: {free} MB are free, the index takes {size} MB: no room to fill another beside it (another model, a rebuild)", words)  # fmt: skip
            yield warning(name, text, Message("Free some space before you change the model."))
        elif (inodes := _inodes(path)) is not None and inodes < FEW_INODES:
            words["inodes"] = inodes
            yield warning(name, Message("{path}: only {inodes} more files can be made (inodes)", words), Message("Remove small files, or move the index to another file system."))  # fmt: skip
        else:
            yield ok(name, Message("{path}: {free} MB free, the index takes {size} MB", words))


def _inodes(path: str) -> int | None:
    """How many more files can be made; None where the file system has no such limit."""
    if not hasattr(os, "statvfs"):
        return None
    st = os.statvfs(path)
    return st.f_favail if st.f_files else None
