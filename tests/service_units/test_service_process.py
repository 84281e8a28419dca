"""A real `indexer run` under what systemd gives it: ready, signs of life, reload, stop, and a healthy status meanwhile."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX") or sys.platform == "win32", reason="systemd is Linux's")


class Unit:
    """The daemon's process and the manager's end of its socket."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(home / "notify"))
        self.socket.settimeout(240)
        ours = {k: v for k, v in os.environ.items() if not k.startswith(("INDEXER_", "WATCHDOG_"))}
        environ = {**ours, "NOTIFY_SOCKET": str(home / "notify"), "WATCHDOG_USEC": "400000", "LANG": "C.UTF-8"}
        argv = [sys.executable, "-m", "indexer", "run", "--home", str(home)]
        self.process = subprocess.Popen(argv, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def hears(self, line: str) -> list[str]:
        """The first datagram with this line in it."""
        while True:
            lines = self.socket.recv(65536).decode().split("\n")
            if line in lines:
                return lines

    def falls_silent(self, seconds: float) -> None:
        """Returns when nothing came for so long."""
        self.socket.settimeout(seconds)
        try:
            while self.socket.recv(65536):
                pass
        except TimeoutError:
            self.socket.settimeout(240)

    def status(self, *options: str) -> subprocess.CompletedProcess[str]:
        """`indexer status` in a process of its own."""
        argv = [sys.executable, "-m", "indexer", "status", "--home", str(self.home), *options]
        return subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture
def unit(tmp_path: Path) -> Iterator[Unit]:
    """A daemon over one document."""
    (tmp_path / "knowledge_base").mkdir()
    (tmp_path / "knowledge_base" / "a.txt").write_text("Annual leave is fifteen days a year.", "utf-8")
    config = '[embedding]\nmodel = "python:indexer.embed.hashing:HashEmbedder"\n[watch]\nenabled = true\n'
    (tmp_path / "indexer.toml").write_text(config, "utf-8")
    made = Unit(tmp_path)
    yield made
    if made.process.poll() is None:
        made.process.kill()
    made.process.wait()
    made.socket.close()


def test_the_life_of_a_service(unit: Unit) -> None:
    """It is ready, gives signs of life, reads its configuration again, and ends on SIGTERM with 0."""
    assert any(x.startswith("STATUS=") for x in unit.hears("READY=1"))
    unit.hears("WATCHDOG=1")
    unit.hears("WATCHDOG=1")
    assert unit.status("--health").returncode == 0
    unit.process.send_signal(signal.SIGHUP)
    assert any(x.startswith("MONOTONIC_USEC=") for x in unit.hears("RELOADING=1"))
    unit.hears("READY=1")
    unit.process.send_signal(signal.SIGTERM)
    unit.hears("STOPPING=1")
    assert unit.process.wait(timeout=240) == 0
    assert unit.status("--health").returncode == 1


def test_a_daemon_that_stands_still_gives_no_sign(unit: Unit) -> None:
    """Frozen as by a fault of the system: systemd hears nothing, until it goes on."""
    unit.hears("WATCHDOG=1")
    unit.process.send_signal(signal.SIGSTOP)
    unit.falls_silent(2)
    unit.process.send_signal(signal.SIGCONT)
    unit.hears("WATCHDOG=1")


def test_status_shows_the_daemon(unit: Unit) -> None:
    """What it watches and when it runs next, in another process."""
    unit.hears("READY=1")
    said = unit.status().stdout
    assert "Next run: " in said
    assert re.search(r"(Watched|Polled): knowledge_base", said)
    assert "No daemon" not in said
