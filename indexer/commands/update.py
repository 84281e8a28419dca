"""``indexer update``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..config.cache import NAME as CACHE
from ..core.errors import DONE, PARTIAL, Busy, Interrupted, UsageError
from ..core.model import Key, Message
from . import knowledge_base

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..cli import Out
    from ..update import Report


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes."""
    sub.add_argument("--now", action="store_true", help=t("update in this process, at once"))
    sub.add_argument("--dry-run", action="store_true", help=t("say what would be done, change nothing"))
    sub.add_argument("--allow-deletions", action="store_true", help=t("release the deletions that are held"))
    sub.add_argument("--verify-content", action="store_true", help=t("hash every file, trust no time stamp"))
    sub.add_argument("--flush", action="store_true", help=t("then send the followers what they lack"))
    sub.add_argument("--no-wait", action="store_true", help=t("end with exit code 7 while another update is running"))
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
    sub.add_argument("path", nargs="*", metavar="PATH", help=t("only these files or folders"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Update, then say what was done."""
    if not options.now and not options.dry_run:
        raise UsageError("Say `indexer update --now` to update at once (or --dry-run to see what would be done).")
    kb = knowledge_base(options, out)
    from ..update import Request, update

    request = Request(
        dry_run=options.dry_run, allow_deletions=options.allow_deletions, verify_content=options.verify_content,
        paths=tuple(key_of(kb, p) for p in options.path), walked=options.walked,
    )  # fmt: skip
    stopped = stop_on_signal()
    tell = listener(options, out)
    kept: dict[str, Any] = {}

    def listen(kind: str, facts: Mapping[str, Any]) -> None:
        if kind == "commit":
            kept.update(facts)
        tell(kind, facts)

    try:
        edges = {} if options.no_wait else {"busy": patience(stopped, out)}
        report = update(kb.world(stop=stopped, tell=listen, **edges), request)
    except Interrupted:
        tell("end", {})
        if kept:
            raise Interrupted(
                "stopped; everything up to commit {commit} is kept, the next update goes on from there.",
                commit=kept["commit"],
            ) from None
        raise Interrupted("stopped; nothing was changed.") from None
    tell("end", {})
    print_report(report, options, out)
    if report.exit_code == 0 and not options.dry_run:
        _remember(kb, report, options, out)
    return _flushed(kb, report, options, out)


def _flushed(kb: KnowledgeBase, report: Report, options: argparse.Namespace, out: Out) -> int:
    """The exit code, after the followers were sent what they lack if that was asked for."""
    if not options.flush or options.dry_run:
        return report.exit_code
    from .followers import flush_all

    behind = flush_all(kb, [f for f in kb.settings.followers if f.enabled], out)
    return report.exit_code or (PARTIAL if behind else DONE)


def _remember(kb: KnowledgeBase, report: Report, options: argparse.Namespace, out: Out) -> None:
    """Let the next run that finds nothing changed answer without loading the product."""
    from .. import quick

    s = kb.settings
    if not os.path.exists(os.path.join(s.metadata, CACHE)):
        knowledge_base(options, out)  # read before there was a folder to keep the result in
    builtin = s.embedding.model.startswith(("builtin:", "python:"))
    if builtin and os.path.samefile(os.path.dirname(s.metadata), s.home) and os.path.basename(s.metadata) == "metadata":
        line = out.text(_DONE, commit="{commit}", what=out.text("no change"), embedded=0, reused=0, seconds="{seconds}")
        with suppress(OSError, KeyError):
            quick.remember(s.home, report.generation, s, report.suffixes, report.roots, line)


def key_of(kb: KnowledgeBase, path: str) -> Key:
    """The document (or folder) a path names; raises UsageError when it is in no source."""
    full = os.path.abspath(path)
    for source in kb.settings.sources:
        for root in (source.path, os.path.realpath(source.path)):
            if full == root:
                return Key(source.name, "")
            if full.startswith(root.rstrip(os.sep) + os.sep):
                return Key(source.name, os.path.relpath(full, root).replace(os.sep, "/"))
    raise UsageError(
        "{path} is in none of the sources ({sources}).",
        path=path,
        sources=", ".join(s.path for s in kb.settings.sources),
    )


def stop_on_signal() -> Callable[[], None]:
    """Ctrl-C and SIGTERM ask once for an end between two steps; a second Ctrl-C insists."""
    asked: list[int] = []

    def ask(number: int, frame: object) -> None:
        asked.append(number)
        if len(asked) > 1:
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)

    def stop() -> None:
        if asked:
            raise Interrupted("stopped")

    return stop


def patience(stop: Callable[[], None], out: Out) -> Callable[[Busy], None]:
    """Wait for another update, having said once whose it is; Ctrl-C ends the wait."""
    said: list[Busy] = []

    def wait(busy: Busy) -> None:
        if not said:
            out.warn(
                "Another update of this knowledge base is running ({who}); waiting for its end.", **busy.message.args
            )
        said.append(busy)
        stop()
        time.sleep(0.1)

    return wait


def listener(options: argparse.Namespace, out: Out) -> Callable[[str, Mapping[str, Any]], None]:
    """Who draws the progress: bars on a terminal, lines elsewhere, nobody when quiet."""
    if out.quiet or options.json:
        return lambda kind, facts: None
    from .progress import Lines, bars

    return bars(out) if sys.stderr.isatty() else Lines(out)


def print_report(report: Report, options: argparse.Namespace, out: Out) -> None:
    """What was done to stdout, what went wrong to stderr."""
    if options.json:
        out.json(as_json(report))
        return
    for message in report.healed:
        out.warn(message)
    for message in report.unavailable:
        out.warn(message)
    for problem in sorted(report.tally.problems.values(), key=lambda p: p.key):
        out.warn(
            "{state}: {path}: {reason}", state=Message(problem.state), path=str(problem.key), reason=problem.reason
        )
    if report.tally.held and not report.unavailable:
        out.warn(
            "{count} documents are gone from the folder; they stay searchable until you confirm with `indexer update --now --allow-deletions`: {names}",
            count=len(report.tally.held),
            names=", ".join(map(str, report.tally.held[:5])) + (" …" if len(report.tally.held) > 5 else ""),
        )
    _summary(report, out)


def _summary(report: Report, out: Out) -> None:
    t = report.tally
    counts = {
        "added": len(t.added), "modified": len(t.modified), "deleted": len(t.deleted), "moved": len(t.moved), "touched": t.touched,
        "unknown": t.unknown, "held": len(t.held), "failed": len(t.problems),
    }  # fmt: skip
    said = [out.text("{name} {count}", name=Message(name), count=n) for name, n in counts.items() if n]
    if report.dry_run:
        for kind in ("added", "modified", "deleted", "held"):
            for key in getattr(t, kind):
                out.say("{name}: {path}", name=Message(kind), path=str(key))
        out.say("Dry run: {counts}; nothing was changed.", counts=", ".join(said) or out.text("no change"))
        return
    what = ", ".join(said) or out.text("no change")
    out.say(
        _DONE,
        commit=report.commit, what=what, embedded=t.embedded, reused=t.reused, seconds=f"{report.seconds:.1f}",
    )  # fmt: skip


_DONE = "Commit {commit}: {what}; {embedded} passages embedded, {reused} reused, {seconds} s."


def as_json(report: Report) -> dict[str, Any]:
    """A report for programs: counts, names and reasons (English)."""
    t = report.tally
    return {
        "exit_code": report.exit_code, "run": report.run, "dry_run": report.dry_run,
        "commit_before": report.commit_before, "commit": report.commit, "seconds": round(report.seconds, 3),
        "embedded": t.embedded, "reused": t.reused, "parsed": t.parsed, "touched": t.touched, "unknown": t.unknown,
        "changes": {k: [list(x) for x in getattr(t, k)] for k in ("added", "modified", "deleted", "held")},
        "moved": [[list(a), list(b)] for a, b in t.moved],
        "problems": [{"source": p.key.source, "path": p.key.path, "state": str(p.state), "reason": str(p.reason)} for p in t.problems.values()],
        "unavailable": [str(m) for m in report.unavailable], "healed": [str(m) for m in report.healed],
    }  # fmt: skip
