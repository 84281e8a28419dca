"""One knowledge base for each test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from audit_lab import Lab


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Lab:
    """Empty, and in English."""
    for name in [n for n in os.environ if n.startswith(("INDEXER_", "LC_", "LANG", "SUDO_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return Lab(tmp_path, capsys)


@pytest.fixture
def told(lab: Lab) -> Lab:
    """Four commits: two documents, one edited, one deleted, another added."""
    lab.put("a.txt", "Annual leave is fifteen days.")
    lab.put("b.txt", "Change your password every ninety days.")
    lab.update()
    lab.put("a.txt", "Annual leave is sixteen days.")
    lab.update()
    (lab.files / "b.txt").unlink()
    lab.update()
    lab.put("c.txt", "The canteen opens at noon.")
    lab.update()
    return lab
