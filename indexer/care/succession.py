"""What a new generation takes over from the served one: standings first, old contents last.

Filled from the folders alone, another profile would forget what DESIGN 3 promises to keep:
documents whose deletion is held, that lie in a folder nobody can read today, that no longer
parse, or that a rollback pinned; and an emptied mount point would be served as an empty index.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import StoreDamaged
from ..core.model import State
from ..sources import folder
from ..store.batch import Batch, Draft, Settled
from ..store.catalog import DOCUMENT_COLUMNS, GONE, Catalog, DocumentRow, expand, squeeze, unpack_ids
from ..store.local import Layout, Store
from ..store.passages import Passages
from ..store.publish import put_documents
from ..store.texts import key_of
from . import audit_succession

if TYPE_CHECKING:
    from ..store.vectors import Vectors

EmbedKeyed = Callable[[Mapping[bytes, str]], "Vectors"]
AT_ONCE = 0
"""``retry_at`` of a document that the new generation has not read yet: due whenever it is looked at."""
_PORTION = 500
_UNLIKELY = 2**48  # a number of runs that only damage explains


def seed(old: Catalog, new: Catalog) -> None:
    """Copy sources, folders and standings, so that the first look finds what is gone, held or unknown.

    Every file is marked to be looked at, every document to be read; pinned ones keep what they show.
    """
    sources = old.db.all("SELECT id,name,root,device,inode FROM source WHERE root IS NOT NULL")
    ids = [s[0] for s in sources]
    folders = old.db.among("SELECT source,path,files,scrubbed FROM folder WHERE source IN ({})", ids)
    sql = f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE (state<>'{GONE}' OR pinned IS NOT NULL) AND source IN ({{}})"
    rows = [DocumentRow(*r) for r in old.db.among(sql, ids)]
    with new.db.write():
        new.db.run_many("INSERT INTO source(id,name,root,device,inode) VALUES(?,?,?,?,?)", sources)
        new.db.run_many(
            "INSERT INTO folder(source,path,files,scrubbed) VALUES(?,?,?,?)",
            ((s, p, _marked(b), at) for s, p, b, at in folders),
        )
        put_documents(new.db, map(_unread, rows))
        new.set_meta(seeded=old.head())
        reserve_runs(new, old)


def reserve_runs(new: Catalog, old: Catalog | None) -> None:
    """Let runs from now on have numbers that none had before, inside a write; ``old`` None: it cannot be read."""
    sql = "SELECT seq FROM sqlite_sequence WHERE name='run'"
    own = int(new.db.value(sql) or 0)
    used = old.db.value(sql) or 0 if old is not None else None
    if not isinstance(used, int) or used >= _UNLIKELY:
        used = own + 1000
    new.db.run("DELETE FROM sqlite_sequence WHERE name='run'")
    new.db.run("INSERT INTO sqlite_sequence(name,seq) VALUES('run',?)", (max(own, used),))


def numbered(layout: Layout, damaged: str, store: Store) -> Store:
    """The store, whose runs will have numbers that no run of the damaged generation had."""
    old = None
    with contextlib.suppress(StoreDamaged):
        old = Catalog.open(layout.metadata / damaged, readonly=True)
    try:
        with store.catalog.db.write():
            reserve_runs(store.catalog, old)
    except StoreDamaged:
        with store.catalog.db.write():
            reserve_runs(store.catalog, None)
    finally:
        if old is not None:
            old.close()
    return store


def _marked(blob: bytes) -> bytes:
    return squeeze(folder.pack({n: folder.unsettled(s) for n, s in folder.unpack(expand(blob)).items()}))


def _unread(row: DocumentRow) -> DocumentRow:
    return row._replace(content=None, tries=0, retry_at=AT_ONCE if row.pinned is None else None)


def carry(layout: Layout, store: Store, embed: EmbedKeyed, run: int, at: int, above: int) -> int:
    """Let ``store``, about to be served, show the last good version of what it could not read.

    The chunks stay as the old profile cut them, the vectors are the new one's. Returns how many
    documents were brought over; a damaged served catalog brings none. The last commit in it goes
    on with the served audit trail. ``above``: the newest commit of the served one, which may have gone on while
    ``store`` was filled: no number is given twice. Under ``writer.lock``.
    """
    served = layout.named()
    if served is None or served == store.generation:
        return 0
    brought = _shown_still(layout, store, served, embed, run, at, above)
    audit_succession.succeed(layout, store, run, at)
    return brought


def _shown_still(
    layout: Layout, store: Store, served: str, embed: EmbedKeyed, run: int, at: int, above: int
) -> int:  # fmt: skip
    try:
        old = Catalog.open(layout.metadata / served, readonly=True)
    except StoreDamaged:
        return 0
    try:
        texts = layout.metadata / served / "texts"
        with old.db.read(), Passages(old, layout.vectorstore / served, texts) as passages:
            pairs = _unshown(old, store.catalog)
            for i in range(0, len(pairs), _PORTION):
                batch = Batch(run=run, at=at, note=f"carried over from {served}")
                batch.above = above
                _bring(store, old, passages, pairs[i : i + _PORTION], embed, batch)
            return len(pairs)
    finally:
        old.close()


def _unshown(old: Catalog, new: Catalog) -> list[tuple[DocumentRow, int]]:
    """(row in the new catalog, content in the old one) of documents only the old one shows, rightly."""
    names = new.source_ids()
    sql = "SELECT s.name,d.path,d.content,d.denied FROM document d JOIN source s ON s.id=d.source WHERE d.content IS NOT NULL AND s.root IS NOT NULL"
    shown = {(names[s], p): (c, denied) for s, p, c, denied in old.db.all(sql) if s in names}
    rows = [DocumentRow(*r) for r in new.db.all(f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE content IS NULL")]
    pairs = []
    for row in rows:
        content, denied = shown.get((row.source, row.path), (None, 0))
        hidden = (row.state == GONE and row.pinned is None) or (row.denied and denied)
        if content is not None and not hidden:
            pairs.append((row, content))
    return pairs


def _bring(
    store: Store,
    old: Catalog,
    passages: Passages,
    pairs: Sequence[tuple[DocumentRow, int]],
    embed: EmbedKeyed,
    batch: Batch,
) -> None:
    sql = "SELECT id,sha,state,notes,title,details,spans,passages FROM content WHERE id IN ({})"
    contents: dict[int, tuple[Any, ...]] = {r[0]: r[1:] for r in old.db.among(sql, [c for _, c in pairs])}
    for row, content in pairs:
        sha, state, notes, title, details, spans, ids = contents[content]
        texts = [passages.text(p) for p in unpack_ids(ids)]
        key = sha + b"\0" + batch.note.encode()  # never taken for what this profile makes of these bytes
        batch.drafts[key] = Draft(key, state, notes, title, details, spans, tuple(map(key_of, texts)))
        batch.texts.update(zip(batch.drafts[key].keys, texts, strict=True))
        batch.settled.append(_standing(row, state, key))
    known = store.catalog.passages(list(batch.texts))
    batch.texts = {k: t for k, t in batch.texts.items() if k not in known}
    if batch.texts:
        batch.vectors = embed(batch.texts)
    store.add_documents(batch)


def _standing(row: DocumentRow, shown: str, key: bytes) -> Settled:
    """As it stands in the new catalog, showing the old content: stale when reading it failed."""
    state = State.STALE if row.state == State.FAILED else shown if row.pinned is not None else row.state
    return Settled(
        row.source, row.path, row.sha, state, key, row.notes, row.tries, row.retry_at, row.denied, row.held, row.pinned, row.metadata
    )  # fmt: skip
