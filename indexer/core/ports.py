"""The seams between the run and the world: one to four calls each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .model import Chunk, Parsed

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    Vectors = NDArray[float32]

Progress = Callable[[int], None]
"""Called with the number of items finished since the last call."""


class Embedder(Protocol):
    """Texts to vectors. A vector depends on its text and the model alone."""

    dimension: int

    def identity(self) -> Mapping[str, object]:
        """JSON-able facts that decide a vector (weights hash, pooling, prefixes, ...)."""

    def environment(self) -> Mapping[str, object]:
        """Facts worth recording that do not invalidate vectors (patch versions, threads)."""

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """(n, dimension) float32 rows of norm 1 (or 0); raises EmbeddingFailed."""

    def embed_query(self, text: str) -> Vectors:
        """(dimension,) float32 of norm 1 (or 0); raises EmbeddingFailed."""


class Parser(Protocol):
    """Bytes to sections, never trusting the bytes."""

    def supports(self, path: str) -> bool:
        """Whether the suffix has a parser."""

    def trusted(self, path: str) -> bool:
        """Whether the file is only decoded, in this process: no parser to die of it."""

    def suffixes(self) -> Collection[str]:
        """Every supported suffix, lower case, with its dot."""

    def fingerprint(self) -> Mapping[str, str]:
        """Parser name to version; a change means the documents are parsed again."""

    def parse(self, path: str, data: bytes) -> Parsed:
        """Raises ParseRefused or ParserDied."""

    def close(self) -> None:
        """Ends the worker processes."""


Splitter = Callable[[Parsed], Sequence[Chunk]]
