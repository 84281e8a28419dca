"""Searches and look-ups for LangChain: hits under a filter, their vectors, documents by id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.documents import Document

from .. import names
from ..care import handmade
from ..core.model import Hit, raw
from ..scope import matches
from ..store.catalog import Spans, unpack_ids
from ..store.passages import Passages
from ..store.vectors import Bitmap
from .documents import Place, document, file_metadata, id_of, place_of
from .filters import Filter, Keep, compiled
from .standing import standing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..api import KnowledgeBase
    from ..search import Only, Reader

_TRIES = 5
T = TypeVar("T")


def hits(
    kb: KnowledgeBase, query: str | Sequence[float], k: int, *, filter: Filter | None = None, inside: str = "",
    as_of: str = "", score_threshold: float | None = None, mode: str = "vector",
) -> list[Hit]:  # fmt: skip
    """The best ``k`` hits that pass the filter, best first; ``score_threshold`` is a least cosine.

    ``mode`` "" is the configured one.

    Exact: what passes among the first few is enough for a filter that lets much through; for
    any other the passages it lets through are gathered first, and only they are compared.
    """
    if k < 1:
        return []
    keep = compiled(filter)
    only, want = None, k if filter is None else 4 * k
    while True:
        found = kb.search(query, want, inside=inside, as_of=as_of, only=only, mode=mode)
        passed = [h for h in found if filter is None or keep(document(h).metadata)]
        if len(passed) >= k or len(found) < want:
            return [h for h in passed[:k] if score_threshold is None or h.score >= score_threshold]
        # a passage let through may stand in documents that are not, so even then more may be needed
        only, want = _passing(keep, inside), want if only is None else 4 * want


def _passing(keep: Keep, inside: str) -> Only:
    """The passages with a place whose metadata pass."""

    def only(reader: Reader, at: int | None) -> Bitmap:
        import numpy as np

        allowed = reader.view.bitmap()
        commit = reader.commit if at is None else at
        rows = (row for row in standing(reader.catalog, at) if not inside or matches(inside, *row.key))
        kept = [chunk.passage for row in rows for chunk in row.chunks(commit) if keep(chunk.metadata)]
        allowed.set(np.array(kept, dtype=np.int64))
        return allowed

    return only


def with_vectors(kb: KnowledgeBase, vector: Any, k: int, **options: Any) -> tuple[list[Hit], list[NDArray[np.float32]]]:
    """Hits and the stored vector of each."""

    def work() -> tuple[list[Hit], list[NDArray[np.float32]]]:
        if not (found := hits(kb, vector, k, **options)):
            return [], []
        return found, consistent(kb, lambda reader, passages: [passages.vector(h.passage) for h in found])

    return again(work)


def by_ids(kb: KnowledgeBase, ids: Sequence[str]) -> list[Document]:
    """Documents added under these ids, and chunks of files by the ids their hits have."""
    if kb.layout.served() is None:
        return []

    def work(reader: Reader, passages: Passages) -> list[Document]:
        own = handmade.read(reader.catalog, passages, ids)
        made = {m.id: Document(id=m.id, page_content=m.text, metadata=dict(m.metadata)) for m in own}
        found = (made.get(i) or _chunk(reader, passages, place_of(i)) for i in dict.fromkeys(ids))
        return [d for d in found if d is not None]

    return again(lambda: consistent(kb, work))


def _chunk(reader: Reader, passages: Passages, place: Place | None) -> Document | None:
    """The chunk of a file at a place, if it is there now."""
    catalog = reader.catalog
    source = catalog.source_ids().get(place.key.source) if place else None
    if place is None or source is None:
        return None
    row = catalog.documents(source, [raw(place.key.path)]).get(raw(place.key.path))
    sql = "SELECT sha,title,spans,passages,details FROM content WHERE id=?"
    if row is None or (content := catalog.db.one(sql, (row.content,))) is None:
        return None
    sha, spans, ids = content[0][:32].hex(), Spans.unpack(content[2]), unpack_ids(content[3])
    named = names.shown(content[1] or "", content[4], place.key.path)
    for (start, end, where, page), passage in zip(spans.spans, ids, strict=True):
        if (start, end) == (place.start, place.end):
            metadata = file_metadata(
                place.key, spans.places[where], page or None, start, end, named, sha, catalog.head()
            )
            return Document(id=id_of(place.key, start, end), page_content=passages.text(passage), metadata=metadata)
    return None


def consistent(kb: KnowledgeBase, work: Callable[[Reader, Passages], T]) -> T:
    """Run ``work`` in one consistent view of the served generation."""
    with kb.lock:
        reader = kb.reader()
        with reader.catalog.db.read(), Passages(reader.catalog, *reader.view.folders) as passages:
            return work(reader, passages)


def again(work: Callable[[], T]) -> T:
    """Read again when a merge or a new generation took something away in between."""
    for _ in range(_TRIES - 1):
        try:
            return work()
        except (FileNotFoundError, KeyError):
            continue
    return work()


__all__ = ["again", "by_ids", "consistent", "hits", "with_vectors"]
