"""Runs as lines: a listener of the service."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.errors import BUSY, INTERRUPTED
from ..core.model import Ask, Key, Message
from ..report import Outcome, Problem, Report
from .log import Log

NAMED = 20
"""Files of a run that are named, of each kind; the rest is a number."""

QUIET = ("look", "watch", "retry")
"""Triggers that come often: their runs are worth a line when they did something."""


class Open(NamedTuple):
    """A run at work; ``run`` is its number, or :func:`stamp` before it has one."""

    ask: Ask
    at_ns: int
    run: int | str
    said: bool = False


class RunLog:
    """``listen(kind, facts)``: begin, commit and end of each run, with what went wrong.

    The line of the beginning waits for the run's number ("run", the first commit or the end), so
    that all lines of a run have the same. A run may begin in the middle of another. What stays
    wrong is said when it is new, not again with every look of the next weeks.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.open: list[Open] = []
        self.known: dict[str, frozenset[Hashable]] = {}

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Never raises."""
        handle: Callable[[Mapping[str, Any]], None] | None = getattr(self, f"_on_{kind}", None)
        try:
            if handle is not None:
                handle(facts)
        except Exception as e:
            self._internal(e)

    def _internal(self, e: BaseException) -> None:
        said = Message("internal error: {kind}: {error}", {"kind": type(e).__name__, "error": str(e)})
        self.log.failed("internal_error", said, e)

    def _on_begin(self, facts: Mapping[str, Any]) -> None:
        at: int = facts["at_ns"]
        self.open.append(Open(facts["ask"], at, stamp(at)))
        self._bind()
        if "run" in facts:
            self._on_run(facts)

    def _on_run(self, facts: Mapping[str, Any]) -> None:
        """The run got its number in the history."""
        self._say_begin(facts["run"])

    def _on_commit(self, facts: Mapping[str, Any]) -> None:
        self._say_begin(facts.get("run", 0))
        self.log.event("commit", "info", Message("Commit {commit}: {documents} documents", facts), **facts)

    def _on_queue(self, facts: Mapping[str, Any]) -> None:
        self.log.event("queue", "debug", Message("{waiting} requests wait", facts), **facts)

    def _on_end(self, facts: Mapping[str, Any]) -> None:
        outcome: Outcome = facts["outcome"]
        while self.open and self.open[-1].ask != outcome.ask and any(x.ask == outcome.ask for x in self.open):
            self.open.pop()  # it began in the middle of this run, and will begin again
        if not self.open or self.open[-1].ask != outcome.ask:  # nobody said that it began
            self.open = [Open(outcome.ask, outcome.started_ns, stamp(outcome.started_ns), said=True)]
        try:
            self._say_begin(outcome.run)
            if isinstance(facts.get("exception"), BaseException):
                self._internal(facts["exception"])
            if outcome.report is not None:
                self._found(outcome.report, whole=not outcome.ask.paths)
                self._done(outcome, outcome.report)
            else:
                self._not_done(outcome)
        finally:
            self.open.pop()
            self._bind()

    def _bind(self) -> None:
        """What this thread says belongs to the run that began last."""
        self.log.enter(*((self.open[-1].run, self.open[-1].ask.trigger) if self.open else (0, "")))

    def _say_begin(self, run: int) -> None:
        if not self.open:
            return
        was = self.open[-1]
        self.open[-1] = was._replace(run=run or was.run, said=True)
        self._bind()
        if not was.said:
            level = "debug" if was.ask.trigger in QUIET else "info"
            said = Message("Run begins ({trigger})", {"trigger": was.ask.trigger})
            self.log.event("run_begin", level, said, paths=len(was.ask.paths), began_ns=was.at_ns)

    def _done(self, outcome: Outcome, report: Report) -> None:
        summary = report.summary()
        counts = {k: summary[k] for k in ("added", "modified", "deleted", "moved", "touched", "unknown", "held")}
        counts["failed"] = summary["problems"]
        said: list[Message] = [
            Message("{name} {count}", {"name": Message(k), "count": n}) for k, n in counts.items() if n
        ]
        seconds = (outcome.ended_ns - outcome.started_ns) / 1e9
        args = {
            "commit": outcome.commit, "what": said or Message("no change"), "embedded": summary["embedded"],
            "reused": summary["reused"], "seconds": f"{seconds:.1f}",
        }  # fmt: skip
        quiet = outcome.ask.trigger in QUIET and outcome.commit == outcome.commit_before
        facts = {"exit_code": outcome.exit_code, "commit_before": outcome.commit_before, "commit": outcome.commit}
        self.log.event(
            "run_end", "debug" if quiet else "info", Message(_DONE, args), **facts, seconds=round(seconds, 3), **summary
        )

    def _not_done(self, outcome: Outcome) -> None:
        facts = {"exit_code": outcome.exit_code, "commit_before": outcome.commit_before, "commit": outcome.commit}
        said = outcome.error or Message("unknown")
        if outcome.exit_code in (INTERRUPTED, BUSY):
            level, message = "info", Message("The run ended before it was done: {error}", {"error": said})
        else:
            level, message = "error", Message("The run could not go on: {error}", {"error": said})
        self.log.event("run_end", level, message, error=said, **facts)

    def _found(self, report: Report, *, whole: bool) -> None:
        """What of it is new since the last run; a run over some paths knows nothing of the others."""
        for message in report.healed:
            self.log.event("healed", "warning", message)
        for message in self._new("unavailable", [(str(m), m) for m in report.unavailable], whole):
            self.log.event("source_unavailable", "warning", message)
        problems = report.tally.problems.values()
        self._failed(sorted(self._new("problems", [((p.key, p.reason.text), p) for p in problems], whole)))
        held: list[Key] = sorted(self._new("held", [(key, key) for key in report.tally.held], whole))
        if held:
            names = [str(key) for key in held[:NAMED]]
            count = len(report.tally.held)
            self.log.event("held", "warning", Message(_HELD, {"count": count}), count=count, new=len(held), names=names)

    def _failed(self, failed: Sequence[Problem]) -> None:
        for p in failed[:NAMED]:
            args = {"state": Message(p.state), "path": str(p.key), "reason": p.reason}
            facts = {"source": p.key.source, "path": p.key.path, "state": str(p.state), "reason": p.reason}
            self.log.event("file_failed", "warning", Message("{state}: {path}: {reason}", args), **facts)
        if (more := len(failed) - NAMED) > 0:
            said = Message("{count} more files failed", {"count": more})
            self.log.event("files_failed", "warning", said, count=more)

    def _new(self, kind: str, items: Iterable[tuple[Hashable, Any]], whole: bool) -> list[Any]:
        """Those that were not there before."""
        by_name, before = dict(items), self.known.get(kind, frozenset())
        self.known[kind] = frozenset(by_name) if whole else before.union(by_name)
        return [value for name, value in by_name.items() if name not in before]


def stamp(at_ns: int) -> str:
    """The id of a run that has no number yet: when it began, ``20261130T020005.123``."""
    return time.strftime("%Y%m%dT%H%M%S", time.localtime(at_ns // 10**9)) + f".{at_ns // 10**6 % 1000:03d}"


_DONE = "Commit {commit}: {what}; {embedded} passages embedded, {reused} reused, {seconds} s."
_HELD = "{count} deletions are held: `indexer files --state held`, then `indexer update --now --allow-deletions`."
