"""The scene of each test of the log, closed afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from log_scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Everything of it is closed at the end."""
    made = Scene(tmp_path / "metadata")
    yield made
    for log in reversed(made.logs):
        log.enter(0, "")
        log.close()
