"""A service at work, stopped at the end of each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from heard import Begin, Heard
from slow_embedder import configuration

from indexer import KnowledgeBase
from indexer.service import Service


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """``service, heard = begin(seconds=0.01, more="batch_passages = 8")``."""
    services: list[Service] = []

    def make(seconds: float = 0.0, more: str = "") -> tuple[Service, Heard]:
        heard = Heard()
        service = Service(KnowledgeBase(configuration(tmp_path, seconds, more)), [heard])
        services.append(service)
        service.start()
        return service, heard

    yield make
    for service in services:
        assert service.stop(30)
        service.kb.close()
