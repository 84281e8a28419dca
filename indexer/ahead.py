"""Parsing ahead of the run: worker processes are kept busy while the run splits, embeds and commits.

The threads only wait for worker processes. They are daemons, and not those of
``concurrent.futures``, because an interpreter that ends must not wait for a file that hangs.
"""

from __future__ import annotations

from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING

from .core.ports import Parser

if TYPE_CHECKING:
    from .core.model import Parsed


class Job:
    """One file on its way through a parser."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.data, self.size = path, data, len(data)
        self._done = Event()
        self._outcome: Parsed | BaseException = RuntimeError("not finished")

    def work(self, parser: Parser) -> None:
        """Parse; whatever happens is kept for :meth:`result`."""
        try:
            self._outcome = parser.parse(self.path, self.data)
        except BaseException as e:
            self._outcome = e
        self.data = b""
        self._done.set()

    def wait(self, seconds: float) -> bool:
        """Whether it is finished, waiting at most so long."""
        return self._done.wait(seconds)

    def result(self) -> Parsed:
        """What the parser said of a finished job, or raises what it raised."""
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome


class Ahead:
    """``workers`` threads, started when the first job comes."""

    def __init__(self, parser: Parser, workers: int) -> None:
        self._parser, self.workers = parser, workers
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads = 0

    def submit(self, path: str, data: bytes) -> Job:
        """Have a file parsed; jobs are taken in the order they come."""
        job = Job(path, data)
        self._jobs.put(job)
        if self._threads < self.workers:
            self._threads += 1
            Thread(target=self._serve, name=f"parse-{self._threads}", daemon=True).start()
        return job

    def close(self) -> None:
        """Let the threads end after the job they are at; jobs not begun are dropped."""
        while not self._jobs.empty():
            self._jobs.get()
        for _ in range(self._threads):
            self._jobs.put(None)
        self._threads = 0

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.work(self._parser)
