"""Documents handed in through the API: they lie in no folder, the catalog is all there is of them.

They are documents of one reserved source without a root, so no look at a folder ever finds
them gone. The "file" of such a document is the canonical JSON of its text and metadata: its
SHA-256 names the content, so the same text under other metadata is another version (time
travel shows both as they were) but the same passage, embedded once. One document, one chunk.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import StoreDamaged, UsageError
from ..core.model import Chunk, Key, State, raw, unraw
from ..store.batch import Batch, Draft, Settled, removal
from ..store.catalog import Catalog, Spans, unpack_ids
from ..store.local import Layout, Store
from ..store.passages import Passages
from ..store.texts import key_of

if TYPE_CHECKING:
    from ..store.vectors import Vectors

SOURCE = "langchain"
"""The reserved source; a configured folder must not have this name."""

_PORTION = 4096
_MARK = b"/" + SOURCE.encode()  # a file's content ends in a suffix, which has no slash
_SHA = 32
EmbedKeyed = Callable[[Mapping[bytes, str]], "Vectors"]
"""Passage keys and texts to (n, dimension) vectors in the same order."""


class Made(NamedTuple):
    """One document: its id is its path in the source, its text is one chunk."""

    id: str
    text: str
    metadata: Mapping[str, Any]

    @property
    def content(self) -> bytes:
        """Names the content: SHA-256 of the canonical JSON of text and metadata, and a mark no file's content has."""
        whole = {"metadata": self.metadata, "text": self.text}
        return hashlib.sha256(json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()).digest() + _MARK


class Carried(NamedTuple):
    """What :func:`carry_over` did: documents brought over, and those no longer readable."""

    brought: int
    lost: tuple[Key, ...]


def reserved() -> UsageError:
    """Somebody gave a folder the reserved name."""
    return UsageError(
        "The source name {name} is reserved for documents added in Python; rename that source in indexer.toml.",
        name=SOURCE,
    )


# ---- writing ---------------------------------------------------------------------------


def source_of(store: Store) -> int:
    """The reserved source's id, made when it is not there yet."""
    db = store.catalog.db
    row = db.one("SELECT id,root FROM source WHERE name=?", (SOURCE,))
    if row is not None and row[1] is not None:
        raise reserved()
    if row is not None:
        return int(row[0])
    with db.write():
        return int(db.run("INSERT INTO source(name,root) VALUES(?,NULL)", (SOURCE,)).lastrowid or 0)


def upsert(store: Store, source: int, made: Sequence[Made], run: int, at: int, note: str) -> Batch:
    """The batch that adds or replaces these documents; empty when all are there as they are.

    ``texts`` of the batch are the passages to embed; the caller fills in ``vectors``.
    """
    last = {m.id: m for m in made}  # an id named twice: the last one counts
    rows = store.catalog.documents(source, [raw(i) for i in last])
    shas = {m.id: m.content for m in last.values()}
    contents = store.catalog.contents(list(shas.values()))
    batch = Batch(run=run, at=at, note=note)
    for m in last.values():
        sha, path = shas[m.id], raw(m.id)
        row = rows.get(path)
        if row is not None and row.content is not None and sha in contents and contents[sha][0] == row.content:
            continue
        if sha not in contents:
            batch.drafts[sha] = _draft(sha, m)
            batch.texts[key_of(m.text)] = m.text
        batch.settled.append(Settled(source, path, sha[:_SHA], State.INDEXED, sha))
    known = store.catalog.passages(list(batch.texts))
    batch.texts = {k: t for k, t in batch.texts.items() if k not in known}
    return batch


def _draft(sha: bytes, m: Made) -> Draft:
    details = json.dumps({"metadata": m.metadata, "parser": SOURCE})
    spans = Spans.of([Chunk(m.text, 0, len(m.text))]).pack()
    return Draft(sha, State.INDEXED, None, "", details, spans, (key_of(m.text),))


def removals(store: Store, source: int, ids: Sequence[str] | None, run: int, at: int, note: str) -> Batch:
    """The batch that takes documents out (None: all); ids that are not there are passed over."""
    paths = [path for path, _ in _shown(store.catalog)] if ids is None else [raw(i) for i in dict.fromkeys(ids)]
    rows = store.catalog.documents(source, paths)
    return Batch(run=run, at=at, note=note, settled=[removal(r) for r in rows.values() if r.content is not None])


# ---- reading ---------------------------------------------------------------------------


def read(catalog: Catalog, passages: Passages, ids: Sequence[str]) -> Iterator[Made]:
    """The documents of these ids that are there, in the order asked for."""
    source = catalog.source_ids().get(SOURCE)
    if source is None:
        return
    rows = catalog.documents(source, [raw(i) for i in dict.fromkeys(ids)])
    for path in (raw(i) for i in dict.fromkeys(ids)):
        if (row := rows.get(path)) is not None and row.content is not None:
            yield _made(catalog, passages, row.path, row.content)


def _made(catalog: Catalog, passages: Passages, path: bytes, content: int) -> Made:
    row = catalog.db.one("SELECT details,passages FROM content WHERE id=?", (content,))
    if row is None:
        raise StoreDamaged("The catalog names a content it does not hold; run `indexer repair`.")
    try:
        return Made(unraw(path), passages.text(unpack_ids(row[1])[0]), metadata_of(row[0]))
    except (KeyError, IndexError, ValueError) as e:
        raise StoreDamaged("The catalog holds a damaged content ({why}); run `indexer repair`.", why=repr(e)) from e


def metadata_of(details: str | None) -> dict[str, Any]:
    """The metadata a content's details hold; empty for one that comes from a file."""
    found = json.loads(details).get("metadata") if details else None
    return found if isinstance(found, dict) else {}


def _shown(catalog: Catalog) -> list[tuple[bytes, int]]:
    sql = (
        "SELECT d.path,d.content FROM document d JOIN source s ON s.id=d.source "
        "WHERE s.name=? AND d.content IS NOT NULL ORDER BY d.path"
    )
    return [(path, content) for path, content in catalog.db.all(sql, (SOURCE,))]


def damaged(catalog: Catalog, passages: Passages) -> list[Key]:
    """Documents whose text and metadata are not what their SHA-256 was made of (for ``verify``)."""
    bad = [path for path, content in _shown(catalog) if _proved(catalog, passages, path, content) is None]
    return [Key(SOURCE, unraw(path)) for path in bad]


def _proved(catalog: Catalog, passages: Passages, path: bytes, content: int) -> Made | None:
    """The document, if it can be read and is what was added."""
    try:
        made = _made(catalog, passages, path, content)
    except (StoreDamaged, FileNotFoundError):
        return None
    return made if catalog.db.value("SELECT sha FROM content WHERE id=?", (content,)) == made.content else None


# ---- another generation ------------------------------------------------------------------


def carry_over(layout: Layout, store: Store, embed: EmbedKeyed, run: int, at: int, above: int) -> Carried:
    """Bring the served generation's documents into ``store``, which is about to be served.

    Files are found again in their folders, these are not: without this step another model, a
    rebuild or a repair would lose them. Afterwards ``store`` shows exactly what is shown now;
    of a document that cannot be read any more it keeps what it has. New commits have numbers above ``above``, the
    newest of the served generation. Under ``writer.lock``.
    """
    made, lost = _readable(layout, store.generation)
    if made is None:
        return Carried(0, ())
    if not made and not lost and SOURCE not in store.catalog.source_ids():
        return Carried(0, ())
    source = source_of(store)
    keep = {m.id for m in made} | {k.path for k in lost}
    gone = [unraw(path) for path, _ in _shown(store.catalog) if unraw(path) not in keep]
    if batch := removals(store, source, gone, run, at, "carried over"):
        batch.above = above
        store.add_documents(batch)
    for i in range(0, len(made), _PORTION):
        batch = upsert(store, source, made[i : i + _PORTION], run, at, "carried over")
        batch.above = above
        if batch.texts:
            batch.vectors = embed(batch.texts)
        if batch:
            store.add_documents(batch)
    return Carried(len(made), tuple(lost))


def _readable(layout: Layout, generation: str) -> tuple[list[Made] | None, list[Key]]:
    """The served documents and those that cannot be read; None when there is no other catalog to read."""
    try:
        served = layout.named()
        if served is None or served == generation:
            return None, []
        catalog = Catalog.open(layout.metadata / served, readonly=True)
    except StoreDamaged:
        return None, []
    made: list[Made] = []
    lost: list[Key] = []
    try:
        texts = layout.metadata / served / "texts"
        with catalog.db.read(), Passages(catalog, layout.vectorstore / served, texts) as passages:
            for path, content in _shown(catalog):
                found = _proved(catalog, passages, path, content)
                if found is None:
                    lost.append(Key(SOURCE, unraw(path)))
                else:
                    made.append(found)
    except StoreDamaged:
        return None, []
    finally:
        catalog.close()
    return made, lost
