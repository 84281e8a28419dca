"""One indexed knowledge base, and one client that talks to a real process over it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))
sys.path.insert(0, str(Path(__file__).parents[1] / "web"))
sys.path.insert(0, str(Path(__file__).parent))

from mcp.client import Client
from talking import DOCUMENTS, Talk, command, configure, put, started, talking

from indexer import KnowledgeBase


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The indexed knowledge base, to be copied."""
    home = configure(tmp_path_factory.mktemp("mcp") / "made")
    for name, text in DOCUMENTS.items():
        put(home, name, text)
    kb = KnowledgeBase(home)
    kb.update()
    kb.close()
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A copy of one's own."""
    return Path(shutil.copytree(made, tmp_path / "kb"))


@pytest.fixture(scope="module")
def served(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the process that ``talk`` talks to."""
    return Path(shutil.copytree(made, tmp_path_factory.mktemp("served") / "kb"))


@pytest.fixture(scope="module")
def talk(served: Path) -> Iterator[Talk]:
    """A client of a real `indexer mcp`."""
    with talking(Client(started(command(served), served), mode="legacy")) as one:
        yield one
