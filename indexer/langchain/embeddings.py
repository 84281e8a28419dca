"""LangChain ``Embeddings`` out of a knowledge base's model, and a knowledge base's model out of one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from langchain_core.embeddings import Embeddings

from ..api import KnowledgeBase
from ..core.errors import EmbeddingFailed
from ..core.tables import EmbeddingSettings
from ..embed.text import CLEANING, clean

if TYPE_CHECKING:
    from ..core.ports import Progress, Vectors

_PER_CALL = 256
_PROBE = "dimension"


class IndexerEmbeddings(Embeddings):
    """The model an index was made with, prefixes and normalisation included.

    Hand it to whatever is to search an export: vectors of another model, or of the same one
    without its prefixes, find the wrong passages.
    """

    def __init__(self, knowledge_base: KnowledgeBase) -> None:
        self.knowledge_base = knowledge_base

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """(n, dimension) floats of norm 1; raises EmbeddingFailed."""
        rows: list[list[float]] = self.knowledge_base.model().embed_documents(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """(dimension,) floats of norm 1; raises EmbeddingFailed."""
        row: list[float] = self.knowledge_base.model().embed_query(text).tolist()
        return row


def knowledge_base_with(home: str | os.PathLike[str], embeddings: Embeddings) -> KnowledgeBase:
    """A knowledge base in ``home`` whose model is this very object, whatever is configured there.

    An object cannot be found again by name, so other processes must be given an equal one;
    a probe text's vector tells them apart. ``home`` need not have an ``indexer.toml``.
    """
    from ..config import load_settings
    from ..settings import Settings

    path = Path(home).expanduser().absolute()
    settings = load_settings(path) if (path / "indexer.toml").exists() else Settings(home=str(path))
    kind = f"{type(embeddings).__module__}.{type(embeddings).__qualname__}"
    given = EmbeddingSettings(model=f"python:{__name__}:Absent", options={"kind": kind})
    kb = KnowledgeBase(settings._replace(embedding=given))
    kb.adopt(Given(embeddings, kind))
    return kb


class Absent:
    """Stands in the catalog for an object handed over in Python; making it says what to do."""

    def __init__(self, kind: str = "") -> None:
        _absent(kind)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Never reached."""
        return _absent(type(self).__name__)

    def embed_query(self, text: str) -> list[float]:
        """Never reached."""
        return _absent(type(self).__name__)


def _absent(kind: str) -> NoReturn:
    raise EmbeddingFailed(
        "The index was made with a {kind} object given in Python; open it with "
        "IndexerVectorStore.open(folder, that object), or set embedding.model in indexer.toml and update.",
        kind=kind,
    )


class Given:
    """The port :class:`indexer.core.ports.Embedder` over a LangChain ``Embeddings`` object."""

    def __init__(self, inner: Embeddings, kind: str) -> None:
        """``kind`` names the class in messages and in the identity."""
        self._inner, self._kind = inner, kind
        self.dimension = 0
        self.dimension = len(self.embed_query(_PROBE))

    def identity(self) -> Mapping[str, object]:
        """Class, dimension, and what the object says itself in ``identity()``."""
        own = getattr(self._inner, "identity", None)
        return {
            "model": f"object:{self._kind}",
            "own": dict(own()) if callable(own) else {},
            "dimension": self.dimension,
            "normalised": True,
            "cleaning": CLEANING,
        }

    def environment(self) -> Mapping[str, object]:
        """Nothing that is known."""
        return {}

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """(n, dimension) rows scaled to norm 1."""
        import numpy as np

        rows = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _PER_CALL):
            block = [clean(t) for t in texts[start : start + _PER_CALL]]
            rows[start : start + len(block)] = self._rows(lambda b=block: self._inner.embed_documents(b), len(block))
            if progress:
                progress(len(block))
        return rows

    def embed_query(self, text: str) -> Vectors:
        """(dimension,) scaled to norm 1."""
        row: Vectors = self._rows(lambda: [self._inner.embed_query(clean(text))], 1)[0]
        return row

    def _rows(self, call: Any, count: int) -> Vectors:
        from ..embed.vectors import checked

        try:
            answer = call()
        except Exception as error:  # a foreign class may raise anything
            raise EmbeddingFailed(
                "{model} failed: {kind}: {reason}", model=self._kind, kind=type(error).__name__, reason=error
            ) from error
        return checked(answer, count, self.dimension or None, self._kind)
