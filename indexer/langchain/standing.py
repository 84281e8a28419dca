"""Every document and chunk a commit shows, with the metadata LangChain sees: for filters and exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import names
from ..care.handmade import SOURCE, metadata_of
from ..core.model import Key, unraw
from ..store.catalog import Catalog, Spans, unpack_ids
from .documents import file_metadata

_SQL = (
    "SELECT s.name,d.path,c.sha,c.title,c.spans,c.passages,c.details "
    "FROM version v JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source JOIN content c ON c.id=v.content WHERE "
)


class Standing(NamedTuple):
    """One passage at its (first) place in a document; characters of the parsed text (0 for an added document)."""

    passage: int
    start: int
    end: int
    metadata: dict[str, Any]


class Shown(NamedTuple):
    """One document and its content's row."""

    key: Key
    sha: bytes
    title: str
    spans: bytes
    passages: bytes
    details: str

    def chunks(self, commit: int) -> Iterator[Standing]:
        """Its passages in reading order, a repeated one once, as a search finds it."""
        if self.key.source == SOURCE:  # one document, one chunk
            yield Standing(unpack_ids(self.passages)[0], 0, 0, metadata_of(self.details))
            return
        unpacked, sha, seen = Spans.unpack(self.spans), self.sha[:32].hex(), set[int]()
        named = names.shown(self.title, self.details, self.key.path)
        for (start, end, where, page), passage in zip(unpacked.spans, unpack_ids(self.passages), strict=True):
            if passage not in seen:
                seen.add(passage)
                metadata = file_metadata(self.key, unpacked.places[where], page or None, start, end, named, sha, commit)
                yield Standing(passage, start, end, metadata)


def standing(catalog: Catalog, at: int | None) -> Iterator[Shown]:
    """The documents visible at a commit (None: the newest), in no order."""
    shown, args = (
        ("v.removed IS NULL", ()) if at is None else ("v.added<=? AND (v.removed IS NULL OR v.removed>?)", (at, at))
    )
    for source, path, sha, title, spans, passages, details in catalog.db.all(_SQL + shown, args):
        yield Shown(Key(source, unraw(path)), sha, title or "", spans, passages, details)
