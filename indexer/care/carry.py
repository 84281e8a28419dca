"""What a new generation takes over from the served one: versions that no file shows any more.

Held deletions, documents whose newest file no longer parses, folders that cannot be read:
the served generation still finds them in their last good version, so the new one must too.
Their chunks come along as they are; only their vectors may have to be made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import StoreDamaged
from ..core.model import FileStat, State
from ..sources import folder
from ..store.batch import Batch, Draft, Settled
from ..store.catalog import DOCUMENT_COLUMNS, Catalog, DocumentRow, unpack_ids
from ..store.local import Layout, Store
from ..store.passages import Passages
from ..store.texts import key_of

if TYPE_CHECKING:
    from collections.abc import Callable

_PORTION = 200


def kept_versions(
    layout: Layout, store: Store, sources: Sequence[str], embed: Callable[[Mapping[bytes, str]], Any], run: int, at: int
) -> int:
    """Bring over every document the served generation shows and ``store`` does not.

    Call it when ``store`` is filled and about to be served, with deletions already applied to
    the served one. Returns how many documents were brought. Under ``writer.lock``.
    """
    served = layout.named()
    if served is None or served == store.generation:
        return 0
    try:
        catalog = Catalog.open(layout.metadata / served, readonly=True)
    except StoreDamaged:
        return 0
    brought = 0
    try:
        texts = layout.metadata / served / "texts"
        with catalog.db.read(), Passages(catalog, layout.vectorstore / served, texts) as passages:
            for name in sources:
                for rows in _missing(catalog, store, name):
                    batch = _batch(catalog, store, passages, name, rows, Batch(run=run, at=at, note="carried over"))
                    if batch.texts:
                        batch.vectors = embed(batch.texts)
                    store.add_documents(batch)
                    brought += len(rows)
    finally:
        catalog.close()
    return brought


def _missing(old: Catalog, store: Store, name: str) -> Iterator[list[DocumentRow]]:
    """Documents of a source that the old catalog shows and the new one does not, in portions."""
    source = old.source_ids().get(name)
    wanted = "source=? AND (content IS NOT NULL OR pinned IS NOT NULL)"
    shown = [DocumentRow(*r) for r in old.db.all(f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE {wanted}", (source,))]
    new_source = store.catalog.source_ids().get(name)
    new = store.catalog.documents(new_source, [r.path for r in shown]) if new_source is not None else {}
    absent = [r for r in shown if _differs(r, new.get(r.path))]
    yield from (absent[i : i + _PORTION] for i in range(0, len(absent), _PORTION))


def _differs(old: DocumentRow, new: DocumentRow | None) -> bool:
    """Whether a document must come along: no file shows it, or a rollback pinned it."""
    if old.pinned is not None:
        return new is None or new.pinned != old.pinned
    return new is None or (new.content is None and new.state == State.FAILED)


def _batch(
    old: Catalog, store: Store, passages: Passages, name: str, rows: Sequence[DocumentRow], batch: Batch
) -> Batch:
    source = store.catalog.source_ids()[name]
    new = store.catalog.documents(source, [r.path for r in rows])
    columns = "id,sha,state,notes,title,details,spans,passages"
    contents = {
        c[0]: c
        for c in old.db.among(
            f"SELECT {columns} FROM content WHERE id IN ({{}})", [r.content for r in rows if r.content]
        )
    }
    have = store.catalog.contents([c[1] for c in contents.values()])
    for row in rows:
        now = new.get(row.path)
        if row.content is None:
            batch.settled.append(
                Settled(source, row.path, now.sha if now else row.sha, row.state, None, pinned=row.pinned)
            )
            continue
        _, sha, state, notes, title, details, spans, ids = contents[row.content]
        if sha not in have and sha not in batch.drafts:
            own = [passages.text(p) for p in unpack_ids(ids)]
            keys = tuple(key_of(t) for t in own)
            batch.drafts[sha] = Draft(sha, state, notes, title or "", details, spans, keys)
            batch.texts |= zip(keys, own, strict=True)
        # a file that fails now is stale; one that is only gone or out of sight stands as it stood
        fails = now is not None and now.content is None
        standing = (now.sha, State.STALE, now.notes, now.tries, now.retry_at) if now and fails else (
            now.sha if now else row.sha, row.state, row.notes, 0, None)  # fmt: skip
        batch.settled.append(
            Settled(
                source,
                row.path,
                standing[0],
                standing[1],
                sha,
                *standing[2:],
                denied=row.denied,
                held=row.held,
                pinned=row.pinned,
            )
        )
    batch.folders = _folders(
        store, source, [r for r in rows if r.path not in new and r.held is None and r.content is not None]
    )
    known = store.catalog.passages(list(batch.texts))
    batch.texts = {k: t for k, t in batch.texts.items() if k not in known}
    return batch


def _folders(store: Store, source: int, rows: Sequence[DocumentRow]) -> list[tuple[int, bytes, bytes | None]]:
    """Records of the folders that could not be seen, so that a later look can find a file gone."""
    known = store.catalog.folders(source)
    files: dict[bytes, dict[bytes, FileStat]] = {}
    for row in rows:
        where, _, name = row.path.rpartition(b"/")
        own = files.setdefault(where, folder.unpack(known[where]) if where in known else {})
        own.setdefault(name, folder.unsettled(FileStat(0, 0, 0, 0)))
    return [(source, where, folder.pack(own)) for where, own in files.items()]
