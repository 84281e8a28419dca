"""Real edit histories, five commits a second, into a folder a real daemon watches: right after each pause."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import replay
from benchmarks.replay_watch import play
from benchmarks.watched import How


@pytest.mark.skipif(not replay.SHARED.exists(), reason="../shared absent")
def test_a_stretch_of_a_history_is_watched(tmp_path: Path) -> None:
    """The whole histories: `make replay`."""
    figures = play("en-18f-handbook", 180, 30, tmp_path, How(every=10))
    assert (figures.steps, figures.pauses) == (30, 3)
    assert 0 < figures.parsed <= figures.at_most
    assert figures.share < 0.3
