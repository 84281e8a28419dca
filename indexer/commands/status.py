"""``status``: is the index fresh, and what is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..core.errors import DONE, NO_SOURCE, PARTIAL
from ..core.model import Message
from ..store.catalog import GONE
from .times import local

if TYPE_CHECKING:
    import argparse

    from ..api import KnowledgeBase
    from ..cli import Out


def status(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    """Prints the facts; exit code 3 when documents are not found in their newest version."""
    facts = _facts(kb)
    code = PARTIAL if facts["documents"].get("failed", 0) + facts["documents"].get("stale", 0) + facts["held"] else DONE
    if options.look:
        report = kb.update(dry_run=True)
        t = report.tally
        facts["pending"] = {k: len(getattr(t, k)) for k in ("added", "modified", "deleted", "held")}
        facts["unavailable"] = [str(m) for m in report.unavailable]
        code = NO_SOURCE if report.unavailable else code
    if options.json:
        out.json(facts)
        return code
    _say_status(facts, out)
    return code


def _facts(kb: KnowledgeBase) -> dict[str, Any]:
    catalog = kb.catalog()
    if catalog is None:
        return {
            "commit": 0,
            "documents": {},
            "passages": 0,
            "held": 0,
            "pinned": 0,
            "last_run": None,
            "model": kb.settings.embedding.model,
        }
    try:
        db = catalog.db
        documents = {state: n for state, n in catalog.counts().items() if state != GONE}
        row = db.one("SELECT id,started,finished,actor,trigger,exit_code,report FROM run ORDER BY id DESC LIMIT 1")
        last = db.one("SELECT n,at FROM log ORDER BY n DESC LIMIT 1")
        return {
            "commit": catalog.head(), "committed": local(last[1]) if last else "", "documents": documents,
            "passages": db.value("SELECT sum(count) FROM segment") or 0,
            "held": db.value("SELECT count(*) FROM document WHERE held IS NOT NULL"),
            "pinned": db.value("SELECT count(*) FROM document WHERE pinned IS NOT NULL"),
            "segments": db.value("SELECT count(*) FROM segment"),
            "last_run": _run_facts(row) if row else None, "model": json.loads(catalog.meta("embedding"))["model"],
            "configured_model": kb.settings.embedding.model, "sources": [s.path for s in kb.settings.sources],
        }  # fmt: skip
    finally:
        catalog.close()


def _run_facts(row: tuple[Any, ...]) -> dict[str, Any]:
    number, started, finished, actor, trigger, code, report = row
    return {
        "run": number, "started": local(started), "finished": local(finished), "actor": actor, "trigger": trigger,
        "exit_code": code, "report": json.loads(report) if report else {},
    }  # fmt: skip


def _say_status(facts: dict[str, Any], out: Out) -> None:
    if not facts["commit"]:
        out.say("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
        return
    out.say("Commit {commit} of {at}", commit=facts["commit"], at=facts["committed"])
    counts = ", ".join(
        out.text("{name} {count}", name=Message(s), count=n) for s, n in sorted(facts["documents"].items())
    )
    out.say("Documents: {counts}; {passages} passages", counts=counts or "0", passages=facts["passages"])
    last = facts["last_run"]
    if last:
        out.say(
            "Last run: {at} by {actor} ({trigger}), exit code {code}",
            at=last["finished"],
            actor=last["actor"],
            trigger=last["trigger"],
            code=last["exit_code"],
        )
    out.say("Model: {model}", model=facts["model"])
    if facts["configured_model"] != facts["model"]:
        out.say(
            "Configured is {model}; the next update embeds everything with it beside the served index.",
            model=facts["configured_model"],
        )
    if facts["held"]:
        out.say(
            "{count} deletions are held: `indexer files --state held`, then `indexer update --now --allow-deletions`.",
            count=facts["held"],
        )
    if facts["pinned"]:
        out.say(
            "{count} documents are pinned by a rollback: `indexer rollback --release` ends it.", count=facts["pinned"]
        )
    if "pending" in facts:
        for message in facts["unavailable"]:
            out.warn("{text}", text=message)
        said = ", ".join(out.text("{name} {count}", name=Message(k), count=n) for k, n in facts["pending"].items() if n)
        out.say("Pending: {what}", what=said or out.text("no change"))
