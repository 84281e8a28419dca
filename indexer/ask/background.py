"""How close a question is to the passages of an index on the whole: what a cosine has to be compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..core.errors import IndexerError

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..store.vectors import Bitmap, Ids

SAMPLE = 200
"""Passages that stand for all of them: evenly spread over their ids, so always the same pages of the disk."""
LEAST = 16
"""Fewer are no background: the ones that answer would be among them."""


def usual(kb: KnowledgeBase, text: str) -> float | None:
    """The mean cosine of a text and the index's passages; None where there is no model, or hardly a passage.

    None also where the store is replaced or damaged meanwhile: the search has found something, and that
    is judged with less.
    """
    if kb.settings.search.mode == "lexical":
        return None
    try:
        with kb.lock:
            found = _cosines(kb, text.replace('"', " "))
    except (IndexerError, FileNotFoundError):
        return None
    return sum(found.values()) / len(found) if len(found) >= LEAST else None


def _cosines(kb: KnowledgeBase, text: str) -> Mapping[int, float]:
    reader = kb.reader()
    vector = kb.embedded(kb.model(reader.catalog), text)
    with reader.catalog.db.read():
        reader.view.follow()
        live = reader.view.live
        return reader.view.cosines(vector, [int(i) for i in spread(live)]) if live is not None else {}


def spread(live: Bitmap) -> Ids:
    """At most :data:`SAMPLE` members, evenly."""
    import numpy as np

    ids = np.flatnonzero(np.unpackbits(live.bits, bitorder="little"))
    at = np.linspace(0, max(len(ids) - 1, 0), min(SAMPLE, len(ids))).astype(np.int64)
    chosen: Ids = ids[at].astype(np.int64)
    return chosen
