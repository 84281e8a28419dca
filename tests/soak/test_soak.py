"""The daemon through days of work, kills and jumping clocks: right at each settle, and nobody who searches notices.

``INDEXER_TEST_SOAK=20``: so many minutes instead of a short form, a day and more of the injected clock.
"""

from __future__ import annotations

import os
import random
from datetime import time as wall
from pathlib import Path

import pytest
from soak_run import Soak

MINUTES = float(os.environ.get("INDEXER_TEST_SOAK", "0"))
SEED = int(os.environ.get("INDEXER_TEST_SEED", "0")) or random.SystemRandom().randrange(10**6)
MOST = 1.0
"""MB in an injected hour by which the daemon may grow."""


@pytest.mark.timeout(MINUTES * 60 + 1200)
def test_a_soak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At each settle the index equals the reference; one run for each night; no reader errs; memory does not grow."""
    soak = Soak(tmp_path, MINUTES * 60 or 35, SEED, wall(12) if MINUTES else wall(1, 30))
    try:
        line = soak.run()
    except AssertionError as e:
        told = (tmp_path / "soak.log").read_text("utf-8", "replace").splitlines()
        raise AssertionError(
            f"{e}\nseed {SEED}; everything that was done: {tmp_path}/soak.log; at last:\n" + "\n".join(told[-60:])
        ) from e
    finally:
        soak.close()
    with capsys.disabled():
        print("\n" + line)
    slopes = soak.slopes()
    for found in slopes or () if MINUTES else ():
        assert found.per_hour - 2 * found.error < MOST, line
