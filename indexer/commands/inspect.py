"""``status``, ``files``, ``why``: what the catalog knows, for people and programs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..core.errors import DONE, NO_SOURCE, PARTIAL, UsageError
from ..core.model import Key, Message, display, raw, unraw
from ..store.catalog import GONE, Catalog, DocumentRow, notes_of
from . import knowledge_base
from .times import local
from .update import key_of

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..cli import Out


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What each command takes."""
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
    if name == "status":
        sub.add_argument("--look", action="store_true", help=t("look at the folders too: what would an update do"))
    if name == "files":
        sub.add_argument("--state", metavar="STATE", help=t("only documents in this state"))
        sub.add_argument(
            "pattern", nargs="?", default="", metavar="PATTERN", help=t("only documents matching this glob or folder")
        )
    if name == "why":
        sub.add_argument("path", metavar="PATH", help=t("a file, as you would name it here"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    kb = knowledge_base(options, out)
    return _COMMANDS[options.command](kb, options, out)


# ---- status ----------------------------------------------------------------------------


def _status(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
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


# ---- files -----------------------------------------------------------------------------


def _files(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..search import matches

    catalog = catalog_of(kb)
    sql = (
        "SELECT s.name,d.path,d.state,d.notes,d.tries,d.retry_at,d.held,d.pinned,length(c.passages)/8,"
        "(SELECT max(added) FROM version v WHERE v.document=d.id AND v.removed IS NULL) "
        "FROM document d JOIN source s ON s.id=d.source LEFT JOIN content c ON c.id=d.content WHERE d.state<>'gone' ORDER BY s.name,d.path"
    )
    rows = []
    for source, path, state, notes, tries, retry_at, held, pinned, chunks, since in catalog.db.all(sql):
        shown = "held" if held is not None else state
        if (options.state and shown != options.state) or (
            options.pattern and not matches(options.pattern, source, unraw(path))
        ):
            continue
        rows.append({
            "source": source, "path": unraw(path), "state": shown, "chunks": chunks or 0, "version": since, "tries": tries,
            "retry_at": local(retry_at), "pinned": pinned, "reasons": notes_of(notes),
        })  # fmt: skip
    catalog.close()
    if options.json:
        out.json([{**r, "reasons": [str(m) for m in r["reasons"]]} for r in rows])
        return DONE
    for r in rows:
        reason = "; ".join(map(out.text, r["reasons"]))
        retry = out.text(" (next try {at})", at=r["retry_at"]) if r["retry_at"] else ""
        name = display(f"{r['source']}/{r['path']}")
        out.line(
            f"{out.text(Message(r['state'])):<10} {r['chunks']:>5}  {r['version'] or '-':>5}  {name}"
            + (f"  {reason}{retry}" if reason else "")
        )
    return DONE


def catalog_of(kb: KnowledgeBase) -> Catalog:
    """The served catalog; raises UsageError when nothing is indexed."""
    catalog = kb.catalog()
    if catalog is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    return catalog


# ---- why -------------------------------------------------------------------------------


def _why(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..parse import Parsers
    from ..sources.explain import explain

    key = key_of(kb, options.path)
    source = next(s for s in kb.settings.sources if s.name == key.source)
    parser = Parsers(kb.settings.limits, dict(kb.settings.loaders))
    rule = explain(source, key.path, parser.suffixes())
    catalog = kb.catalog()
    row = row_of(catalog, key) if catalog else None
    facts: dict[str, Any] = {
        "source": key.source,
        "path": key.path,
        "rule": rule and str(rule),
        "state": row.state if row else None,
    }
    if catalog and row:
        facts |= _version_facts(catalog, row)
    if options.json:
        out.json({**facts, "reasons": [str(m) for m in notes_of(row.notes)] if row else []})
        return DONE
    _say_why(key, rule, row, facts, out)
    return DONE


def row_of(catalog: Catalog, key: Key) -> DocumentRow | None:
    """A document's row, None for one that was never indexed."""
    source = catalog.source_ids().get(key.source)
    return catalog.documents(source, [raw(key.path)]).get(raw(key.path)) if source is not None else None


def _version_facts(catalog: Catalog, row: DocumentRow) -> dict[str, Any]:
    version = catalog.db.one(
        "SELECT v.added,l.at FROM version v LEFT JOIN log l ON l.n=v.added WHERE v.document=? AND v.removed IS NULL",
        (row.id,),
    )
    content = (
        catalog.db.one(
            "SELECT hex(substr(sha,1,32)),length(passages)/8,details,title FROM content WHERE id=?", (row.content,)
        )
        if row.content
        else None
    )
    return {
        "commit": version[0] if version else None, "since": local(version[1]) if version else "",
        "sha256": content[0].lower() if content else None, "chunks": content[1] if content else 0,
        "details": json.loads(content[2]) if content and content[2] else {}, "title": content[3] if content else "",
        "tries": row.tries, "retry_at": local(row.retry_at), "held": row.held is not None, "pinned": row.pinned,
    }  # fmt: skip


def _say_why(key: Key, rule: Message | None, row: DocumentRow | None, facts: dict[str, Any], out: Out) -> None:
    name = str(key)
    if row is None or row.state == GONE:
        if rule:
            out.say("{path} is not indexed: {why}.", path=name, why=rule)
        else:
            out.say("{path} is not indexed yet: no update has looked at it. Run `indexer update --now`.", path=name)
        return
    if row.content is not None:
        out.say("{path} is indexed: {chunks} chunks, in this version since commit {commit} ({since}).",
                path=name, chunks=facts["chunks"], commit=facts["commit"], since=facts["since"])  # fmt: skip
        out.say("SHA-256 {sha}", sha=facts["sha256"])
    else:
        out.say("{path} is not indexed.", path=name)
    out.say("State: {state}", state=Message("held" if row.held is not None else row.state))
    for note in notes_of(row.notes):
        out.say("Reason: {why}", why=note)
    if row.retry_at:
        out.say("Next try: {at} (after {tries} attempts)", at=facts["retry_at"], tries=row.tries)
    if row.pinned:
        out.say("Pinned by a rollback to commit {commit}; `indexer rollback --release` ends it.", commit=row.pinned)
    if rule and row.held is None:
        out.say("The next update takes it out: {why}.", why=rule)


_COMMANDS = {"status": _status, "files": _files, "why": _why}
