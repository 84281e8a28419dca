"""The workers and the prepared scene, shared by all tests of this folder; a line of figures at the end."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from . import episodes
from .checks import Prepared
from .figures import FULL, line
from .workers import Workers


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Processes to fork from."""
    pool = Workers()
    yield pool
    pool.close()


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: a kill loses nothing of it, and fsync is free."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="indexer-crash-", dir=where))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def prepared(workers: Workers, memory: Path) -> Prepared:
    """A knowledge base with a history, saved before the run under test."""
    root = memory / "prepared"
    root.mkdir()
    workers.map(episodes.prepare, [(str(root),)])
    return Prepared(root)


@pytest.fixture(scope="session")
def steps(workers: Workers, prepared: Prepared) -> Callable[[str], list[list[str]]]:
    """The steps of an operation, found by doing it undisturbed once."""

    @cache
    def rehearsed(name: str) -> list[list[str]]:
        [found] = workers.map(episodes.rehearse, [(str(prepared.root), name)])
        return found  # type: ignore[no-any-return]

    return rehearsed


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long versions may take their time."""
    if FULL:
        for item in items:
            if item.path.parent == Path(__file__).parent:
                item.add_marker(pytest.mark.timeout(4 * 3600))


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line: what was tried."""
    if (text := line()) and not hasattr(config, "workerinput"):
        print(text)
