"""How close a question is to the passages of an index on the whole: what a cosine has to be compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..store.vectors import Bitmap, Ids

SAMPLE = 200
"""Passages that stand for all of them: evenly spread over their ids, so always the same pages of the disk."""
LEAST = 16
"""Fewer are no background: the ones that answer would be among them."""


def usual(kb: KnowledgeBase, text: str) -> float | None:
    """The mean cosine of a text and the index's passages; None where there is no model, or hardly a passage."""
    with kb.lock:
        if kb.settings.search.mode == "lexical" or kb.layout.served() is None:
            return None
        reader = kb.reader()
        vector = kb.embedded(kb.model(reader.catalog), text.replace('"', " "))
        with reader.catalog.db.read():
            reader.view.follow()
            live = reader.view.live
            if live is None:
                return None
            found = reader.view.cosines(vector, [int(i) for i in spread(live)])
    return sum(found.values()) / len(found) if len(found) >= LEAST else None


def spread(live: Bitmap) -> Ids:
    """At most :data:`SAMPLE` members, evenly."""
    import numpy as np

    ids = np.flatnonzero(np.unpackbits(live.bits, bitorder="little"))
    at = np.linspace(0, max(len(ids) - 1, 0), min(SAMPLE, len(ids))).astype(np.int64)
    chosen: Ids = ids[at].astype(np.int64)
    return chosen
