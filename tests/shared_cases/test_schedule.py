"""The shared table of clock changes: ours passes, plain APScheduler and a 24-hour interval do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("INDEXER_SHARED", HERE.parents[1] / ".." / "shared")).resolve()
CASES = SHARED / "cases"

pytestmark = pytest.mark.skipif(not CASES.exists(), reason="../shared absent")


@pytest.mark.parametrize(
    ("subject", "result"), [("schedule:fires", "6 of 6"), ("apscheduler", "4 of 6"), ("interval24", "4 of 6")]
)
def test_clock_changes(subject: str, result: str) -> None:
    """One run per date; the two controls show that the table can fail."""
    argv = [sys.executable, "sched_check.py", "public", subject]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join((str(HERE), str(HERE.parents[1])))}
    done = subprocess.run(argv, cwd=CASES, env=environ, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == result, done.stdout
