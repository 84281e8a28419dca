"""Waiting for a disk, but not for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Job(Generic[T]):
    """One call at work in its own thread."""

    def __init__(self, call: Callable[[], T]) -> None:
        self.done = threading.Event()
        self.result: T | None = None
        self._call = call
        # a daemon thread: one that hangs on a dead network disk must not keep the process from ending
        threading.Thread(target=self._work, name="metrics", daemon=True).start()

    def _work(self) -> None:
        try:
            self.result = self._call()
        finally:
            self.done.set()


class Patient(Generic[T]):
    """Calls ``call`` in one thread at a time; whoever asks meanwhile shares the answer.

    ``ask`` returns None when there is no answer after ``seconds``: a locked catalog or a hanging
    disk must not make a scrape hang, nor pile up threads.
    """

    def __init__(self, call: Callable[[], T], seconds: float) -> None:
        self._call, self._seconds = call, seconds
        self._lock = threading.Lock()
        self._job: _Job[T] | None = None

    def begin(self) -> _Job[T]:
        """Start a call if none is at work."""
        with self._lock:
            if self._job is None or self._job.done.is_set():
                self._job = _Job(self._call)
            return self._job

    def ask(self) -> T | None:
        """The answer of a call that was at work or started now."""
        job = self.begin()
        return job.result if job.done.wait(self._seconds) else None
