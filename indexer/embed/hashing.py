"""A deterministic embedder that costs next to nothing: for tests, benchmarks and dry trials.

    model = "python:indexer.embed.hashing:HashEmbedder"

Equal texts have equal vectors, different texts nearly orthogonal ones: what is measured or
proved with it is everything but the model. It has no idea of meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b, shake_256
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from indexer.core.ports import Progress

from .vectors import unit

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from indexer.core.ports import Vectors

_ROWS = 1024
_TERMS = 4
_BLOCK = 256  # texts at once: keeps temporaries under a few megabytes


class HashEmbedder:
    """Each text is the sum of four rows of a fixed table, chosen by its BLAKE2b hash, scaled to norm 1.

    Serves the port :class:`indexer.core.ports.Embedder` and, by duck typing, what LangChain
    asks of an ``Embeddings``. ``salt`` makes another "model" of the same dimension.
    """

    total_texts: ClassVar[int] = 0
    """Documents embedded by all instances of this process."""

    def __init__(self, dimension: int = 384, salt: str = "") -> None:
        self.dimension = dimension
        self.salt = salt
        self.texts = 0
        """Documents embedded by this instance (queries are not counted)."""
        self.calls = 0
        """Calls of :meth:`embed_documents`."""
        noise = shake_256(f"{salt}/{dimension}".encode()).digest(_ROWS * dimension)
        self._table: NDArray[float32] = np.frombuffer(noise, np.int8).reshape(_ROWS, dimension).astype(np.float32)

    def identity(self) -> Mapping[str, object]:
        """Salt and dimension decide every vector."""
        return {"model": "hash 1", "salt": self.salt, "dimension": self.dimension}

    def environment(self) -> Mapping[str, object]:
        """NumPy's version; it decides nothing here."""
        return {"numpy": np.__version__}

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """(n, dimension) rows of norm 1."""
        rows = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _BLOCK):
            block = texts[start : start + _BLOCK]
            rows[start : start + len(block)] = self._rows(block)
            if progress:
                progress(len(block))
        self.calls += 1
        self.texts += len(texts)
        HashEmbedder.total_texts += len(texts)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """The same vector as for a document."""
        row: Vectors = self._rows([text])[0]
        return row

    def _rows(self, texts: Sequence[str]) -> Vectors:
        digests = b"".join(blake2b(t.encode("utf-8", "surrogatepass"), digest_size=2 * _TERMS).digest() for t in texts)
        chosen = np.frombuffer(digests, "<u2").reshape(-1, _TERMS) % _ROWS
        total = self._table[chosen[:, 0]]
        for term in range(1, _TERMS):
            total += self._table[chosen[:, term]]
        return unit(total)
