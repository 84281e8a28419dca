"""Followers of small knowledge bases, and the other sides they send to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lightrag_stand_in import StandIn, served

SERVICE = str(Path(__file__).resolve().parents[1] / "service")
sys.path.insert(0, SERVICE)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedder of tests is found in processes started here."""
    monkeypatch.setenv("PYTHONPATH", f"{SERVICE}:{Path(__file__).resolve().parents[2]}")


@pytest.fixture(params=["1.5.7", "1.4.16"])
def server(request: pytest.FixtureRequest) -> Iterator[StandIn]:
    """A stand-in for a LightRAG server of each kind."""
    with served(request.param) as stand_in:
        yield stand_in
