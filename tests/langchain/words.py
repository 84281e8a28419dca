"""A LangChain ``Embeddings`` in which texts that share words are close; tests count its work."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import ClassVar

import numpy as np
from langchain_core.embeddings import Embeddings


class WordEmbeddings(Embeddings):
    """A bag of hashed words (Chinese: characters), deliberately not normalised."""

    embedded: ClassVar[list[str]] = []

    def __init__(self, dimension: int = 256, salt: str = "") -> None:
        self.dimension, self.salt = dimension, salt

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """(n, dimension)."""
        WordEmbeddings.embedded += texts
        return [self._row(t) for t in texts]

    def embed_query(self, text: str) -> list[float]:
        """(dimension,)."""
        return self._row(text)

    def _row(self, text: str) -> list[float]:
        row = np.zeros(self.dimension)
        row[0] = 0.1
        for word in re.findall(r"[a-z0-9]+|[^\x00-\x7f]", text.lower()):
            digest = blake2b((self.salt + word).encode(), digest_size=8).digest()
            row[1 + int.from_bytes(digest, "big") % (self.dimension - 1)] += 1
        return (row * 3).tolist()
