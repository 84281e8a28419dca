"""What the catalog tells followers: how far it is, what changed since, and the documents as they are now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from .. import names
from ..core.errors import StoreDamaged, UsageError
from ..core.model import Key, raw, unraw
from ..document_text import joined
from ..search import Reader
from ..searching import Searcher
from ..settings import Settings
from ..store.catalog import Spans, unpack_ids
from ..store.texts import key_of
from .model import Document, Stretch

_CHANGED = (
    "SELECT DISTINCT s.name,d.path FROM version v JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source "
    "WHERE v.added>? OR v.removed>?"
)
_SHOWN = (
    "SELECT s.name,d.path FROM version v JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source "
    "JOIN content c ON c.id=v.content WHERE v.removed IS NULL AND length(c.passages)>0"
)
_DOCUMENT = (
    "SELECT v.added,c.sha,c.title,c.details,c.spans,c.passages FROM source s JOIN document d ON d.source=s.id "
    "JOIN version v ON v.document=d.id JOIN content c ON c.id=v.content "
    "WHERE s.name=? AND d.path=? AND v.removed IS NULL AND length(c.passages)>0"
)


class Head(NamedTuple):
    """How far a catalog is: ``commit`` of one ``generation``."""

    generation: str
    commit: int


class Feed:
    """Reads the served catalog; not shared between threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._searcher = Searcher(settings, lambda text: None)

    def _reader(self) -> Reader | None:
        try:
            return self._searcher.reader() if self._searcher.layout.served() else None
        except UsageError:  # nothing is indexed yet
            return None

    def head(self) -> Head | None:
        """The newest commit; None before the first."""
        reader = self._reader()
        return Head(self._searcher.layout.served() or "", reader.catalog.head()) if reader else None

    def committed_ns(self, after: int) -> int:
        """When the first commit after this one was made; 0 when there is none."""
        reader = self._reader()
        return int(reader.catalog.db.value("SELECT min(at) FROM log WHERE n>?", (after,)) or 0) if reader else 0

    def changed(self, since: Head) -> list[Key] | None:
        """The documents that changed since; None when that cannot be told any more: then any may have."""
        reader = self._reader()
        if reader is None:
            return []
        oldest = int(reader.catalog.meta("oldest") or 0)
        if since.generation != self._searcher.layout.served() or since.commit < oldest:
            return None
        return _keys(reader.catalog.db.all(_CHANGED, (since.commit, since.commit)))

    def shown(self) -> list[Key]:
        """Every document a search could return."""
        reader = self._reader()
        return _keys(reader.catalog.db.all(_SHOWN)) if reader else []

    def documents(self, keys: Sequence[Key]) -> Iterator[tuple[Key, Document | None]]:
        """Each with its newest version, None where none is shown. Raises StoreDamaged."""
        reader = self._reader()
        for key in keys:
            yield key, self._document(reader, key) if reader else None

    def _document(self, reader: Reader, key: Key) -> Document | None:
        with reader.catalog.db.read():
            reader.view.follow()
            row = reader.catalog.db.one(_DOCUMENT, (key.source, raw(key.path)))
            if row is None:
                return None
            added, sha, title, details, packed, ids = row
            try:
                texts = [reader.view.text(i) for i in unpack_ids(ids)]
            except KeyError as e:
                raise StoreDamaged("The catalog names a passage it does not hold; run `indexer repair`.") from e
        spans = Spans.unpack(packed)
        named = names.shown(title or "", details, key.path)
        return Document(
            key, sha[:32].hex(), added, named.title, named.label, joined(spans.spans, texts), tuple(_chunks(spans, texts))
        )  # fmt: skip

    def vectors(self, texts: Sequence[str]) -> dict[str, list[float]]:
        """The vectors the index holds of these chunks; those it does not hold (any more) are left out."""
        reader = self._reader()
        found: dict[str, list[float]] = {}
        if reader is None:
            return found
        with reader.catalog.db.read():
            reader.view.follow()
            ids = reader.catalog.passages([key_of(t) for t in texts])
            for text in texts:
                passage = ids.get(key_of(text))
                with suppress(KeyError):  # merged away since: the model makes it again
                    if passage is not None:
                        found[text] = reader.view.vector(passage).tolist()
        return found

    def close(self) -> None:
        """Let go of the catalog."""
        self._searcher.close()


def _keys(rows: Iterable[Sequence[object]]) -> list[Key]:
    return [Key(str(source), unraw(path)) for source, path in rows if isinstance(path, bytes)]


def _chunks(spans: Spans, texts: Sequence[str]) -> Iterator[Stretch]:
    for (start, end, where, page), text in zip(spans.spans, texts, strict=True):
        headings, place = spans.places[where]
        yield Stretch(text, start, end, headings, page or None, place)
