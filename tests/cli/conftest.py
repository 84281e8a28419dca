"""A small knowledge base with a model that costs nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

CONFIG = """
[embedding]
model = "python:indexer.embed.hashing:HashEmbedder"
"""


def put(home: Path, name: str, text: str | bytes, age: float = 100) -> Path:
    """Write a document that is ``age`` seconds old."""
    file = home / "knowledge_base" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    at = time.time() - age
    os.utime(file, (at, at))
    return file


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with indexer.toml, two documents in its source, and nothing indexed yet."""
    for name in [n for n in os.environ if n.startswith(("INDEXER_", "LC_", "LANG"))]:
        monkeypatch.delenv(name)
    (tmp_path / "indexer.toml").write_text(CONFIG, "utf-8")
    put(tmp_path, "leave.txt", "Annual leave is fifteen days a year.")
    put(tmp_path, "guide/security.md", "# Passwords\n\nChange your password every ninety days.")
    monkeypatch.chdir(tmp_path)
    return tmp_path
