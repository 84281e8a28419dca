"""Models that several test modules share, loaded once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from indexer import embed
from indexer.core.ports import Embedder
from indexer.core.tables import EmbeddingSettings

# benchmarks.e5_folder lies beside the package, not in it
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


@pytest.fixture(scope="session")
def e5_int8() -> Embedder:
    """The default model as users get it."""
    return embed.load(EmbeddingSettings(threads=2))


@pytest.fixture(scope="session")
def e5_fp32() -> Embedder:
    """The default model in full precision."""
    return embed.load(EmbeddingSettings(precision="fp32", threads=2))


@pytest.fixture(scope="session")
def use() -> Embedder:
    """The fallback model."""
    return embed.load(EmbeddingSettings(model="builtin:use-multilingual", threads=2))
