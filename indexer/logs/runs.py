"""Runs as lines: a listener of the service."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from ..core.errors import BUSY, INTERRUPTED
from ..core.model import Ask, Key, Message
from ..report import Outcome, Problem, Report
from .log import Log

NAMED = 20
"""Files of a run that are named, of each kind; the rest is a number."""

QUIET = ("look", "watch")
"""Triggers that come often: their runs are worth a line when they did something."""


class RunLog:
    """``listen(kind, facts)``: begin, commit and end of each run, with what went wrong.

    What stays wrong is said when it is new, not again with every look of the next weeks.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.token: Any = None
        self.known: dict[str, frozenset[Hashable]] = {}

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Never raises."""
        handle: Callable[[Mapping[str, Any]], None] | None = getattr(self, f"_on_{kind}", None)
        try:
            if handle is not None:
                handle(facts)
        except Exception as e:
            said = Message("internal error: {kind}: {error}", {"kind": type(e).__name__, "error": str(e)})
            self.log.failed("internal_error", said, e)

    def _on_begin(self, facts: Mapping[str, Any]) -> None:
        ask: Ask = facts["ask"]
        self._leave()
        self.token = self.log.enter(facts.get("run") or stamp(facts["at_ns"]), ask.trigger)
        level = "debug" if ask.trigger in QUIET else "info"
        self.log.event(
            "run_begin", level, Message("Run begins ({trigger})", {"trigger": ask.trigger}), paths=len(ask.paths)
        )

    def _on_run(self, facts: Mapping[str, Any]) -> None:
        """The run got its number in the history."""
        self.log.enter(facts["run"], facts.get("trigger", ""))

    def _on_commit(self, facts: Mapping[str, Any]) -> None:
        self.log.event("commit", "info", Message("Commit {commit}: {documents} documents", facts), **facts)

    def _on_queue(self, facts: Mapping[str, Any]) -> None:
        self.log.event("queue", "debug", Message("{waiting} requests wait", facts), **facts)

    def _on_end(self, facts: Mapping[str, Any]) -> None:
        outcome: Outcome = facts["outcome"]
        if outcome.run:
            self.log.enter(outcome.run, outcome.ask.trigger)
        try:
            if outcome.report is not None:
                self._found(outcome.report)
                self._done(outcome, outcome.report)
            else:
                self._not_done(outcome)
        finally:
            self._leave()

    def _leave(self) -> None:
        if self.token is not None:
            self.log.leave(self.token)
            self.token = None

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

    def _found(self, report: Report) -> None:
        """What of it is new since the last run."""
        for message in report.healed:
            self.log.event("healed", "warning", message)
        for message in self._new("unavailable", [(str(m), m) for m in report.unavailable]):
            self.log.event("source_unavailable", "warning", message)
        problems = report.tally.problems.values()
        self._failed(sorted(self._new("problems", [((p.key, p.reason.text), p) for p in problems])))
        held: list[Key] = sorted(self._new("held", [(key, key) for key in report.tally.held]))
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

    def _new(self, kind: str, items: Iterable[tuple[Hashable, Any]]) -> list[Any]:
        """Those that the last run did not have."""
        by_name = dict(items)
        before, self.known[kind] = self.known.get(kind, frozenset()), frozenset(by_name)
        return [value for name, value in by_name.items() if name not in before]


def stamp(at_ns: int) -> str:
    """The id of a run that has no number yet: when it began, ``20261130T020005.123``."""
    return time.strftime("%Y%m%dT%H%M%S", time.localtime(at_ns // 10**9)) + f".{at_ns // 10**6 % 1000:03d}"


_DONE = "Commit {commit}: {what}; {embedded} passages embedded, {reused} reused, {seconds} s."
_HELD = "{count} deletions are held: `indexer files --state held`, then `indexer update --now --allow-deletions`."
