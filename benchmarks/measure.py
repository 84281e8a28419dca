"""What one new process costs: CPU, wall, peak memory, bytes sent to the disk.

:func:`run` starts a launcher (this file, run as a script), which starts the command. Without
the launcher a child would inherit the peak memory of the benchmark itself: Linux carries the
parent's high-water mark over vfork and exec into ``ru_maxrss``.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

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
    launcher = [sys.executable, "-I", "-S", __file__]
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


# ---- the launcher -------------------------------------------------------------------------


def _launch(argv: list[str], cwd: str, env: dict[str, str], timeout: float, discard: bool) -> dict[str, object]:
    with open(os.devnull, "w+b") if discard else tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        child = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        ended = _wait(child.pid, timeout)
        wall = time.perf_counter() - began
        written = _written(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        note = "" if ended else f"\nkilled after {timeout:g} s"
        return {
            "code": child.returncode,
            "out": _text(out),
            "err": _text(err) + note,
            "cpu_s": round(usage.ru_utime + usage.ru_stime, 4),
            "wall_s": round(wall, 4),
            "rss_mb": round(usage.ru_maxrss * 1024 / 1e6, 1),
            "written_mb": written,
        }


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _wait(pid: int, timeout: float) -> bool:
    """Leave the ended process a zombie, so that /proc still tells of it; False: had to kill it."""
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        ended = bool(poll.poll(timeout * 1000))
        if not ended:
            os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return ended
    finally:
        os.close(handle)


def _written(pid: int) -> float | None:
    """10^6 bytes the process and its waited-for children caused to be sent to storage."""
    try:
        with open(f"/proc/{pid}/io") as lines:
            counts = dict(line.split(": ") for line in lines)
    except OSError:
        return None
    return round(int(counts["write_bytes"]) / 1e6, 4)


if __name__ == "__main__":
    print(json.dumps(_launch(**json.loads(sys.stdin.read()))))
