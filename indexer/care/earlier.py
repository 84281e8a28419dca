"""Contents of another generation that the same parser and splitter made of the same bytes.

A new model, a new release of one parser or a newly installed extra fills another generation;
what it would parse and split to the very same chunks is copied, not read by a parser again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from ..core.errors import StoreDamaged
from ..store.batch import Draft
from ..store.catalog import Catalog, unpack_ids
from ..store.local import Layout
from ..store.passages import Passages
from ..store.texts import key_of


def comparable(old: Mapping[str, Any], new: Mapping[str, Any]) -> frozenset[str]:
    """Parsers whose contents another profile may take over; the arguments are the facts of both."""
    if old.get("split") != new.get("split"):
        return frozenset()
    was, now = old.get("parsers", {}), new.get("parsers", {})
    same = frozenset(name for name, version in now.items() if was.get(name) == version)
    return same if same == now.keys() else same - MIXED


MIXED = frozenset({"eml", "msg", "mhtml", "epub", "ipynb"})
"""Parsers that hand parts of a document to others, so their text depends on the versions of all."""


class Earlier:
    """The contents of one generation, by the key of what they were made of. Close it."""

    def __init__(self, layout: Layout, generation: str, parsers: frozenset[str]) -> None:
        self._parsers = parsers
        self._open = ExitStack()
        self._catalog = Catalog.open(layout.metadata / generation, readonly=True)
        self._open.callback(self._catalog.close)
        texts = layout.metadata / generation / "texts"
        self._passages = self._open.enter_context(Passages(self._catalog, layout.vectorstore / generation, texts))

    def close(self) -> None:
        """Let go of its files."""
        self._open.close()

    def has(self, made: bytes) -> bool:
        """Whether :meth:`draft` gives the content of these bytes."""
        row = self._catalog.db.one("SELECT details FROM content WHERE sha=?", (made,))
        return row is not None and self._same(row[0])

    def draft(self, made: bytes) -> tuple[Draft, dict[bytes, str]] | None:
        """The content with the texts of its passages; None when there is none, or it cannot be read any more."""
        sql = "SELECT state,notes,title,details,spans,passages FROM content WHERE sha=?"
        row = self._catalog.db.one(sql, (made,))
        if row is None or not self._same(row[3]):
            return None
        try:
            texts = [self._passages.text(p) for p in unpack_ids(row[5])]
        except (KeyError, FileNotFoundError, StoreDamaged):
            return None
        keys = tuple(map(key_of, texts))
        state, notes, title, details, spans, _ = row
        return Draft(made, state, notes, title, details, spans, keys), dict(zip(keys, texts, strict=True))

    def _same(self, details: str | None) -> bool:
        return json.loads(details or "{}").get("parser") in self._parsers


def earlier(layout: Layout, generation: str | None, parsers: frozenset[str]) -> Earlier | None:
    """What a generation offers; None when it offers nothing or does not open."""
    if generation is None or not parsers:
        return None
    try:
        return Earlier(layout, generation, parsers)
    except StoreDamaged:
        return None
