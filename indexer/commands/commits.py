"""``history``, ``diff``: the commits, and what changed between two of them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import DONE, UsageError
from ..core.model import Key, Message, display, unraw
from ..store import audit
from ..store.catalog import Catalog
from . import knowledge_base
from .inspect import catalog_of, row_of
from .times import local
from .update import key_of

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..cli import Out


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What each command takes."""
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
    if name == "history":
        sub.add_argument("path", nargs="?", metavar="PATH", help=t("the versions of this file only"))
        sub.add_argument("-n", type=int, default=20, metavar="N", help=t("how many, newest first (default 20)"))
    if name == "diff":
        sub.add_argument("old", metavar="A", help=t("commit or time"))
        sub.add_argument(
            "new", nargs="?", default="", metavar="B", help=t("commit or time (default: the newest commit)")
        )


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    kb = knowledge_base(options, out)
    return {"history": _history, "diff": _diff}[options.command](kb, options, out)


def _history(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    catalog = catalog_of(kb)
    if options.path:
        rows = _versions(catalog, key_of(kb, options.path))
    else:
        sql = "SELECT n,at,run,note,added,removed,hex(hash) FROM log ORDER BY n DESC LIMIT ?"
        names = ("commit", "at", "run", "note", "added", "removed", "hash")
        rows = [dict(zip(names, r, strict=True)) | {"at": local(r[1])} for r in catalog.db.all(sql, (options.n,))]
    commits = [r["added" if options.path else "commit"] for r in rows]
    known = audit.authors(catalog.db, commits)
    rows = [{**r, **known.get(n, _NOBODY)} for n, r in zip(commits, rows, strict=True)]
    catalog.close()
    if options.json:
        out.json(rows)
        return DONE
    for r in rows:
        if options.path:
            out.say(
                "commits {added} to {removed}  {at}  {chunks} chunks  SHA-256 {sha}  {by}",
                **{**r, "removed": r["removed"] or "-", "sha": r["sha256"][:16], "by": by(r)},
            )
        else:
            out.say("commit {commit}  {at}  +{added} -{removed}  run {run} {note}  {by}", **r, by=by(r))
    return DONE


_NOBODY = {"actor": "", "client": "", "trigger": ""}


def by(facts: Mapping[str, Any]) -> str:
    """Who, and from where if it is known."""
    return f"{facts['actor']} ({facts['client']})" if facts["client"] else str(facts["actor"])


def _versions(catalog: Catalog, key: Key) -> list[dict[str, Any]]:
    row = row_of(catalog, key)
    if row is None:
        raise UsageError(
            "{path} was never indexed; `indexer why {name}` says more.", path=str(key), name=os.path.basename(key.path)
        )
    sql = (
        "SELECT v.added,v.removed,l.at,length(c.passages)/8,lower(hex(substr(c.sha,1,32))),c.title FROM version v JOIN content c ON c.id=v.content "
        "LEFT JOIN log l ON l.n=v.added WHERE v.document=? ORDER BY v.added DESC"
    )
    names = ("added", "removed", "at", "chunks", "sha256", "title")
    return [dict(zip(names, r, strict=True)) | {"at": local(r[2])} for r in catalog.db.all(sql, (row.id,))]


def _diff(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..care import rollback

    reader = kb.reader()
    with reader.catalog.db.read():
        old = reader.commit_of(options.old)
        new = reader.commit_of(options.new) if options.new else reader.catalog.head()
        changes = rollback.changes(reader.catalog, old, new)
        counts: dict[int | None, int] = dict(
            reader.catalog.db.among(
                "SELECT id,length(passages)/8 FROM content WHERE id IN ({})",
                [x for c in changes for x in (c.before, c.after) if x],
            )
        )
    rows: list[dict[str, Any]] = [
        {"source": c.source, "path": unraw(c.path), "change": "added" if c.before is None else "deleted" if c.after is None else "modified",
         "chunks_before": counts.get(c.before, 0), "chunks_after": counts.get(c.after, 0)}
        for c in changes
    ]  # fmt: skip
    if options.json:
        out.json({"old": old, "new": new, "changes": rows})
        return DONE
    for r in rows:
        out.line(
            f"{out.text(Message(r['change']))}: {display(r['source'] + '/' + r['path'])}  ({r['chunks_before']} → {r['chunks_after']})"
        )
    if not rows:
        out.say("Commits {old} and {new} show the same.", old=old, new=new)
    return DONE
