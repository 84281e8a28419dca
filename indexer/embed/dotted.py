"""``python:package.module:Class``: any LangChain ``Embeddings``, or anything with its two methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.core.errors import ConfigError, EmbeddingFailed
from indexer.core.ports import Progress
from indexer.core.tables import EmbeddingSettings

from . import public_options
from .names import nearest
from .text import CLEANING, clean
from .vectors import checked

if TYPE_CHECKING:
    from indexer.core.ports import Vectors

_PER_CALL = 256
"""Texts a call: progress and Ctrl-C come through between calls; classes batch inside as they like."""
_PROBE = "dimension"


class Dotted:
    """Wraps an instance of the class, made with ``settings.options`` as keyword arguments.

    The dimension is learned from one query at load. What the class does with over-long texts
    is its own affair. A class may have ``identity()`` (a JSON-able mapping) to say what else
    decides its vectors, such as a revision.
    """

    def __init__(self, dotted: str, settings: EmbeddingSettings, prefixes: tuple[str, str]) -> None:
        """Raises ConfigError when the class cannot be made, EmbeddingFailed when it gives no vector."""
        self._dotted, self._options = dotted, settings.options
        self._query_prefix, self._passage_prefix = prefixes
        self._per_call = settings.batch_size or _PER_CALL
        self._inner = _instance(dotted, settings.options)
        self.dimension = 0
        self.dimension = len(self.embed_query(_PROBE))

    def identity(self) -> Mapping[str, object]:
        """Dotted path, options (values of secrets left out), dimension, and what the class says itself."""
        own = getattr(self._inner, "identity", None)
        return {
            "model": f"python:{self._dotted}",
            "options": public_options(self._options),
            "own": dict(own()) if callable(own) else {},
            "dimension": self.dimension,
            "normalised": True,
            "query_prefix": self._query_prefix,
            "passage_prefix": self._passage_prefix,
            "cleaning": CLEANING,
        }

    def environment(self) -> Mapping[str, object]:
        """What the class says of its own environment, and NumPy's version."""
        own = getattr(self._inner, "environment", None)
        return {**(dict(own()) if callable(own) else {}), "numpy": np.__version__}

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """(n, dimension) rows scaled to norm 1."""
        rows = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), self._per_call):
            block = [self._passage_prefix + clean(text) for text in texts[start : start + self._per_call]]
            answer = self._call(self._inner.embed_documents, block)
            rows[start : start + len(block)] = checked(answer, len(block), self.dimension, self._dotted)
            if progress:
                progress(len(block))
        return rows

    def embed_query(self, text: str) -> Vectors:
        """(dimension,) scaled to norm 1."""
        answer = self._call(self._inner.embed_query, self._query_prefix + clean(text))
        row: Vectors = checked([answer], 1, self.dimension or None, self._dotted)[0]
        return row

    def _call(self, method: Callable[[Any], object], argument: object) -> object:
        try:
            return method(argument)
        except Exception as error:  # a foreign class may raise anything
            raise EmbeddingFailed(
                "{model} failed: {kind}: {reason}", model=self._dotted, kind=type(error).__name__, reason=error
            ) from error


def _instance(dotted: str, options: Mapping[str, object]) -> Any:
    kind = _class(dotted)
    try:
        instance = kind(**options)
    except Exception as error:  # a foreign constructor may raise anything
        raise ConfigError(
            'embedding.model = "python:{dotted}" cannot be made from embedding.options: {kind}: {reason}',
            dotted=dotted,
            kind=type(error).__name__,
            reason=error,
        ) from error
    if not (hasattr(instance, "embed_documents") and hasattr(instance, "embed_query")):
        raise ConfigError(
            'embedding.model = "python:{dotted}" has no embed_documents and embed_query: it is no LangChain Embeddings',
            dotted=dotted,
        )
    return instance


def _class(dotted: str) -> Any:
    module_name, _, path = dotted.partition(":")
    try:
        found: Any = import_module(module_name)
    except ImportError as error:
        raise ConfigError(
            'embedding.model = "python:{dotted}": cannot import {module} ({reason}); install its package in the same '
            "Python environment",
            dotted=dotted,
            module=module_name,
            reason=error,
        ) from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise ConfigError(
                'embedding.model = "python:{dotted}": {module} has no {name}; did you mean "{nearest}"?',
                dotted=dotted,
                module=module_name,
                name=name,
                nearest=nearest(name, [known for known in dir(found) if not known.startswith("_")] or [name]),
            )
        found = getattr(found, name)
    return found
