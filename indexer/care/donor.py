"""Vectors of another generation, found by the hash of their texts.

Used when a generation is filled beside one made by the same model (new splitter settings,
new parser, damaged catalog): what both hold is copied, not embedded again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..core.errors import StoreDamaged
from ..store import vectors
from ..store.local import Layout
from ..store.texts import KEY_BYTES, Texts

if TYPE_CHECKING:
    from ..store.vectors import Vectors


class Donor:
    """Passage key to vector, over every segment of a generation that is whole."""

    def __init__(self, layout: Layout, generation: str) -> None:
        self.found: dict[bytes, tuple[int, int]] = {}
        self.segments: list[Vectors] = []
        for path in sorted((layout.metadata / generation / "texts").glob("*.texts")):
            self._segment(path, layout.vectorstore / generation / f"{path.stem}.faiss")

    def _segment(self, text_path, vector_path) -> None:  # type: ignore[no-untyped-def]
        try:
            texts = Texts(text_path)
            ids, rows = vectors.content_of(vector_path)
        except (StoreDamaged, FileNotFoundError):
            return
        if ids.tolist() == list(texts.ids):
            number = len(self.segments)
            self.segments.append(rows)
            for i, (_, text) in enumerate(texts.items()):
                self.found[hashlib.sha256(text).digest()[:KEY_BYTES]] = (number, i)
        texts.close()

    def vectors(self, keys: Sequence[bytes]) -> Mapping[bytes, Vectors]:
        """Those of the keys that are here."""
        return {k: self.segments[at[0]][at[1]] for k in keys if (at := self.found.get(k)) is not None}
