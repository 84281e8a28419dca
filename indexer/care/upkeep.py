"""What keeps a store small, whole and restorable: healing, merging, sweeping, retention.

Runs at the start (healing) and in ``finish`` of a run, never between its commits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import StoreDamaged
from ..core.model import Key, Message, unraw
from ..core.tables import Source
from ..settings import Settings
from ..sources import folder
from ..store import disk, vectors
from ..store.catalog import Catalog, notes_of, stamp
from ..store.local import Store
from ..store.schema import HOLDS
from ..store.texts import Texts
from . import audit_retention, snapshots
from .sweep import sweep as sweep

if TYPE_CHECKING:
    from pathlib import Path

    from ..store.vectors import Vectors

DAY_NS = 86_400 * 10**9
FAN = 8
CAP = 65_536
_DROP_SHARE = 0.3
EmbedAll = Callable[[list[str]], Any]


# ---- healing -------------------------------------------------------------------------


def heal_segments(store: Store, embed: EmbedAll, *, prove: bool = False) -> list[Message]:
    """Prove every segment by its stamp, or by its hash when the stamp differs; mend vectors.

    Passages of a damaged vector file are embedded again from their texts. A damaged text file
    cannot be mended here: StoreDamaged. ``prove``: hash every file, whatever its stamp.
    """
    healed = []
    rows = store.catalog.db.all("SELECT id,vectors_sha,texts_sha,vectors_stamp,texts_stamp FROM segment ORDER BY id")
    for segment, vectors_sha, texts_sha, *stamps in rows:
        vector_path, text_path = store.segment_paths(segment)
        if not holds(text_path, texts_sha, "" if prove else stamps[1]):
            raise StoreDamaged("The text file {path} is damaged; run `indexer repair`.", path=str(text_path))
        if not holds(vector_path, vectors_sha, "" if prove else stamps[0]):
            count = _embed_again(store, segment, embed)
            healed.append(
                Message(
                    "{count} vectors of a damaged segment were made again ({path}).",
                    {"count": count, "path": str(vector_path)},
                )
            )
    return healed


def holds(path: Path, sha: bytes, known: str) -> bool:
    """Whether a file is the one written: by its stamp, or by its hash when the stamp differs."""
    try:
        return stamp(path) == known or bool(disk.sha256(path) == sha)
    except OSError:
        return False


def _embed_again(store: Store, segment: int, embed: EmbedAll) -> int:
    texts = Texts(store.segment_paths(segment)[1])
    ids, data = [i for i, _ in texts.items()], [t for _, t in texts.items()]
    texts.close()
    rows = embed([t.decode("utf-8", "replace") for t in data])
    _replace(store, [segment], (ids, data, rows), ())
    return len(ids)


# ---- merging -------------------------------------------------------------------------


def choose(counts: Sequence[int], fan: int = FAN, cap: int = CAP) -> range | None:
    """Which neighbouring segments to merge: a run with ``fan`` of one tier, up to ``cap`` passages.

    Tiers grow by the factor ``fan``, as in Lucene: a passage is rewritten about once a tier, so
    writes stay proportional to the change. Smaller neighbours come along but do not count: a
    handful of one-passage segments is no reason to rewrite large ones.
    """
    low, tier = 0, fan
    while low < cap:
        end = len(counts)
        while end > 0:
            start = end
            while start > 0 and counts[start - 1] < tier and sum(counts[start - 1 : end]) <= cap:
                start -= 1
            if sum(c >= low for c in counts[start:end]) >= fan:
                return range(start, end)
            end = min(start, end - 1)
        low, tier = tier, tier * fan
    return None


def merge(store: Store) -> bool:
    """Merge one run of small segments; True when there was one."""
    rows = store.catalog.db.all("SELECT id,count FROM segment ORDER BY first")
    run = choose([c for _, c in rows])
    if run is None:
        return False
    segments = [rows[i][0] for i in run]
    rewrite(store, segments)
    return True


def rewrite(store: Store, segments: Sequence[int]) -> None:
    """Put the passages of neighbouring segments that are still needed into one new segment."""
    unused = _unused(store.catalog, segments)
    ids: list[int] = []
    data: list[bytes] = []
    parts = []
    for segment in segments:
        vector_path, text_path = store.segment_paths(segment)
        own, rows = vectors.content_of(vector_path)
        keep = [i for i, p in enumerate(own.tolist()) if p not in unused]
        texts = Texts(text_path)
        ids += [int(own[i]) for i in keep]
        data += [texts.at(i) for i in keep]
        texts.close()
        parts.append(rows[keep])
    import numpy as np

    _replace(store, segments, (ids, data, np.concatenate(parts)), sorted(unused))


def _unused(catalog: Catalog, segments: Sequence[int]) -> set[int]:
    """Passages of these segments that no kept content holds."""
    unused: set[int] = set()
    for first, last in catalog.db.among("SELECT first,last FROM segment WHERE id IN ({})", segments):
        sql = (
            "SELECT id FROM passage WHERE dead IS NOT NULL AND id BETWEEN ? AND ? "
            f"AND NOT EXISTS(SELECT 1 FROM occurrence o WHERE {HOLDS.format(passage='passage.id')})"
        )
        unused.update(i for (i,) in catalog.db.all(sql, (first, last)))
    return unused


def _replace(
    store: Store, old: Sequence[int], new: tuple[list[int], list[bytes], Vectors], dropped: Sequence[int]
) -> None:
    """Swap segments in one transaction: the rows of dropped passages leave with their vectors."""
    row = store.write_segment(*new) if new[0] else None
    db = store.catalog.db
    with db.write():
        db.run_among("DELETE FROM segment WHERE id IN ({})", old)
        if row:
            db.run(
                "INSERT INTO segment(id,first,last,count,vectors_sha,texts_sha,vectors_stamp,texts_stamp) VALUES(?,?,?,?,?,?,?,?)",
                row,
            )
        db.run_among("DELETE FROM passage WHERE id IN ({})", dropped)


# ---- snapshots, retention, sweeping ---------------------------------------------------


def before_first_write(store: Store, settings: Settings, now_ns: int) -> None:
    """Snapshot the state a run starts from, when the last one is older than configured."""
    if store.catalog.db.value("SELECT 1 FROM log LIMIT 1") is None:
        return
    known = snapshots.listed(store.layout, store.generation)
    if not known or now_ns - known[-1].at > settings.snapshot_every_hours * 3600 * 10**9:
        if not known or known[-1].commit != store.catalog.head():
            snapshots.take(store, now_ns)
        snapshots.prune(store.layout, store.generation, settings.snapshots_kept)


def tidy(store: Store, settings: Settings, now_ns: int, *, wrote: bool) -> None:
    """After the last commit of a run: merge, forget what is past retention, sweep, snapshot."""
    if not wrote:
        sweep(store)  # a run that crashed after its last commit left its files to this one
        return
    while merge(store):
        pass
    last = store.catalog.meta("last_gc")
    if last is None or now_ns - last > DAY_NS:
        forget(store, now_ns - settings.retention_days * DAY_NS, now_ns)
        audit_retention.forget(store, settings.audit_days, now_ns)
        old_generations(store)
    sweep(store)
    if not snapshots.listed(store.layout, store.generation) and store.catalog.db.value("SELECT 1 FROM log LIMIT 1"):
        snapshots.take(store, now_ns)


def forget(store: Store, before_ns: int, now_ns: int) -> int:
    """Drop versions that ended before the retention, and what only they held.

    Returns the oldest commit that can still be searched.
    """
    db = store.catalog.db
    horizon = int(db.value("SELECT max(n) FROM log WHERE at<?", (before_ns,)) or 0)
    with db.write():
        store.catalog.set_meta(last_gc=now_ns, oldest=max(horizon, store.catalog.meta("oldest") or 0))
        ended = [r[0] for r in db.all("SELECT DISTINCT content FROM version WHERE removed<=?", (horizon,))]
        if horizon and ended:
            db.run("DELETE FROM version WHERE removed<=?", (horizon,))
            unheld = [c for (c,) in db.among(
                "SELECT id FROM content WHERE id IN ({}) AND NOT EXISTS(SELECT 1 FROM version WHERE content=content.id)", ended)]  # fmt: skip
            db.run_among("DELETE FROM occurrence WHERE content IN ({})", unheld)
            db.run_among("DELETE FROM content WHERE id IN ({})", unheld)
            db.run(
                "DELETE FROM document WHERE state='gone' AND pinned IS NULL "
                "AND NOT EXISTS(SELECT 1 FROM version WHERE document=document.id)"
            )
        db.run("DELETE FROM revival WHERE at<=?", (horizon,))
    for segment, count in db.all("SELECT id,count FROM segment ORDER BY first"):
        if len(_unused(store.catalog, [segment])) > _DROP_SHARE * count:
            rewrite(store, [segment])
    return horizon


def old_generations(store: Store) -> None:
    """Remove generations begun for settings that are not in force any more."""
    served = store.layout.named()
    for name in store.layout.generations():
        if name not in (served, store.generation):
            disk.remove_tree(store.layout.metadata / name)
            disk.remove_tree(store.layout.vectorstore / name)


# ---- scrubbing and standing problems ---------------------------------------------------


def due_for_scrub(catalog: Catalog, source: int, before_ns: int) -> set[bytes]:
    """Folders whose files were last all hashed before this time."""
    return {p for (p,) in catalog.db.all("SELECT path FROM folder WHERE source=? AND scrubbed<?", (source, before_ns))}


def unsettled(known: Mapping[bytes, bytes], due: Collection[bytes]) -> dict[bytes, bytes]:
    """The known folders with every file of the due ones marked to be hashed."""
    marked = {
        p: folder.pack({n: folder.unsettled(s) for n, s in folder.unpack(known[p]).items()}) for p in due if p in known
    }
    return {**known, **marked}


def standing_problems(store: Store, sources: Sequence[Source]) -> list[tuple[Key, str, Message]]:
    """Documents that are failed or stale since an earlier run."""
    names = {i: n for n, i in store.catalog.source_ids().items()}
    rows = store.catalog.db.all("SELECT source,path,state,notes FROM document WHERE state NOT IN ('indexed','gone')")
    wanted = {s.name for s in sources}
    return [
        (Key(names[s], unraw(p)), state, (notes_of(notes) or (Message("unknown"),))[0])
        for s, p, state, notes in rows
        if state in ("failed", "stale") and names[s] in wanted
    ]
