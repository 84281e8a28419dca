"""Runs as the service reports them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from indexer.core.model import Ask, Key, Message
from indexer.report import Outcome, Problem, Report

MINUTE, HOUR, DAY = 60 * 10**9, 3600 * 10**9, 86_400 * 10**9
NOON = 1_796_040_000 * 10**9  # 2026-11-30 12:00 UTC


def key(name: str) -> Key:
    """A document of the one source."""
    return Key("kb", name)


def done(
    at: int = NOON, *, added: Iterable[str] = (), modified: Iterable[str] = (), deleted: Iterable[str] = (),
    failed: Iterable[str] = (), held: Iterable[str] = (), unavailable: Iterable[Message] = (), trigger: str = "schedule",
    paths: Iterable[str] = (), reason: str = "the file needs a password; save a copy without one", **values: Any,
) -> Outcome:  # fmt: skip
    """A run that went on to its end."""
    report = Report()
    t = report.tally
    t.added = {key(n): b"" for n in added}
    t.modified = [key(n) for n in modified]
    t.deleted = {key(n): b"" for n in deleted}
    t.held = [key(n) for n in held]
    t.problems = {key(n): Problem(key(n), "failed", Message(reason)) for n in failed}
    report.unavailable = list(unavailable)
    ask = Ask(trigger, tuple(key(p) for p in paths))
    whole = {"run": 12, "commit_before": 41, "commit": 42, **values}
    return Outcome(
        ask=ask, started_ns=at - 9 * 10**9, ended_ns=at, exit_code=report.exit_code, report=report, error=None, **whole
    )


def failed(at: int = NOON, text: str = "{model} failed: {kind}: {reason}", code: int = 5) -> Outcome:
    """A run that could not go on."""
    args = {"model": "openai:m", "kind": "ConnectError", "reason": f"refused at {at}"}
    return Outcome(Ask("schedule"), at - 10**9, at, 12, code, None, Message(text, args), 42, 42)


def away(name: str = "share") -> Message:
    """A source that is not there."""
    return Message("Source {name}: the folder {path} is empty", {"name": name, "path": "/mnt/share"})
