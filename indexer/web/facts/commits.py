"""The commits and what they changed, the snapshots, the runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...care import rollback, snapshots
from ...core.model import Key, Message, display, unraw
from ...docid import docid
from ...store import audit
from ..problems import NotFound
from . import plain, status, when

if TYPE_CHECKING:
    from ...api import KnowledgeBase
    from ...store.catalog import Catalog

_LOG = "SELECT n,at,run,note,added,removed,lower(hex(hash)) FROM log WHERE {} ORDER BY n DESC LIMIT ?"
_RUNS = (
    "SELECT id,started,finished,actor,trigger,exit_code,report FROM run WHERE {} ORDER BY id DESC LIMIT ?"
)  # fmt: skip
_RUN = ("run", "started", "finished", "actor", "trigger", "exit_code")


def commits(catalog: Catalog, limit: int, before: int | None) -> dict[str, Any]:
    """A page of commits, newest first."""
    rows = catalog.db.all(_LOG.format("n<?"), (before if before is not None else 2**62, limit + 1))
    known = audit.authors(catalog.db, [row[0] for row in rows])
    found = [_commit(row, known.get(row[0], {})) for row in rows[:limit]]
    return {"commits": found, "next": found[-1]["commit"] if len(rows) > limit else None}


def _commit(row: Any, author: Mapping[str, Any]) -> dict[str, Any]:
    n, at, run, note, added, removed, digest = row
    return {
        "commit": n, "at": when(at), "run": run, "note": plain(note or ""), "added": added, "removed": removed,
        "hash": digest, **{name: str(author.get(name, "")) for name in ("actor", "client", "trigger")},
    }  # fmt: skip


def commit(catalog: Catalog, n: int) -> dict[str, Any]:
    """One commit and what it changed; raises NotFound."""
    row = catalog.db.one(_LOG.format("n=?"), (n, 1))
    if row is None:
        raise NotFound(Message("There is no commit {n}.", {"n": n}))
    author = audit.authors(catalog.db, [n]).get(n, {})
    return {**_commit(row, author), "changes": changes(catalog, rollback.changes(catalog, n - 1, n))}


def changes(catalog: Catalog, found: Iterable[rollback.Change]) -> list[dict[str, Any]]:
    """Changes of documents as the API tells them."""
    listed = list(found)
    contents = [x for c in listed for x in (c.before, c.after) if x is not None]
    counts: dict[int | None, int] = dict(
        catalog.db.among("SELECT id,length(passages)/8 FROM content WHERE id IN ({})", contents)
    )
    return [
        {
            "document": docid(Key(c.source, unraw(c.path))), "source": display(c.source), "path": display(unraw(c.path)),
            "change": "added" if c.before is None else "deleted" if c.after is None else "modified",
            "chunks_before": counts.get(c.before, 0), "chunks_after": counts.get(c.after, 0),
        }
        for c in listed
    ]  # fmt: skip


def diff(kb: KnowledgeBase, old: str, new: str) -> dict[str, Any]:
    """What differs between two commits or times; ``new`` "" is the newest."""
    with kb.lock:
        reader = kb.reader()
        with reader.catalog.db.read():
            a = reader.commit_of(old)
            b = reader.commit_of(new) if new else reader.catalog.head()
            found = rollback.changes(reader.catalog, a, b)
            return {"from": a, "to": b, "changes": changes(reader.catalog, found)}


def runs(catalog: Catalog, limit: int, before: int | None, lang: str) -> dict[str, Any]:
    """A page of the runs that ended, newest first."""
    sql = _RUNS.format("finished IS NOT NULL AND id<?")
    rows = catalog.db.all(sql, (before if before is not None else 2**62, limit + 1))
    found = [_run(row, lang) for row in rows[:limit]]
    return {"runs": found, "next": found[-1]["run"] if len(rows) > limit else None}


def run(catalog: Catalog, n: int, lang: str) -> dict[str, Any]:
    """One run; raises NotFound."""
    row = catalog.db.one(_RUNS.format("id=?"), (n, 1))
    if row is None:
        raise NotFound(Message("There is no run {n} on record.", {"n": n}))
    return _run(row, lang)


def _run(row: Any, lang: str) -> dict[str, Any]:
    report = json.loads(row[-1]) if row[-1] else {}
    told = status.run({**dict(zip(_RUN, row, strict=False)), "report": report}, lang)
    assert told is not None  # noqa: S101 - there is a row
    return told


def listed_snapshots(kb: KnowledgeBase) -> dict[str, Any]:
    """The snapshots of the served generation, oldest first."""
    served = kb.layout.served()
    found = snapshots.listed(kb.layout, served) if served is not None else []
    return {"snapshots": [{"commit": s.commit, "at": when(s.at), "bytes": s.bytes} for s in found]}
