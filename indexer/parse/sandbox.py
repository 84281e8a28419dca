"""The sandbox hostile bytes are parsed in: one warm worker process, asked under a clock.

Started by exec, never forked from this process's state: no lock, no descriptor, no environment
is inherited. The worker leads its own session, so a time-out kills it with all its children.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indexer.core.errors import ParserDied, ParseRefused
from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits

from . import wire
from .netblock import Role
from .process import Blamed, Ended, Worker

FILES_PER_WORKER = 500  # then a fresh one: leaks and fragments of the libraries end with it


class Sandbox:
    """One warm worker. Not for two threads at once."""

    def __init__(self, limits: ParseLimits, role: Role = "parser") -> None:
        self._limits = limits
        self._role = role
        self._worker: Worker | None = None
        self._interrupted = False

    def parse(self, request: Mapping[str, object], data: bytes) -> Parsed:
        """The worker's answer. Raises ParseRefused or ParserDied.

        A file is blamed for a crash only by a fresh worker: after earlier files memory may be
        in pieces or a library in a broken state.
        """
        if self._worker is not None and (self._worker.served >= FILES_PER_WORKER or not self._worker.alive()):
            self.close()
        fresh = self._worker is None
        try:
            return self._ask(request, data)
        except Blamed as crash:
            if fresh or crash.final or self._interrupted:
                raise crash.problem from None
        try:
            return self._ask(request, data)
        except Blamed as crash:
            raise crash.problem from None

    def interrupt(self) -> None:
        """Ends the work of another thread's :meth:`parse`; what it raises then means nothing."""
        self._interrupted = True
        if (worker := self._worker) is not None:
            worker.kill()

    def close(self) -> None:
        """Ends the worker, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop()

    def _ask(self, request: Mapping[str, object], data: bytes) -> Parsed:
        if self._worker is None:
            self._worker = Worker(self._limits, self._role)
        if self._interrupted:
            self._worker.kill()
        try:
            header, body = self._worker.ask(request, data)
            return self._result(header, body)
        except (Ended, wire.Garbled, ValueError, OSError) as error:
            crash = self._worker.verdict(error)
            self.close()
            raise crash from error
        except ParseRefused:
            raise
        except BaseException:  # Ctrl-C in the middle of an answer: the pipe is out of step
            self.close()
            raise

    def _result(self, header: Mapping[str, Any], body: bytes) -> Parsed:
        match header.get("answer"):
            case "parsed":
                return wire.unpack(header, body, self._limits)
            case "refused":
                raise ParseRefused(wire.unpack_message(header["message"]))
            case "died":
                raise Blamed(ParserDied(wire.unpack_message(header["message"])), final=False)
        raise wire.Garbled
