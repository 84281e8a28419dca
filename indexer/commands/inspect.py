"""``files``, ``why``: what the catalog knows, for people and programs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..core.errors import DONE, UsageError
from ..core.model import Key, Message, State, raw
from ..store import audit
from ..store.catalog import GONE, Catalog, DocumentRow, notes_of
from . import knowledge_base
from .files import files, release_command
from .times import local
from .update import key_of

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..cli import Out


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What each command takes."""
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
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


def catalog_of(kb: KnowledgeBase) -> Catalog:
    """The served catalog; raises UsageError when nothing is indexed."""
    catalog = kb.catalog()
    if catalog is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    return catalog


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
        facts["release"] = release_command(source.path, key.path)
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
    author = audit.authors(catalog.db, [version[0]]).get(version[0], {}) if version else {}
    return {
        "actor": author.get("actor", ""), "client": author.get("client", ""), "trigger": author.get("trigger", ""),
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
        if facts["actor"]:
            who = f"{facts['actor']} ({facts['client']})" if facts["client"] else facts["actor"]
            out.say("Brought in by {actor}, trigger {trigger}", actor=who, trigger=facts["trigger"])
    else:
        out.say("{path} is not indexed.", path=name)
    out.say("State: {state}", state=Message("held" if row.held is not None else row.state))
    for note in notes_of(row.notes):
        out.say("Reason: {why}", why=note)
    if row.retry_at:
        out.say("Next try: {at} (after {tries} attempts)", at=facts["retry_at"], tries=row.tries)
    if row.held is None and row.state in (State.FAILED, State.STALE):
        out.say("Try it again at once: {command}", command=facts["release"])
    if row.pinned:
        out.say("Pinned by a rollback to commit {commit}; `indexer rollback --release` ends it.", commit=row.pinned)
    if rule and row.held is None:
        out.say("The next update takes it out: {why}.", why=rule)


def _files(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    return files(kb, catalog_of(kb), options, out)


_COMMANDS = {"files": _files, "why": _why}
