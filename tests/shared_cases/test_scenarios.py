"""The shared update scenarios, each driven through the real product."""

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
NEEDS_NO_ROOT = ("FS-04", "FS-05")


def ids() -> list[str]:
    """The ids the shared module declares, read without running it."""
    file = CASES / "scenarios_public.py"
    return re.findall(r"@scen\(S, '([A-Z]+-\d+)'", file.read_text("utf-8")) if file.exists() else []


@pytest.mark.parametrize("case", ids())
def test_scenario(case: str) -> None:
    """The scenario ends in "ok" with the real product."""
    argv = [sys.executable, "run_scenarios.py", "public", "adapter:Product", f"^{case}$"]
    environ = {**os.environ, "PYTHONPATH": str(HERE)}
    if case in NEEDS_NO_ROOT and hasattr(os, "geteuid") and os.geteuid() == 0:
        drop = "-dac_override,-dac_read_search"
        setpriv = shutil.which("setpriv")
        assert setpriv, "setpriv (util-linux) is needed to give up root's right to read everything"
        argv = [setpriv, f"--bounding-set={drop}", f"--inh-caps={drop}", *argv]
        environ["SCEN_NO_DAC"] = "1"
    done = subprocess.run(argv, cwd=CASES, env=environ, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1" in done.stdout, done.stdout + done.stderr
