"""The hash embedder of the laws: counts what it is given, and fails on command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from indexer.care.generations import PROBE
from indexer.embed.hashing import HashEmbedder

seen: list[str] = []
"""Every passage embedded by this process, the probe left out."""
fail_after: list[int] = []
"""One number: how many more texts are embedded before the model gives up."""


class LawEmbedder:
    """A LangChain ``Embeddings`` of few dimensions; ``salt`` makes another model."""

    def __init__(self, dimension: int = 16, salt: str = "") -> None:
        self._inner = HashEmbedder(dimension, salt)

    def identity(self) -> Mapping[str, object]:
        """What decides its vectors."""
        return self._inner.identity()

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """(n, dimension) rows; raises RuntimeError when it was told to fail."""
        if list(texts) != [PROBE]:
            if fail_after and len(texts) > fail_after[0]:
                raise RuntimeError("the model gave up")
            if fail_after:
                fail_after[0] -= len(texts)
            seen.extend(texts)
        return self._inner.embed_documents(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """One row."""
        return self._inner.embed_query(text).tolist()
