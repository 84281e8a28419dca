"""One worker for all who ask: requests merge, urgent ones go first, a stop loses nothing.

The folder is the queue: a run is idempotent and starts with a look, so a request only says
"please look" and nothing about it has to survive a restart.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from threading import Condition, Event, Thread, current_thread
from typing import TYPE_CHECKING, Any

from .asks import Merged, Waiting
from .core.errors import INTERNAL, Busy, IndexerError, Interrupted
from .core.model import Ask, Message
from .report import Outcome

if TYPE_CHECKING:
    from .api import KnowledgeBase
    from .look import Request
    from .parse import Parsers
    from .report import Report

Listener = Callable[[str, Mapping[str, Any]], None]
"""Called with what happens: begin, run (it got its number), progress, commit, end, queue; in the worker's thread."""

_STEPS = ("plan", "file", "embedding", "embedded")
"""What a run tells of its progress."""

_IDLE_SECONDS = 60.0
"""Parser processes that nobody needed for this long are ended."""

_HANG_SECONDS = 600.0
"""A worker that made no step for this long hangs: no file, page or slice of a batch may take longer."""

_RETRY_SECONDS, _RETRY_MOST = 30.0, 900.0
"""After a run that could not go on the folders are looked at again: then, and twice as long each time."""


class Service:
    """Runs updates one at a time in a thread of its own.

    ``now_ns``: wall time; ``clock``: monotonic seconds. Listeners that raise are only logged.
    """

    def __init__(
        self, kb: KnowledgeBase, listeners: Sequence[Listener] = (),
        now_ns: Callable[[], int] = time.time_ns, clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.kb, self.listeners, self.now_ns, self.clock = kb, list(listeners), now_ns, clock
        self._waiting = Waiting()
        self._changed = Condition()
        self._stop = Event()
        self._thread = Thread(target=self._work, name="worker", daemon=True)
        self._parser: Parsers | None = None
        self._running: tuple[Ask, int] | None = None
        self._aside: Merged | None = None
        self._beat = clock()
        self._failures = 0
        self._retry_at: float | None = None

    # ---- for those who ask -----------------------------------------------------------

    def ask(self, ask: Ask) -> Merged:
        """Have the folders looked at; returns at once with what the request became part of."""
        with self._changed:
            merged = self._waiting.add(ask)
            waiting = len(self._waiting)
            self._changed.notify_all()
        self._tell("queue", {"waiting": waiting})
        return merged

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self, seconds: float = 5.0) -> bool:
        """Finish or abandon the batch at work; whether the worker ended in time."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def use(self, kb: KnowledgeBase) -> None:
        """Work with another configuration from the next run on."""
        with self._changed:
            self.kb, self._drop = kb, True

    _drop = False
    _failed = 0.0

    def alive(self) -> bool:
        """Whether the worker is idle or makes progress."""
        return self._thread.is_alive() and (self._running is None or self.clock() - self._beat < _HANG_SECONDS)

    def running(self) -> dict[str, Any] | None:
        """What is at work since when (ns), None when idle."""
        at = self._running
        return {"trigger": at[0].trigger, "since_ns": at[1]} if at else None

    def waiting(self) -> int:
        """Requests that wait, merged ones as one."""
        return len(self._waiting)

    # ---- the worker ------------------------------------------------------------------

    def _work(self) -> None:
        while not self._stop.is_set():
            merged = self._next()
            if merged is not None:
                self._serve(merged)
        self._close_parser()

    def _next(self) -> Merged | None:
        """What comes next; None to look around again."""
        with self._changed:
            if not self._waiting and not self._stop.is_set():
                self._changed.wait(self._patience())
            if self._retry_at is not None and self.clock() >= self._retry_at:
                self._retry_at = None
                self._waiting.add(Ask("retry"))
            merged = None if self._stop.is_set() else self._waiting.pop()
            idle = merged is None and self.clock() - self._beat > _IDLE_SECONDS
        if idle or self._drop:
            self._close_parser()
        return merged

    def _patience(self) -> float:
        until_idle = max(1.0, self._beat + _IDLE_SECONDS + 1 - self.clock()) if self._parser else 3600.0
        until_retry = self._retry_at - self.clock() if self._retry_at is not None else 3600.0
        return max(0.0, min(until_idle, until_retry))

    def _close_parser(self) -> None:
        parser, self._parser, self._drop = self._parser, None, False
        if parser is not None:
            parser.close()

    def _serve(self, merged: Merged) -> None:
        """One run, whatever becomes of it."""
        began, self._beat = self.now_ns(), self.clock()
        self._running, self._number = (merged.ask, began), 0
        merged.begin(began)
        self._tell("begin", {"ask": merged.ask, "at_ns": began})
        self._tell("queue", {"waiting": len(self._waiting)})
        report, error, code, trouble = None, None, INTERNAL, None
        try:
            report = self._update(merged.ask)
            code = report.exit_code
        except IndexerError as e:
            error, code = e.message, e.exit_code
        except Exception as e:
            error, trouble = Message("internal error: {kind}: {error}", {"kind": type(e).__name__, "error": str(e)}), e
        self._running, self._beat = None, self.clock()
        self._again(merged.ask, report, code)
        outcome = self._outcome(merged, began, report, error, code)
        self._tell("end", {"outcome": outcome, "exception": trouble})
        merged.done(outcome)

    def _update(self, ask: Ask) -> Report:
        from .update import update

        if self._parser is None:
            self._parser = self.kb.parser()
        world = self.kb.world(
            parser=self._parser, stop=self._step, tell=self._hear, now_ns=self.now_ns, lasting=True,
            waiting=self._urgent, take=self._take, busy=self._busy,
        )  # fmt: skip
        try:
            return update(world, request_of(ask))
        finally:
            if self._aside is not None:  # taken and not done: its turn comes again
                self._aside.begin(0)
                with self._changed:
                    self._waiting.put_back(self._aside)
                self._aside = None

    def _again(self, ask: Ask, report: Report | None, code: int) -> None:
        """Look again soon after a run that could not go on: what it was asked for would wait for the next look."""
        if report is not None or code == Interrupted.exit_code:
            self._failures = 0
            if not ask.paths:  # one file that went well does not stand for all
                self._retry_at = None
            elif self._retry_at is not None and report is not None and report.tally.embedded:
                self._retry_at = min(self._retry_at, self._failed + _RETRY_SECONDS)  # but the model answers again
            return
        self._failed = self.clock()
        self._retry_at = self._failed + min(_RETRY_SECONDS * 2**self._failures, _RETRY_MOST)
        self._failures += 1

    def _outcome(
        self, merged: Merged, began: int, report: Report | None, error: Message | None, code: int
    ) -> Outcome:  # fmt: skip
        run, before, commit = (report.run, report.commit_before, report.commit) if report else (self._number, 0, 0)
        return Outcome(merged.ask, began, self.now_ns(), run, code, report, error, before, commit, merged.since)

    # ---- the edges of a run ------------------------------------------------------------

    def _step(self) -> None:
        self._beat = self.clock()
        if self._stop.is_set():
            raise Interrupted("stopped")

    def _busy(self, busy: Busy) -> None:
        """Another process updates: its turn, then ours."""
        self._step()
        self._stop.wait(0.1)

    def _urgent(self) -> bool:
        return self._waiting.urgent() and not self._stop.is_set()

    def _take(self) -> Request:
        """The urgent request that goes first; called by the run in whose middle it is served."""
        with self._changed:
            merged = self._waiting.pop()
        assert merged is not None  # noqa: S101 - only this thread takes, and it asked just before
        self._aside, self._aside_began = merged, self.now_ns()
        merged.begin(self._aside_began)
        self._tell("begin", {"ask": merged.ask, "at_ns": self._aside_began})
        self._tell("queue", {"waiting": len(self._waiting)})
        return request_of(merged.ask)

    _aside_began = _number = 0

    def _hear(self, kind: str, facts: Mapping[str, Any]) -> None:
        self._beat = self.clock()
        if kind == "passed" and self._aside is not None:
            merged, self._aside = self._aside, None
            report: Report = facts["report"]
            outcome = self._outcome(merged, self._aside_began, report, None, report.exit_code)
            self._tell("end", {"outcome": outcome, "exception": None})
            merged.done(outcome)
        elif kind in _STEPS:
            self._tell("progress", {"step": kind, **facts})
        elif kind in ("run", "commit"):
            self._number = facts["run"] if kind == "run" and self._aside is None else self._number
            self._tell(kind, facts)

    def _tell(self, kind: str, facts: Mapping[str, Any]) -> None:
        for listen in self.listeners:
            try:
                listen(kind, facts)
            except Exception:
                logging.getLogger(__name__).exception("%s, in %s", kind, current_thread().name)


def request_of(ask: Ask) -> Request:
    """A run's request for what was asked. What failed waits for its time; people do not wait."""
    from .look import Request

    return Request(
        allow_deletions=ask.allow_deletions, released=ask.released, verify_content=ask.verify_content, paths=ask.paths, trigger=ask.trigger,
        retry_now=ask.trigger in ("api", "web", "cli"), actor=ask.actor, client=ask.client, due_ns=ask.due_ns, budget=ask.budget,
    )  # fmt: skip
