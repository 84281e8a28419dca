"""The shared watch cases, each driven through the real daemon."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("INDEXER_SHARED", HERE.parents[1] / ".." / "shared")).resolve()
CASES = SHARED / "cases"

pytestmark = pytest.mark.skipif(not CASES.exists(), reason="../shared absent")

NICE = shutil.which("nice") if hasattr(os, "geteuid") and os.geteuid() == 0 else None
FIRST = (NICE, "-n", "-10") if NICE else ()
"""The script's clock, 90 s for 20,000 files, is that of a machine with nothing else to do; three other tests run here."""


def ids() -> list[str]:
    """The ids the shared script declares, read without running it."""
    file = CASES / "watch_check.py"
    return re.findall(r"@seq\(P, '([A-Z]+-\d+)'", file.read_text("utf-8")) if file.exists() else []


@pytest.mark.parametrize("case", ids())
def test_watch_case(case: str) -> None:
    """The case ends in "ok" with the daemon watching."""
    argv = [
        *FIRST,
        sys.executable,
        "watch_check.py",
        "public",
        "--only",
        f"^{case}$",
        "--",
        sys.executable,
        str(HERE / "watch.py"),
    ]
    done = subprocess.run(argv, cwd=CASES, capture_output=True, text=True, timeout=300)
    assert "1 of 1" in done.stdout, done.stdout + done.stderr
