"""A hash embedder that prints where it should not, tells when it was loaded, and is slow on demand."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from indexer.embed.hashing import HashEmbedder


class LoudEmbedder:
    """A LangChain ``Embeddings``; LOUD_TOLD names a file that exists once this was made; each "slow" in a query takes seconds."""

    def __init__(self) -> None:
        print("hello from the model")
        os.write(1, b"and from its C library\n")
        sys.stdout.flush()
        if told := os.environ.get("LOUD_TOLD"):
            Path(told).write_text("loaded")
        self._inner = HashEmbedder(64, "")

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """(n, 64) rows."""
        return self._inner.embed_documents(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """One row."""
        print("a query:", text)
        time.sleep(3 * text.count("slow"))
        return self._inner.embed_query(text).tolist()
