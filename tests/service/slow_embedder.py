"""A hash embedder that takes its time, and fails or crashes on command."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from indexer.embed.hashing import HashEmbedder


class SlowEmbedder:
    """A LangChain ``Embeddings``: ``seconds`` for each text; gives up while ``broken`` (a path) exists."""

    def __init__(self, seconds: float = 0.0, broken: str = "") -> None:
        self._inner, self._seconds, self._broken = HashEmbedder(16, ""), seconds, broken

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """(n, 16) rows; RuntimeError while it is broken."""
        if self._broken and os.path.exists(self._broken):
            raise RuntimeError("the model is away")
        time.sleep(self._seconds * len(texts))
        return self._inner.embed_documents(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """One row, at once."""
        return self._inner.embed_query(text).tolist()


def configuration(home: Path, seconds: float = 0.0, more: str = "") -> Path:
    """A knowledge base in ``home`` that uses it; its documents lie in ``home/kb``."""
    (home / "kb").mkdir(parents=True, exist_ok=True)
    broken = str(home / "broken").replace("\\", "/")
    (home / "indexer.toml").write_text(
        f"{more}\n[[sources]]\nname = 'kb'\npath = 'kb'\n[split]\nsize = 100\noverlap = 0\n[embedding]\n"
        f"model = 'python:slow_embedder:SlowEmbedder'\noptions = {{ seconds = {seconds}, broken = '{broken}' }}\n",
        "utf-8",
    )
    return home
