"""Real edit histories: after each step the index is right, and no more was parsed than changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import replay

pytestmark = pytest.mark.skipif(not replay.SHARED.exists(), reason="../shared absent")
STEPS = {"en-18f-handbook": (180, 25, 0.15), "zh-laws": (0, 1, 0.2)}


@pytest.mark.parametrize("name", STEPS)
def test_a_stretch_of_a_history(name: str, tmp_path: Path) -> None:
    """The whole histories: `python -m benchmarks.replay`."""
    first, steps, share = STEPS[name]
    figures = replay.run(name, first, steps, tmp_path)
    assert figures.steps == steps
    assert figures.parsed > 0
    assert figures.share < share
