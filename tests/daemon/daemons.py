"""Real daemons in real processes, for the tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
PATHS = [str(HERE.parents[2]), str(HERE.parents[1] / "service")]


def environment(**more: str) -> dict[str, str]:
    """In English, with the slow embedder to be found."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("INDEXER_")}
    return {**kept, "LC_ALL": "C.UTF-8", "PYTHONPATH": os.pathsep.join(PATHS), **more}


def indexer(home: Path, *words: str, seconds: float = 120, **more: str) -> subprocess.CompletedProcess[str]:
    """One command, to its end."""
    command = [sys.executable, "-m", "indexer", *words, "--home", str(home)]
    return subprocess.run(
        command, env=environment(**more), capture_output=True, text=True, timeout=seconds, check=False
    )


class Daemon:
    """``indexer run`` and its likes; killed at the end."""

    def __init__(self, home: Path, *words: str, **more: str) -> None:
        self.home, self.err = home, home / "daemon.err"
        command = [sys.executable, "-m", "indexer", *(words or ("run",)), "--home", str(home)]
        with open(self.err, "ab") as err:
            self.process = subprocess.Popen(command, env=environment(**more), stdout=err, stderr=err)

    def state(self) -> Mapping[str, Any]:
        """What it tells others."""
        for _ in range(100):
            try:
                found: Mapping[str, Any] = json.loads((self.home / "metadata" / "daemon.json").read_text())
            except OSError:
                return {}
            except ValueError:  # written in place: it may be half written
                time.sleep(0.01)
                continue
            return found if found.get("pid") == self.process.pid else {}
        return {}

    def said(self) -> str:
        """All it wrote to the terminal."""
        return self.err.read_text(encoding="utf-8")

    def until(self, true: Callable[[], object], seconds: float = 90) -> None:
        """Wait for something that comes while it lives."""
        end = time.monotonic() + seconds
        while not true():
            assert self.process.poll() is None, f"it ended:\n{self.said()}"
            assert time.monotonic() < end, f"it did not come:\n{self.said()}"
            time.sleep(0.02)

    def ready(self) -> Daemon:
        """Wait for its first word."""
        self.until(lambda: self.state() and "Started" in self.said())
        return self

    def send(self, number: int) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def stop(self, number: int = signal.SIGTERM, seconds: float = 60) -> int:
        """Ask it to end; its exit code."""
        if self.process.poll() is None:
            self.send(number)
        return self.process.wait(seconds)
