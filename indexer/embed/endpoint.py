"""``openai:<model>``: any server that speaks OpenAI's embeddings protocol (vLLM, TEI, Ollama, ...)."""

from __future__ import annotations

import base64
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.core.errors import EmbeddingFailed
from indexer.core.ports import Progress
from indexer.core.tables import EmbeddingSettings

from . import pool, public_options
from .endpoint_http import Client, Refused
from .text import CLEANING, clean, halves
from .vectors import checked, unit, weighted_mean

if TYPE_CHECKING:
    from indexer.core.ports import Vectors

_DEFAULT_URL = "https://api.openai.com/v1"
_TEXTS, _BYTES = 64, 256 * 1024
_CONNECTIONS = 4
_TOO_MUCH = frozenset({400, 413, 422})
_TOO_LONG = re.compile(r"length|long|token|context|large|exceed|size|maximum", re.IGNORECASE)
_SMALLEST_PART = 64
"""Characters under which a text is not too long whatever the server says."""


class Endpoint:
    """The embedder. ``settings.options`` are sent as further fields of each request.

    Requests hold at most 64 texts (``batch_size``) and 256 KiB. A server that finds a request
    too large gets it in halves; one that finds a single text too long gets that in halves,
    and the vector is their mean weighted by characters.
    """

    def __init__(
        self, model: str, settings: EmbeddingSettings, prefixes: tuple[str, str], client: Client | None = None
    ) -> None:
        """Asks the server for one vector to learn the dimension. Raises ConfigError and EmbeddingFailed."""
        self._model, self._options = model, dict(settings.options)
        self._query_prefix, self._passage_prefix = prefixes
        self._most = settings.batch_size or _TEXTS
        self._connections = settings.threads or _CONNECTIONS
        # the key in the environment is meant for its own server, not for whatever base_url names
        key = settings.api_key or ("" if settings.base_url else os.environ.get("OPENAI_API_KEY", ""))
        self._client = client or Client(settings.base_url or _DEFAULT_URL, key, settings.timeout_seconds)
        self._lock = threading.Lock()
        self._encoding = "base64"  # a quarter of the bytes; servers that do not know it say so or ignore it
        self.dimension = 0
        self.dimension = len(self._first())

    def identity(self) -> Mapping[str, object]:
        """The model's name, options, prefixes and dimension; what the server runs behind them shows in its vectors."""
        return {
            "model": f"openai:{self._model}",
            "options": public_options(self._options),
            "dimension": self.dimension,
            "normalised": True,
            "query_prefix": self._query_prefix,
            "passage_prefix": self._passage_prefix,
            "cleaning": CLEANING,
            "overflow": "halves when the server refuses, mean weighted by characters, normalised",
        }

    def environment(self) -> Mapping[str, object]:
        """Where the server is: moving it does not invalidate vectors."""
        return {"base_url": self._client.base_url, "encoding": self._encoding, "numpy": np.__version__}

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """(n, dimension) rows of norm 1; up to four requests (``threads``) are on their way at once."""
        ready = [self._passage_prefix + clean(text) for text in texts]
        batches = list(self._batches(ready))
        rows = np.empty((len(ready), self.dimension), np.float32)

        def one(number: int) -> None:
            batch = batches[number]
            rows[batch] = self._vectors(ready[batch])

        sizes = iter([batch.stop - batch.start for batch in batches])
        pool.run(one, range(len(batches)), self._connections, progress and (lambda _: progress(next(sizes))))
        return rows

    def embed_query(self, text: str) -> Vectors:
        """(dimension,) of norm 1."""
        row: Vectors = self._vectors([self._query_prefix + clean(text)])[0]
        return row

    def _batches(self, texts: Sequence[str]) -> Iterator[slice]:
        start, size = 0, 0
        for number, text in enumerate(texts):
            bytes_here = len(text.encode())
            if number > start and (number - start >= self._most or size + bytes_here > _BYTES):
                yield slice(start, number)
                start, size = number, 0
            size += bytes_here
        if texts:
            yield slice(start, len(texts))

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        if len(texts) > self._most:  # learned since the batches were made
            return self._in_two(texts)
        try:
            return self._ask(texts)
        except Refused as error:
            if error.status not in _TOO_MUCH:
                raise self._failed(error) from error
            if len(texts) > 1:
                with self._lock:
                    self._most = min(self._most, len(texts) // 2)
                return self._in_two(texts)
            if len(texts[0]) < 2 * _SMALLEST_PART or not (error.status == 413 or _TOO_LONG.search(error.reason)):
                raise self._failed(error) from error
        parts = halves(texts[0])
        means = [self._vectors([part])[0] for part in parts]
        return unit(weighted_mean(means, [len(part) for part in parts]))[None, :]

    def _in_two(self, texts: Sequence[str]) -> Vectors:
        middle = len(texts) // 2
        return np.concatenate([self._vectors(texts[:middle]), self._vectors(texts[middle:])])

    def _first(self) -> Vectors:
        try:
            vector: Vectors = self._ask(["dimension"])[0]
            return vector
        except Refused:
            self._encoding = "float"
        try:
            vector = self._ask(["dimension"])[0]
            return vector
        except Refused as error:
            raise self._failed(error) from error

    def _ask(self, texts: Sequence[str]) -> Vectors:
        body = {**self._options, "model": self._model, "input": list(texts), "encoding_format": self._encoding}
        answer: Any = self._client.post(body)
        try:
            items = sorted(answer["data"], key=lambda item: item.get("index", 0))
            rows = [_numbers(item["embedding"]) for item in items]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise EmbeddingFailed(
                "the embedding server {url} gives no list of embeddings ({reason}); is embedding.base_url right?",
                url=self._client.base_url,
                reason=repr(error),
            ) from error
        return checked(rows, len(texts), self.dimension or None, f"{self._model} at {self._client.base_url}")

    def _failed(self, error: Refused) -> EmbeddingFailed:
        return EmbeddingFailed(
            "the embedding server {url} refuses the request for {model} (HTTP {status}: {reason}); check "
            "embedding.model and embedding.options",
            url=self._client.base_url,
            model=self._model,
            status=error.status,
            reason=error.reason,
        )


def _numbers(embedding: object) -> Vectors:
    """A vector from base64 (little-endian float32) or a list of numbers, whichever the server chose."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), np.dtype("<f4"))
    return np.asarray(embedding, np.float32)
