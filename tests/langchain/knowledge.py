"""Small knowledge bases for the tests of this folder."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from indexer import KnowledgeBase
from indexer.store import disk

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # langchain-community announces its end at import
    from langchain_community.vectorstores import FAISS
    from langchain_community.vectorstores.utils import DistanceStrategy

HASHING = 'model = "python:indexer.embed.hashing:HashEmbedder"\noptions = { dimension = 64 }'
WORDS = 'model = "python:words:WordEmbeddings"'


def make(home: Path, files: dict[str, str] | None = None, embedding: str = WORDS, extra: str = "") -> KnowledgeBase:
    """A knowledge base in ``home`` with these files indexed; by default vectors that know words."""
    folder = home / "knowledge_base"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (files or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (home / "indexer.toml").write_text(f"min_free_mb = 0\n{extra}\n[embedding]\n{embedding}\n", "utf-8")
    kb = KnowledgeBase(home)
    if files:
        kb.update()
    return kb


class FailingAt:
    """A fault hook for :data:`indexer.store.disk.fault`: EIO at the ``step``-th operation (from 0), once."""

    def __init__(self, step: int) -> None:
        self.left, self.fired = step, False

    def __call__(self, operation: str, path: str) -> None:
        """One operation is about to happen."""
        self.left -= 1
        if self.left == -1:
            self.fired = True
            raise OSError(5, f"injected at {operation}", path)


__all__ = ["FAISS", "HASHING", "WORDS", "DistanceStrategy", "FailingAt", "disk", "make"]
sys.path.insert(0, str(Path(__file__).parent))
