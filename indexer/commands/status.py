"""``status``: is the index fresh, what is pending, and what is wrong; problems first."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import DONE, INTERNAL, NO_SOURCE, PARTIAL, StoreDamaged
from ..core.following import STATES
from ..core.model import Message
from ..glance import glance, message_of
from . import knowledge_base, settings_of
from .times import ago, local

if TYPE_CHECKING:
    from ..cli import Out
    from ..settings import Settings

Say = Callable[..., str]


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes."""
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
    sub.add_argument("--look", action="store_true", help=t("look at the folders too: what would an update do"))
    sub.add_argument(
        "--health", action="store_true", help=t("exit code 0 if the daemon runs and the index can be read, else 1")
    )


def run(options: argparse.Namespace, out: Out) -> int:
    """Prints the facts; exit code 3 when documents are not found in their newest version."""
    settings = settings_of(options, out)
    facts = _facts(settings, options, out)
    odd = facts["failed"] + facts["stale"] + facts["held"]
    code = PARTIAL if odd else DONE
    if options.look:
        report = knowledge_base(options, out).update(dry_run=True)
        t = report.tally
        facts["pending"] = {k: len(getattr(t, k)) for k in ("added", "modified", "deleted", "held")}
        facts["unavailable"] = [str(m) for m in report.unavailable]
        code = NO_SOURCE if report.unavailable else code
    problems = list(_problems(facts, report.unavailable if options.look else ()))
    if options.health:
        code = DONE if facts["daemon"] else INTERNAL
    if options.json:
        out.json({**_plain(facts), "problems": [str(m) for m in problems]})
        return code
    for problem in problems:
        out.say(_painted("{problem}"), problem=problem)
    for line in _lines(facts, out):
        out.say(line)
    return code


def _facts(settings: Settings, options: argparse.Namespace, out: Out) -> dict[str, Any]:
    now = time.time_ns()
    try:
        facts = glance(settings, now)
    except StoreDamaged:
        catalog = knowledge_base(options, out).catalog()  # says what is wrong with it, if anything is
        if catalog is None:
            raise
        facts = glance(settings, now, catalog.db.con)
    documents = facts["documents"]
    return {**facts, "failed": documents.get("failed", 0), "stale": documents.get("stale", 0)}


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as JSON shows them: points in time with their offset."""

    def run(r: Mapping[str, Any] | None) -> dict[str, Any] | None:
        return {**r, "started": local(r["started"]), "finished": local(r["finished"])} if r else None

    following = facts["next_run"]
    return {
        **facts, "committed": local(facts["committed"]), "last_run": run(facts["last_run"]),
        "last_success": run(facts["last_success"]), "next_run": following and {**following, "at": local(following["at"])},
    }  # fmt: skip


def _painted(template: str) -> str:
    """In yellow where a person looks at a terminal."""
    import os
    import sys

    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return f"! {template}" if plain else f"\033[33m! {template}\033[0m"


# ---- what is wrong -------------------------------------------------------------------


def _problems(facts: Mapping[str, Any], unavailable: Any) -> Iterator[Message]:
    yield from unavailable
    if (free := facts["disk"]["free_bytes"]) is not None and free < facts["disk"]["reserve_bytes"]:
        room = {"free": free // 2**20, "reserve": facts["disk"]["reserve_bytes"] // 2**20}
        yield Message("Only {free} MB are free, {reserve} MB are kept in reserve: updates stop. Free some space.", room)
    last = facts["last_run"]
    if last and last["exit_code"] not in (DONE, PARTIAL):
        yield _stopped(last)
    if facts["held"]:
        yield Message(
            "{count} deletions are held: `indexer files --state held`, then `indexer update --now --allow-deletions`.",
            {"count": facts["held"]},
        )
    if facts["failed"]:
        yield Message("{count} documents failed: `indexer files --state failed`", {"count": facts["failed"]})
    if facts["stale"]:
        yield Message(
            "{count} documents are found in an older version only: `indexer files --state stale`",
            {"count": facts["stale"]},
        )
    for one in facts["followers"]:
        if one["error"] and one["state"] in ("down", "misconfigured"):
            yield Message("Follower {name}: {error}", {"name": one["name"], "error": message_of(one["error"])})
    if facts["commit"] and not facts["fresh"]["fresh"]:
        yield _aged(facts)


def _stopped(run: Mapping[str, Any]) -> Message:
    error = run["report"].get("error")
    if error:
        return Message("The last run could not go on: {error}", {"error": message_of(error)})
    return Message("The last run ended with exit code {code}.", {"code": run["exit_code"]})


def _aged(facts: Mapping[str, Any]) -> Message:
    age = facts["fresh"]["age_seconds"]
    if age is None:
        return Message("The folders have never been looked at in full.")
    return Message("The folders were last looked at in full {ago}.", {"ago": ago(age)})


# ---- how it stands -------------------------------------------------------------------


def _lines(facts: Mapping[str, Any], out: Out) -> Iterator[Message]:
    if not facts["commit"]:
        yield Message("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    else:
        yield from _index(facts, out)
    yield from _daemon(facts)
    if "pending" in facts:
        yield Message("Pending: {what}", {"what": _counts(facts["pending"], out.text) or Message("no change")})


def _index(facts: Mapping[str, Any], out: Out) -> Iterator[Message]:
    age = facts["fresh"]["age_seconds"]
    if age is not None:
        words = {"ago": ago(age), "commit": facts["commit"], "at": local(facts["committed"])}
        yield Message("Up to date as of {ago}; commit {commit} of {at}", words)
    else:
        yield Message("Commit {commit} of {at}", {"commit": facts["commit"], "at": local(facts["committed"])})
    counts = _counts(dict(sorted(facts["documents"].items())), out.text)
    yield Message("Documents: {counts}; {passages} passages", {"counts": counts or "0", "passages": facts["passages"]})
    if last := facts["last_run"]:
        names = {"at": "finished", "actor": "actor", "trigger": "trigger", "code": "exit_code"}
        words = {name: last[key] for name, key in names.items()} | {"at": local(last["finished"])}
        yield Message("Last run: {at} by {actor} ({trigger}), exit code {code}", words)
    sizes = {"free": _size(facts["disk"]["free_bytes"]), "index": _size(facts["disk"]["index_bytes"])}
    yield Message("Disk: {free} free, the index takes {index}", sizes)
    yield Message("Model: {model}", {"model": facts["model"]})
    if facts["configured_model"] != facts["model"]:
        yield Message(
            "Configured is {model}; the next update embeds everything with it beside the served index.",
            {"model": facts["configured_model"]},
        )
    if facts["pinned"]:
        yield Message(
            "{count} documents are pinned by a rollback: `indexer rollback --release` ends it.",
            {"count": facts["pinned"]},
        )


def _daemon(facts: Mapping[str, Any]) -> Iterator[Message]:
    if not facts["daemon"]:
        yield Message(
            "No daemon runs: start it with `indexer run`, or with the machine: `indexer install-service --install`."
        )
        return
    if running := facts["running"]:
        words = {"trigger": running["trigger"], "since": local(running["since_ns"]), "waiting": facts["waiting"]}
        yield Message("Updating since {since} ({trigger}); {waiting} more wait", words)
    elif facts["waiting"]:
        yield Message("{waiting} requests wait", {"waiting": facts["waiting"]})
    if facts["web"]:
        yield Message("Served on {address}", {"address": facts["web"]})
    for one in facts["followers"]:
        if one["behind"]:
            words = {"name": one["name"], "state": STATES[one["state"]], "count": one["behind"]}
            yield Message("Follower {name}: {state}, behind by {count} documents", words)
        else:
            yield Message("Follower {name}: {state}, in step", {"name": one["name"], "state": STATES[one["state"]]})
    if following := facts["next_run"]:
        words = {"at": local(following["at"]), "schedule": following["schedule"]}
        yield Message("Next run: {at}, {schedule}", words)
    if names := [w["source"] for w in facts["watch"] if w.get("how") == "events"]:
        yield Message("Watched: {sources}", {"sources": ", ".join(names)})
    for watched in facts["watch"]:
        if watched.get("how") == "polling":
            words = {"source": watched["source"], "why": message_of(watched.get("why") or "?")}
            yield Message("Polled: {source} ({why})", words)


def _counts(counts: Mapping[str, int], say: Say) -> str:
    return ", ".join(say("{name} {count}", name=Message(name), count=n) for name, n in counts.items() if n)


def _size(size: int | None) -> str:
    """Bytes for people: 0.4 MB, 12 MB, 3.1 GB."""
    if size is None:
        return "?"
    if size >= 2**30:
        return f"{size / 2**30:.1f} GB"
    return f"{size / 2**20:.0f} MB" if size >= 10 * 2**20 else f"{size / 2**20:.1f} MB"
