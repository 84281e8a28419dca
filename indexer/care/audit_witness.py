"""Hashes known from outside the trail: a chain that was rewritten as a whole proves itself, but not against these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from ..core.errors import StoreDamaged
from ..core.model import Message
from ..store import audit
from ..store.catalog import Catalog
from ..store.local import Layout
from ..store.tip import Tip
from . import snapshots
from .audit_links import inside
from .audit_proofs import Checked
from .findings import CATALOG, LOST, Finding


class Expected(NamedTuple):
    """What became of a hash that somebody noted: ``kept`` when it is proved, ``gone`` when an entry says why it is not."""

    hash: str
    commit: int
    kept: bool
    gone: bool = False


def published(catalog: Catalog, known: Tip | None) -> Iterator[tuple[int, Finding]]:
    """The commit on record beside the catalog; read it before the catalog, which may have moved on since."""
    if known is None:
        return
    head = catalog.head()
    if known.commit > head:
        words = {"lost": known.commit, "head": head}
        yield head + 1, Finding(LOST, Message("commit {lost} was published, but the catalog ends at {head}", words))
    elif catalog.db.value("SELECT hash FROM log WHERE n=?", (known.commit,)) != known.hash:
        yield known.commit, Finding(CATALOG, Message("commit {n} is not the one that was published", {"n": known.commit}))  # fmt: skip


def in_snapshots(layout: Layout, generation: str, checked: Checked) -> Iterator[tuple[int, Finding]]:
    """The newest commit of every snapshot is the one of this number in the trail."""
    lost = max((link.lost[0] for link in checked.links.values() if link.lost), default=0)
    for snapshot in snapshots.listed(layout, generation):
        try:
            with closing(Catalog.open(snapshot.folder, readonly=True)) as catalog:
                row = catalog.db.one("SELECT n,hash FROM log ORDER BY n DESC LIMIT 1")
        except StoreDamaged:
            continue  # for `verify` to say
        if row is not None and checked.log.get(row[0]) != row[1] and not (row[0] not in checked.log and row[0] <= lost):
            words = {"n": row[0], "path": str(snapshot.folder)}
            yield row[0], Finding(CATALOG, Message("commit {n} is another one in the snapshot {path}", words))


def expected(catalog: Catalog, checked: Checked, noted: str) -> Expected:
    """Whether the chain still holds a hash (or its first characters)."""
    removed = int(audit.removed(catalog).get("commit", 0))
    proved = {link.hash.hex(): n for n, link in checked.links.items()}
    unproved: dict[str, int] = {}
    holes = {hole for link in checked.links.values() for hole in link.holes}
    for n, digest in checked.log.items():
        if n not in checked.links:
            (unproved if n <= removed or inside(n, holes) else proved)[digest.hex()] = n
    for link in checked.links.values():
        unproved |= {link.lost[1]: link.lost[0]} if link.lost else {}
        unproved |= {hole.previous: hole.before - 1 for hole in link.holes}
    if gone := audit.removed(catalog):
        proved[gone["hash"]] = gone["commit"]
    for known, kept in ((proved, True), (unproved, False)):
        for hash_, n in known.items():
            if hash_.startswith(noted):
                return Expected(hash_, n, kept, not kept)
    return Expected(noted, 0, False)
