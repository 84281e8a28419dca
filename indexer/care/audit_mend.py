"""What ``repair`` does about audit entries that do not hold."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import StoreDamaged
from ..core.model import Message
from ..store import audit
from ..store.audit import NOTHING, Made
from ..store.batch import Batch
from ..store.catalog import Catalog
from ..store.local import Store
from . import snapshots
from .audit_links import Hole, Link, breaks, links_of, named
from .audit_proofs import Checked, check
from .audit_succession import settle_runs
from .findings import TRAIL

NOTE = "audit entries are missing"


def mend(store: Store, run: int, at: int) -> list[Message]:
    """Put entries back from snapshots; what none holds is left out, and a commit says so.

    An entry has its place by its hash, so a wrong one cannot be put back. Under ``writer.lock``.
    """
    checked = check(store.catalog)
    batch = Batch(run=run, at=at, note=NOTE)
    store.attribute(batch)
    if not batch.audited or not any(f.what == TRAIL for _, f in checked.findings):
        return []
    with store.catalog.db.write():
        back = _put_back(store, checked)
        _leave_out(store.catalog)
        runs = settle_runs(store.catalog)
        holes = _holes(store.catalog, batch)
        if holes:
            state = store.catalog.db.value("SELECT state FROM log ORDER BY n DESC LIMIT 1") or bytes(32)
            audit.write_commit(store.catalog, batch, Made((0, 0), state, (), {"holes": [list(h) for h in holes]}))
    store.note_tip()
    return list(_said(back, runs, len(holes), store.catalog.head()))


def _said(back: int, runs: int, holes: int, commit: int) -> Iterator[Message]:
    if back:
        yield Message("{count} audit entries were put back from a snapshot.", {"count": back})
    if runs:
        yield Message("{count} records of runs say again what the audit entries say.", {"count": runs})
    if holes:
        words = {"count": holes, "commit": commit}
        yield Message("Audit entries are missing in {count} places; commit {commit} says where. If no disk failed, somebody changed them.", words)  # fmt: skip


def _put_back(store: Store, checked: Checked) -> int:
    """Entries of the snapshots whose hash is the one that is missing here."""
    have = {link.hash for link in checked.links.values()}
    wanted = {hash_ for n, hash_ in checked.log.items() if hash_ not in have}
    wanted |= {link.previous for link in checked.links.values()} - have
    count = 0
    for snapshot in reversed(snapshots.listed(store.layout, store.generation)):
        for n, stored, hash_ in _entries(snapshot) if wanted else ():
            if hash_ in wanted:
                store.catalog.db.run("INSERT OR REPLACE INTO audit(n,entry) VALUES(?,?)", (n, stored))
                wanted.discard(hash_)
                count += 1
    return count


def _entries(snapshot: snapshots.Snapshot) -> Iterator[tuple[int, bytes, bytes]]:
    """(commit, stored entry, hash) of a snapshot, as far as it can be read."""
    try:
        catalog = Catalog.open(snapshot.folder, readonly=True)
    except StoreDamaged:
        return
    try:
        for n, stored in audit.rows(catalog.db):
            yield n, stored, audit.unpack(n, stored).hash
    except StoreDamaged:
        return
    finally:
        catalog.close()


def _leave_out(catalog: Catalog) -> None:
    """Remove entries that are not what was written: no later one names them, the commit has another hash."""
    checked = check(catalog)
    good = named(checked.links.values())
    bad = [n for n, link in checked.links.items() if link.hash != checked.log.get(n, link.hash)]
    bad += [n for n, link in checked.links.items() if n not in checked.log and link.hash not in good]
    bad += [n for (n,) in catalog.db.all("SELECT n FROM audit") if n not in checked.links]
    catalog.db.run_among("DELETE FROM audit WHERE n IN ({})", sorted(set(bad)))


def _holes(catalog: Catalog, batch: Batch) -> list[Hole]:
    """Where entries are missing and none says so yet, the commit about to be made included."""
    links, _ = links_of(catalog.db)
    stated = {h for link in links.values() for h in link.holes}
    gone = audit.removed(catalog)
    start = (gone["commit"], bytes.fromhex(gone["hash"])) if gone else (0, NOTHING)
    head = catalog.db.value("SELECT hash FROM log ORDER BY n DESC LIMIT 1") or NOTHING
    links[audit.next_number(catalog, batch)] = Link(head, NOTHING, batch.at, begins=not links and not gone)
    return [h for h in breaks(links, start) if h not in stated]
