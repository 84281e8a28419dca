"""The oracle: after any history what is found is what the reference computes (DESIGN 3.1).

``INDEXER_TEST_LAWS`` sets how many histories are played (300), ``INDEXER_TEST_LAW`` plays one seed here.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import pytest
from histories import Verdict, generate, judge

COUNT = int(os.environ.get("INDEXER_TEST_LAWS", "300"))
FIRST = int(os.environ.get("INDEXER_TEST_LAW_FIRST", "0"))
SITUATIONS = (
    "held", "released", "returned", "emptied", "away", "stale", "hidden", "pinned", "deleted", "unknown",
    "new profile", "several commits", "partial",
)  # fmt: skip


@pytest.mark.timeout(0)
def test_random_histories(figures: list[str]) -> None:
    """Found, listed and counted equal the reference after every update of every history."""
    seeds = (
        [int(os.environ["INDEXER_TEST_LAW"])] if "INDEXER_TEST_LAW" in os.environ else list(range(FIRST, FIRST + COUNT))
    )
    started = time.monotonic()
    verdicts = _judged(seeds)
    failed = [v.failed for v in verdicts if v.failed]
    met: Counter[str] = sum((v.met for v in verdicts), Counter())
    figures.append(
        f"{len(seeds)} histories, {met['updates']} updates, {sum(v.checked for v in verdicts)} comparisons, "
        f"{len(failed)} failed, {time.monotonic() - started:.0f} s"
    )
    assert not failed, "\n".join(failed[:5])
    if len(seeds) >= 100:
        assert not [s for s in SITUATIONS if met[s] < len(seeds) // 50], f"histories became too tame: {dict(met)}"


def _judged(seeds: list[int]) -> list[Verdict]:
    if len(seeds) == 1:
        return [judge(seeds[0])]
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(judge, seeds, chunksize=5))


def test_seeds_are_reproducible() -> None:
    """A seed always gives the same history, so that a failure in CI can be played here."""
    assert generate(7) == generate(7)
    assert generate(7) != generate(8)
