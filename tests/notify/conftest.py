"""A notifier over a temporary knowledge base, with a log that can be read."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from notify_scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """All notifiers of it are stopped at the end, the log is closed."""
    made = Scene(tmp_path / "kb", io.StringIO())
    yield made
    made.close()
