"""A small knowledge base for the tests of searching."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from indexer import KnowledgeBase
from indexer.core.model import Hit
from indexer.core.tables import EmbeddingSettings, SplitSettings
from indexer.settings import Settings

HASHING = EmbeddingSettings(model="python:indexer.embed.hashing:HashEmbedder", options={"dimension": 64})


def put(home: Path, files: Mapping[str, str]) -> None:
    """Write documents."""
    for name, text in files.items():
        path = home / "knowledge_base" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def opened(home: Path) -> KnowledgeBase:
    """The knowledge base of a folder; its vectors know nothing of meaning, so what is found by words is plain."""
    return KnowledgeBase(Settings(str(home), embedding=HASHING, split=SplitSettings(200, 0), min_free_mb=0))


def indexed(home: Path, files: Mapping[str, str]) -> KnowledgeBase:
    """A knowledge base with these documents indexed."""
    put(home, files)
    kb = opened(home)
    kb.update()
    return kb


def paths(hits: Iterable[Hit]) -> list[str]:
    """Where hits stand."""
    return [h.key.path for h in hits]
