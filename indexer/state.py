"""What a running daemon tells other processes: one small file, and a lock that proves it is alive.

The file is a word, not a truth: nothing of the index depends on it, so it is not waited for.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.errors import Busy

LOCK, NAME = "daemon.lock", "daemon.json"
_TRIES = 5


@contextlib.contextmanager
def held(metadata: str, patience: float = 1.0, sleep: Callable[[float], object] = time.sleep) -> Iterator[None]:
    """Be the only daemon of this knowledge base; raises Busy with the other's process.

    Somebody who only asks whether a daemon lives has the lock for an instant: that is waited for.
    """
    from pathlib import Path

    from .core.errors import Busy
    from .store.lock import writer_lock

    left = int(patience / 0.05)

    def wait(busy: Busy) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            other = read(metadata) or {}
            raise Busy(
                "A daemon of this knowledge base is running already (process {pid}). Stop it first, or let it work.",
                pid=other.get("pid", "?"),
            )
        sleep(0.05)

    with writer_lock(Path(metadata) / LOCK, "daemon", wait):
        yield


def write(metadata: str, facts: Mapping[str, Any]) -> None:
    """Say how things stand; a disk that is full or read only is no reason to stop."""
    from pathlib import Path

    from .core.errors import IndexerError
    from .store import disk

    with contextlib.suppress(OSError, IndexerError):
        disk.write_hint(Path(metadata) / NAME, json.dumps(facts, default=str).encode())


def read(metadata: str) -> dict[str, Any] | None:
    """What the running daemon said last; None when none is running."""
    if not alive(metadata):
        return None
    for _ in range(_TRIES):
        with contextlib.suppress(OSError, ValueError), open(os.path.join(metadata, NAME), encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
            return found
        time.sleep(0.01)  # written in place: it may be half written
    return {}


def alive(metadata: str) -> bool:
    """Whether a daemon holds its lock."""
    try:
        # whoever may only read asks too; Windows takes a lock only where it may write
        fd = os.open(os.path.join(metadata, LOCK), os.O_RDWR if os.name == "nt" else os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _free(fd)
    finally:
        os.close(fd)


def _free(fd: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
