"""What one new process costs: CPU, wall, peak memory, bytes sent to the disk (Linux)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launcher.py")

UNSET = ("OPENBLAS_", "OMP_", "COVERAGE_", "COV_CORE_", "PYTHON")
"""Prefixes of variables a measured process never sees: they tune it, watch it, or keep Python
from writing the .pyc files that an installed package has."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One finished process.

    ``cpu_s`` is user + system of the process and of every child it waited for; ``rss_mb`` the
    largest resident set of any one of them (10^6 bytes); ``written_mb`` what the kernel counted
    as sent to storage (10^6 bytes; 0 on tmpfs, None where the kernel does not tell).
    """

    code: int
    out: str
    err: str
    cpu_s: float
    wall_s: float
    rss_mb: float
    written_mb: float | None


class Failed(Exception):
    """The measured command ended with another exit code than allowed, or had to be killed."""


def run(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str] | None = None,
    timeout: float = 3600.0,
    allowed: Sequence[int] = (0,),
    discard: bool = False,
) -> Ran:
    """Run ``argv`` in a new process and measure it; raises :class:`Failed`. Times in seconds.

    ``discard``: its output goes to /dev/null, since writing it to a file would cost it.
    """
    spec = {
        "argv": list(argv),
        "cwd": cwd,
        "env": {**clean(os.environ), **(env or {})},
        "timeout": timeout,
        "discard": discard,
    }
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER)]
    done = subprocess.run(launcher, input=json.dumps(spec), capture_output=True, text=True, check=True)
    ran = Ran(**json.loads(done.stdout))
    if ran.code not in allowed:
        raise Failed(f"{' '.join(argv)} ended with {ran.code}:\n{(ran.err or ran.out)[-3000:]}")
    return ran


def clean(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would change the measured process."""
    return {k: v for k, v in env.items() if not k.startswith(UNSET)}


def last_json(out: str) -> dict[str, object]:
    """The JSON object a command printed: its whole output, or else its last line."""
    try:
        value = json.loads(out)
    except ValueError:
        value = json.loads(out.strip().rpartition("\n")[2])
    if not isinstance(value, dict):
        raise TypeError(f"expected a JSON object, got {type(value).__name__}")
    return value
