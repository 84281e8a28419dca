"""The audit trail of a generation that is replaced goes on in the one that takes its place.

Entry by entry, as far as they hold. The commit with which the new generation is served follows the
last one of the old: it says who replaced it and when, what is shown otherwise than before, which
commits filled the generation, and which part of the trail could not be read any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ..core.errors import StoreDamaged
from ..store import audit, disk, tip
from ..store.audit import NOTHING, Document, Made
from ..store.batch import Batch
from ..store.catalog import Catalog
from ..store.digests import add_terms
from ..store.local import Layout, Store
from .audit_links import Link, breaks, links_of, named
from .audit_proofs import shown
from .proofs import terms

NOTE = "another generation is served"
_SERVED = "audit_served"  # this generation's name and the commit it was about to be served with


_RUN = "id,started,finished,actor,trigger,exit_code,report"
_UNREADABLE = (StoreDamaged, ValueError, TypeError, KeyError, AttributeError, OverflowError)
"""What a damaged catalog makes of reading it."""


class _Old(NamedTuple):
    """What can be read of the trail that is to go on. ``shown``: None unless it proves to be what was committed."""

    links: dict[int, Link]
    stored: dict[int, bytes]
    audited: bool
    removed: Mapping[str, Any]
    runs: list[tuple[Any, ...]]
    shown: dict[tuple[str, str], str] | None
    end: tuple[int, bytes]
    tip: tuple[int, bytes] | None


def succeed(layout: Layout, store: Store, run: int, at: int) -> None:
    """Carry the served trail into ``store``, which is about to be served, and add the commit that says so.

    The last thing before HEAD is replaced; done again when that did not come to pass. Under ``writer.lock``.
    """
    served = layout.named()
    if served is None or served == store.generation:
        return
    old, db = _read(layout, served), store.catalog.db
    if _begun(store):
        disk.remove(store.folder / tip.NAME)  # it may name the commit that goes now
    with db.write():
        _undo(store)
        _take_over(store.catalog, old)
        batch = Batch(run=run, at=at, note=NOTE, author=store.author)
        n = audit.write_commit(store.catalog, batch, _made(store.catalog, old, batch, served))
        settle_runs(store.catalog)
        store.catalog.set_meta(**{_SERVED: f"{store.generation} {n}"})
    store.note_tip()


def _begun(store: Store) -> int:
    """The commit this generation was about to be served with when a run ended too early, else 0."""
    generation, _, n = str(store.catalog.meta(_SERVED) or "").partition(" ")
    return int(n) if generation == store.generation else 0


def _undo(store: Store) -> None:
    if n := _begun(store):
        for table in ("audit", "log"):
            store.catalog.db.run(f"DELETE FROM {table} WHERE n=?", (n,))


# ---- what there is to carry ----------------------------------------------------------


def _read(layout: Layout, generation: str) -> _Old:
    """As much as a catalog that may be damaged gives."""
    known = tip.read(layout.metadata / generation)
    try:
        catalog = Catalog.open(layout.metadata / generation, readonly=True)
    except StoreDamaged:
        return _Old({}, {}, True, {}, [], None, (0, NOTHING), known)
    try:
        return _readable(catalog, known)
    finally:
        catalog.close()


def _readable(catalog: Catalog, known: tip.Tip | None) -> _Old:
    links, stored, ends, audited = {}, {}, {known.hash} if known else set(), False
    for n, entry in _rows(catalog):
        audited = True
        with suppress(StoreDamaged):
            links[n], stored[n] = Link.of(audit.unpack(n, entry)), entry
    removed: Mapping[str, Any] = {}
    runs: list[tuple[Any, ...]] = []
    end, all_ = (0, NOTHING), None
    with suppress(*_UNREADABLE):
        n, hash_ = catalog.db.one("SELECT n,hash FROM log ORDER BY n DESC LIMIT 1") or end
        end = (int(n), bytes.fromhex(hash_.hex()))
        ends.add(end[1])
        gone = audit.removed(catalog)
        removed = gone if gone and len(bytes.fromhex(gone["hash"])) == len(NOTHING) and gone["commit"] > 0 else {}
        runs = [r for r in catalog.db.all(f"SELECT {_RUN} FROM run") if _is_run(r)]
        all_ = _proved(catalog, known)
    good = named(links.values()) | ends
    kept = {n: link for n, link in links.items() if link.hash in good}
    return _Old(kept, {n: stored[n] for n in kept}, audited or bool(removed), removed, runs, all_, end, known)


def _is_run(row: tuple[Any, ...]) -> bool:
    kinds = (int, int, int, str, str, int, str)
    return all(type(v) is k or (v is None and i > 1) for i, (v, k) in enumerate(zip(row, kinds, strict=True)))


def _rows(catalog: Catalog) -> Iterator[tuple[int, bytes]]:
    """From the front until a damaged page, then from the end."""
    last = 0
    try:
        for n, entry in audit.rows(catalog.db):
            yield n, entry
            last = n
    except StoreDamaged:
        with suppress(StoreDamaged):
            below: int | None = None
            while row := catalog.db.one(
                "SELECT n,entry FROM audit WHERE n>? AND n<coalesce(?,n+1) ORDER BY n DESC LIMIT 1", (last, below)
            ):
                yield row[0], row[1]
                below = row[0]


def _proved(catalog: Catalog, known: tip.Tip | None) -> dict[tuple[str, str], str] | None:
    """What the newest commit shows, if it is what was committed."""
    row = catalog.db.one("SELECT state,hash FROM log ORDER BY n DESC LIMIT 1")
    if row is None or (known is not None and known.hash != row[1]):
        return {} if row is None and known is None else None
    value = terms(catalog)
    open_ = catalog.db.all("SELECT document,content FROM version WHERE removed IS NULL")
    return shown(catalog) if add_terms(bytes(32), (value(d, c) for d, c in open_), ()) == row[0] else None


# ---- carrying --------------------------------------------------------------------------


def _take_over(catalog: Catalog, old: _Old) -> None:
    """Entries, runs, and where retention cut the trail."""
    db, own = catalog.db, audit.removed(catalog)
    db.run_many("INSERT OR REPLACE INTO audit(n,entry) VALUES(?,?)", sorted(old.stored.items()))
    db.run_many(f"INSERT OR IGNORE INTO run({_RUN}) VALUES(?,?,?,?,?,?,?)", old.runs)
    if old.removed and old.removed["commit"] > own.get("commit", 0):
        catalog.set_meta(**{audit.REMOVED: json.dumps(dict(old.removed))})
        db.run("DELETE FROM audit WHERE n<=?", (old.removed["commit"],))


def _made(catalog: Catalog, old: _Old, batch: Batch, served: str) -> Made:
    """What the commit says; ``batch`` learns above which number it is and what was lost."""
    links, unreadable = links_of(catalog.db)
    catalog.db.run_among("DELETE FROM audit WHERE n IN ({})", unreadable)
    gone = audit.removed(catalog)
    start = (gone["commit"], bytes.fromhex(gone["hash"])) if gone else (0, NOTHING)
    last = max(links, default=start[0])
    previous = links[last].hash if links else start[1] if gone else old.end[1]
    newest = old.tip or old.end
    batch.above = max(last, old.end[0], newest[0])
    if newest[1] not in (previous, NOTHING, *(link.hash for link in links.values())):
        batch.lost = newest
    stated = {h for link in links.values() for h in link.holes}
    if old.audited and not links and not gone:  # nothing of it can be read: this one begins another trail
        links[audit.next_number(catalog, batch)] = Link(previous, NOTHING, batch.at)
    holes = [h for h in breaks(links, start) if h not in stated and h.previous != NOTHING.hex()]
    statements: dict[str, Any] = {"replaces": {"generation": served, "whole": old.shown is not None}}
    statements |= {"holes": [list(h) for h in holes]} if holes else {}
    head = catalog.db.one("SELECT n,state,hash FROM log ORDER BY n DESC LIMIT 1") or (0, bytes(32), NOTHING)
    base = int(catalog.db.value("SELECT max(n) FROM log WHERE n IN (SELECT n FROM audit)") or 0)
    if first := catalog.db.value("SELECT min(n) FROM log WHERE n>?", (base,)):
        statements["fills"] = [first, head[0], head[2].hex()]
    before = old.shown if old.shown is not None else _told(catalog, base)
    return Made((0, 0), head[1], _differing(before, shown(catalog)), statements, previous)


def _told(catalog: Catalog, base: int) -> dict[tuple[str, str], str]:
    """What was shown last, as the trail tells it from a commit on that is here (0: from the beginning)."""
    told = shown(catalog, base) if base else {}
    for n, stored in audit.rows(catalog.db, base):
        for source, path, _, after in audit.unpack(n, stored).facts["documents"]:
            told.pop((source, path), None)
            told |= {(source, path): after} if after else {}
    return told


def _differing(before: Mapping[tuple[str, str], str], after: Mapping[tuple[str, str], str]) -> list[Document]:
    keys = sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k))
    return [(*k, before.get(k), after.get(k)) for k in keys]


def settle_runs(catalog: Catalog) -> int:
    """Let the record of runs say what the entries prove; returns how many it said otherwise."""
    runs = {run: (actor, trigger) for run, actor, trigger in catalog.db.all("SELECT id,actor,trigger FROM run")}
    wrong: dict[int, tuple[Any, ...]] = {}
    for n, stored in audit.rows(catalog.db):
        try:
            f = audit.unpack(n, stored).facts
        except StoreDamaged:
            continue
        if runs.get(f["run"]) != (f["actor"], f["trigger"]):
            wrong[f["run"]] = (f["actor"], f["trigger"], f["at"])
    db = catalog.db
    db.run_many(
        "INSERT INTO run(id,actor,trigger,started) VALUES(?,?,?,?) ON CONFLICT(id) DO UPDATE SET actor=excluded.actor,trigger=excluded.trigger",
        ((run, *facts) for run, facts in wrong.items()),
    )
    return len(wrong)
