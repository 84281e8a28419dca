"""Which segments are merged: the amount rewritten follows the change, not the size of the index."""

from __future__ import annotations

import pytest

from indexer.care.upkeep import CAP, FAN, choose


@pytest.mark.parametrize(
    ("counts", "chosen"),
    [
        ([], None),
        ([1] * 7, None),
        ([1] * 8, range(8)),
        ([50_000, *[1] * 8], range(1, 9)),
        ([16_384, 16_384, 16_384, 1, 1, 1, 1, 1], None),
        ([600] * 8, range(8)),
        ([600] * 7 + [1], None),
        ([8, *[1] * 7], None),
        ([5_000] * 8, range(8)),
        ([16_384] * 14, None),
    ],
)
def test_choice(counts: list[int], chosen: range | None) -> None:
    """Tiny neighbours never make large segments be rewritten; nothing exceeds the cap."""
    assert choose(counts) == chosen


def test_rewritten_stays_proportional() -> None:
    """4,000 one-passage commits on a large index rewrite each passage a few times, the base never."""
    counts = [CAP - 1, 30_000, 30_000]
    rewritten = 0
    for _ in range(4000):
        counts.append(1)
        while (run := choose(counts)) is not None:
            merged = sum(counts[i] for i in run)
            assert merged <= CAP
            rewritten += merged
            counts[run.start : run.stop] = [merged]
    assert rewritten < 4000 * 5
    assert len(counts) < 3 + 6 * FAN
