"""The daemon of a soak: started, killed, frozen, told to read its configuration again; and how much memory it has."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve()
PATHS = [HERE.parents[2], *(HERE.parents[1] / x for x in ("soak", "laws", "service", "sources", "parse"))]


def environment(home: Path) -> dict[str, str]:
    """In English, with everything to be found; SOAK marks the processes of one soak."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("INDEXER_")}
    own = {"SOAK": str(home), "PYTHONPATH": os.pathsep.join(map(str, PATHS)), "PYTHONTZPATH": str(home / "zones")}
    return {**kept, "LC_ALL": "C.UTF-8", **own}


def process(home: Path, script: str, *words: str, err: Any = None) -> subprocess.Popen[bytes]:
    """One of the scripts of this folder."""
    return subprocess.Popen([sys.executable, str(HERE.parent / script), *words], env=environment(home), stderr=err)


def family(home: Path) -> dict[int, str]:
    """The living processes of this soak and the programs they are."""
    found, mark = {}, f"SOAK={home}".encode()
    for entry in Path("/proc").iterdir() if os.path.isdir("/proc/self") else ():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found[int(entry.name)] = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                )
        except OSError:
            continue  # it ended meanwhile, or is another user's
    return found


class Sample(NamedTuple):
    """Memory of the daemon in MB: resident, and what is its own and no file's; ``hours``: injected, of its life."""

    life: int
    hours: float
    resident: float
    own: float


class Keeper:
    """One daemon at a time over ``home``."""

    def __init__(self, home: Path) -> None:
        self.home, self.err = home, home / "daemon.err"
        self.process: subprocess.Popen[bytes] | None = None
        self.life = 0
        self.began = 0.0

    def start(self) -> None:
        """A new one."""
        assert self.process is None
        with open(self.err, "ab") as err:
            self.process = process(self.home, "soak_process.py", "daemon", str(self.home), err=err)
        self.life, self.began = self.life + 1, time.monotonic()

    def send(self, number: int) -> None:
        """A signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """At once, whatever it does."""
        self.end(signal.SIGKILL)

    def end(self, number: int = signal.SIGTERM, seconds: float = 90) -> int:
        """Its exit code."""
        assert self.process is not None
        self.send(number)
        code = self.process.wait(seconds)
        self.process = None
        return code

    def state(self) -> Mapping[str, Any]:
        """What it tells others; empty before its first word."""
        try:
            found: Mapping[str, Any] = json.loads((self.home / "metadata" / "daemon.json").read_text())
        except (OSError, ValueError):
            return {}
        return found if self.process is not None and found.get("pid") == self.process.pid else {}

    def idle(self) -> bool:
        """Whether it has nothing to do."""
        state = self.state()
        return bool(state) and state["running"] is None and not state["waiting"]

    def check(self) -> None:
        """It must live, and have met nothing unforeseen."""
        said = self.err.read_text("utf-8", "replace")
        assert "Traceback" not in said, said[-4000:]
        assert "internal error" not in said, said[-4000:]
        assert self.process is None or self.process.poll() is None, f"the daemon ended by itself:\n{said[-4000:]}"

    def memory(self, rate: float) -> Sample | None:
        """How much it has; None where the system does not tell, or it does not live."""
        if self.process is None or not os.path.exists("/proc/self/smaps_rollup"):
            return None
        text = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        sizes = {line.split(":")[0]: float(line.split()[1]) / 1024 for line in text.splitlines()[1:]}
        hours = (time.monotonic() - self.began) * rate / 3600
        return Sample(self.life, hours, sizes["Rss"], sizes["Anonymous"])
