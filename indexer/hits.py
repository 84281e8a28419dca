"""Found passages to hits: where each stands in the documents a search may return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from . import names
from .care.handmade import metadata_of
from .core.errors import StoreDamaged
from .core.model import Hit, Key, unraw
from .fusion import Found
from .scope import Scope, shown
from .store.catalog import Catalog, Spans, unpack_ids
from .store.schema import HOLDS
from .store.view import View

_PORTION = 400


class Placed(NamedTuple):
    """A found passage in one document."""

    found: Found
    key: Key
    content: int


def placed(catalog: Catalog, found: Sequence[Found], within: Scope) -> list[Placed]:
    """Every place of these passages, in their order; ties in the order of path."""
    by_passage = {f.passage: f for f in found}
    rows = [
        Placed(by_passage[passage], Key(source, unraw(path)), content)
        for passage, document, source, path, content in _rows(catalog, list(by_passage), within.at)
        if within.documents is None or document in within.documents
    ]
    return sorted(rows, key=lambda row: (*_order(row.found), row.key, row.found.passage))


def _order(found: Found) -> tuple[float, float]:
    return -found.fused, -found.score


def _rows(catalog: Catalog, passages: Sequence[int], at: int | None) -> Iterable[tuple[int, int, str, bytes, int]]:
    where, args = shown(at)
    sql = (
        f"SELECT p.id,d.id,s.name,d.path,v.content FROM passage p CROSS JOIN occurrence o ON {HOLDS.format(passage='p.id')} "
        "JOIN version v ON v.content=o.content JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source "
        f"WHERE p.id IN ({{}}) AND {where}"
    )
    for i in range(0, len(passages), _PORTION):
        part = passages[i : i + _PORTION]
        yield from catalog.db.all(sql.format(",".join("?" * len(part))), (*part, *args))


class Content(NamedTuple):
    """What a content says of its chunks; ``chunk``: the first place of each passage."""

    sha: str
    title: str
    details: str | None
    metadata: Mapping[str, Any]
    spans: Spans
    chunk: Mapping[int, int]


class Maker:
    """Makes hits; each content is read once."""

    def __init__(self, catalog: Catalog, view: View, commit: int) -> None:
        self.catalog, self.view, self.commit = catalog, view, commit
        self.contents: dict[int, Content] = {}

    def hits(self, rows: Sequence[Placed]) -> list[Hit]:
        """A hit for each, in this order; equals of one document in the order of place."""
        made = groupby(map(self._hit, rows), key=lambda h: (h.fused, h.score, h.key))
        return [hit for _, equals in made for hit in sorted(equals, key=lambda h: h.start)]

    def _hit(self, row: Placed) -> Hit:
        found, content = row.found, self._content(row.content)
        start, end, where, page = content.spans.spans[content.chunk[found.passage]]
        headings, place = content.spans.places[where]
        named = names.shown(content.title, content.details, row.key.path)
        return Hit(
            row.key, self.view.text(found.passage), found.score, headings, page or None, start, end, named.title,
            self.commit, content.sha, found.passage, content.metadata, place, named.label, found.fused, found.found_by,
        )  # fmt: skip

    def _content(self, content: int) -> Content:
        if content not in self.contents:
            sql = "SELECT sha,title,spans,passages,details FROM content WHERE id=?"
            if (row := self.catalog.db.one(sql, (content,))) is None:
                raise StoreDamaged("The catalog names a content it does not hold; run `indexer repair`.")
            sha, title, spans, ids, details = row
            chunk: dict[int, int] = {}
            for i, passage in enumerate(unpack_ids(ids)):
                chunk.setdefault(passage, i)
            self.contents[content] = Content(
                sha[:32].hex(), title or "", details, metadata_of(details), Spans.unpack(spans), chunk
            )
        return self.contents[content]
