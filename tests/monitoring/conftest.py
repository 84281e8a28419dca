"""A small knowledge base whose every metric has a value."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from monitored import CONFIG, put, told

from indexer.api import KnowledgeBase
from indexer.metrics import Metrics
from indexer.metrics.web import Tally


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with indexer.toml, documents in its source, and nothing indexed yet."""
    for name in [n for n in os.environ if n.startswith(("INDEXER_", "LC_", "LANG"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / "indexer.toml").write_text(CONFIG, "utf-8")
    for number in range(12):
        put(home, f"text {number}.txt", f"Text number {number} says something of its own.")
    return home


@pytest.fixture
def kb(home: Path) -> Iterator[KnowledgeBase]:
    """The knowledge base."""
    kb = KnowledgeBase(home)
    yield kb
    kb.close()


@pytest.fixture
def metrics(kb: KnowledgeBase) -> Metrics:
    """Its metrics, nothing heard yet; patient, for machines that do much else."""
    return Metrics(kb.settings, "1.2.3", patience=60)


@pytest.fixture
def everything(kb: KnowledgeBase, metrics: Metrics) -> Metrics:
    """Metrics of which none is absent: a run made, a run at work, a next one planned, a source watched."""
    kb.update()
    told(metrics, time.time_ns())
    metrics.web = Tally()
    metrics.web.add("GET", "/api/v1/search", 200, 0.02)
    return metrics
