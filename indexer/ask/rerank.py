"""The configured reranker: which of the found passages go to the model, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from ..core.errors import ConfigError
from ..core.model import Hit
from ..core.tables import LlmSettings

Rerank = Callable[[str, Sequence[Hit]], list[Hit]]
"""The hits that are worth it, best first, given the question."""

CANDIDATES = 4
"""So many times ``k`` passages are looked for, for a reranker to choose from."""


def load(settings: LlmSettings) -> Rerank | None:
    """The reranker of these settings, None where none is named. Raises ConfigError where it cannot be made."""
    name = settings.rerank
    if not name:
        return None
    if name.startswith("python:"):
        return _compressor(_made(_class(name), settings))
    return _cross_encoder(settings)


def _compressor(made: Any) -> Rerank:
    """Any LangChain ``BaseDocumentCompressor``: what it leaves out stays out."""
    from langchain_core.documents import Document

    def rerank(question: str, hits: Sequence[Hit]) -> list[Hit]:
        documents = [Document(h.text, metadata={"number": i, "title": h.title}) for i, h in enumerate(hits)]
        kept = [document.metadata["number"] for document in made.compress_documents(documents, question)]
        return [hits[n] for n in dict.fromkeys(kept)]

    return rerank


def _cross_encoder(settings: LlmSettings) -> Rerank:
    try:
        library = import_module("sentence_transformers")
    except ImportError:
        raise ConfigError(
            "llm.rerank = \"{name}\" needs: pip install 'indexer[sentence-transformers]'", name=settings.rerank
        ) from None
    model = _made(lambda **options: library.CrossEncoder(settings.rerank, **options), settings)

    def rerank(question: str, hits: Sequence[Hit]) -> list[Hit]:
        scores = model.predict([(question, h.text) for h in hits])
        order = sorted(range(len(hits)), key=lambda i: (-float(scores[i]), i))
        return [hits[i] for i in order]

    return rerank


def _made(kind: Callable[..., Any], settings: LlmSettings) -> Any:
    try:
        return kind(**settings.rerank_options)
    except Exception as error:  # a foreign constructor may raise anything
        raise ConfigError(
            'llm.rerank = "{name}" cannot be made from llm.rerank_options: {kind}: {reason}',
            name=settings.rerank,
            kind=type(error).__name__,
            reason=" ".join(str(error).split())[:300],
        ) from error


def _class(name: str) -> Any:
    module, _, path = name.removeprefix("python:").partition(":")
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            'llm.rerank = "{name}" cannot be imported ({reason}); install its package in the same Python environment',
            name=name,
            reason=error,
        ) from error
    if not hasattr(found, "compress_documents"):
        raise ConfigError(
            'llm.rerank = "{name}" has no compress_documents: it is no LangChain BaseDocumentCompressor', name=name
        )
    return found
