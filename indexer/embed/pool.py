"""Runs independent pieces of work on one thread per core."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue

from indexer.core.ports import Progress

polite = False
"""Whether people are served by this process: the crew then lets everybody else go first."""

_NICE = 10
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def cores() -> int:
    """Cores this process may use: its affinity, and a container's CPU quota where one is set.

    Without the quota a container with 2 of 64 cores would start 64 threads and be throttled.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _QUOTA.read_text().split()
        usable = min(usable, max(1, round(int(quota) / int(period))))
    except (OSError, ValueError):
        pass  # no quota ("max"), or no cgroup v2
    return usable


def run(work: Callable[[int], None], order: Sequence[int], threads: int, progress: Progress | None = None) -> None:
    """Calls ``work(i)`` for every ``i`` of ``order``, started in that order on ``threads`` threads.

    ``progress`` is called in the calling thread. The first exception, or Ctrl-C, is raised
    here after the pieces that had been started have ended; the others are not started.
    """
    count = min(threads, len(order))
    if count <= 1:
        for item in order:
            work(item)
            if progress:
                progress(1)
        return
    stop = threading.Event()
    finished: SimpleQueue[BaseException | None] = SimpleQueue()
    arguments = (work, iter(order), threading.Lock(), stop, finished)
    crew = [threading.Thread(target=_member, args=arguments, name=f"embed-{n}") for n in range(count)]
    for thread in crew:
        thread.start()
    try:
        _collect(finished, len(order), progress)
    finally:
        stop.set()
        for thread in crew:
            thread.join()


def _member(
    work: Callable[[int], None],
    todo: Iterator[int],
    lock: threading.Lock,
    stop: threading.Event,
    finished: SimpleQueue[BaseException | None],
) -> None:
    if polite:
        _step_back()
    try:
        while not stop.is_set():
            with lock:
                item = next(todo, None)
            if item is None:
                return
            work(item)
            finished.put(None)
    except BaseException as error:  # raised again in the calling thread
        finished.put(error)


def _step_back() -> None:
    """Give this thread a lower priority; only Linux has one for each thread."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


def _collect(finished: SimpleQueue[BaseException | None], count: int, progress: Progress | None) -> None:
    for _ in range(count):
        error = finished.get()
        if error is not None:
            raise error
        if progress:
            progress(1)
