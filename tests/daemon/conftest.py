"""Daemons that end with their test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from daemons import PATHS, Daemon


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow embedder is found in this process too."""
    monkeypatch.syspath_prepend(PATHS[1])


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """``daemon("run", "--watch")`` in tmp_path."""
    begun: list[Daemon] = []

    def begin(*words: str, **more: str) -> Daemon:
        begun.append(Daemon(tmp_path, *words, **more))
        return begun[-1]

    yield begin
    for one in begun:
        one.process.kill()
        one.process.wait()
