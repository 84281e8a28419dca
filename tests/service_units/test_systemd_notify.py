"""What systemd hears, over a real datagram socket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from indexer.core.model import Ask, Message
from indexer.systemd import Notify

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no sockets with names here")


class Manager:
    """The other end: a socket, and what came."""

    def __init__(self, address: str | bytes, name: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.settimeout(30)
        self.environ = {"NOTIFY_SOCKET": name}

    def heard(self) -> list[str]:
        """The next datagram, in lines."""
        return self.socket.recv(65536).decode().split("\n")

    def silent(self, seconds: float) -> bool:
        """Whether nothing comes for so long."""
        self.socket.settimeout(seconds)
        try:
            self.socket.recv(65536)
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(30)
        return False


def by_path(folder: Path) -> Manager:
    """A socket that is a file."""
    return Manager(str(folder / "n"), str(folder / "n"))


def by_name(folder: Path) -> Manager:
    """A socket without a file, as systemd's user manager has it on some systems."""
    return Manager(b"\0" + os.fsencode(folder / "n"), f"@{folder / 'n'}")


@pytest.fixture(
    params=[by_path, pytest.param(by_name, marks=pytest.mark.skipif(sys.platform != "linux", reason="Linux"))]
)
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    """systemd's end, under both kinds of address."""
    made = request.param(tmp_path)
    yield made
    made.socket.close()


def test_the_states_of_a_service(manager: Manager) -> None:
    """Ready, reading the configuration with the time of it, stopping: each with a line for people."""
    notify = Notify(manager.environ, monotonic_ns=lambda: 5_000_000)
    assert notify.ready()
    assert manager.heard() == ["READY=1", "STATUS=Waiting for changes"]
    assert notify.reloading()
    assert manager.heard() == ["RELOADING=1", "MONOTONIC_USEC=5000", "STATUS=Reading the configuration"]
    assert notify.stopping()
    assert manager.heard() == ["STOPPING=1", "STATUS=Stopping"]


def test_the_events_of_the_service_become_its_line(manager: Manager) -> None:
    """Begin, commit, end, and an end that could not go on; the queue says nothing."""
    notify = Notify(manager.environ)
    notify("begin", {"ask": Ask("schedule"), "at_ns": 1})
    notify("queue", {"waiting": 3})
    notify("commit", {"commit": 7, "documents": 12})
    notify("end", {"outcome": SimpleNamespace(error=None, commit=8, exit_code=3)})
    failure = Message("The catalog {path}\nis damaged", {"path": "x"})
    notify("end", {"outcome": SimpleNamespace(error=failure, commit=0, exit_code=6)})
    assert [manager.heard() for _ in range(4)] == [
        ["STATUS=Updating (schedule)"],
        ["STATUS=Updating: commit 7, 12 documents"],
        ["STATUS=Waiting for changes; last run: commit 8, exit code 3"],
        ["STATUS=Last run failed: The catalog x is damaged"],  # one line, whatever the reason looks like
    ]


def test_the_line_is_in_the_language_it_is_given(manager: Manager) -> None:
    """Any characters arrive as UTF-8."""
    notify = Notify(manager.environ, say=lambda message: "等待变化")
    notify.ready()
    assert manager.heard() == ["READY=1", "STATUS=等待变化"]


def watched(manager: Manager, seconds: float, pid: int | None = None) -> dict[str, str]:
    """The environment of a unit with WatchdogSec."""
    usec = str(int(seconds * 1e6))
    return {**manager.environ, "WATCHDOG_USEC": usec, "WATCHDOG_PID": str(os.getpid() if pid is None else pid)}


def test_signs_of_life_while_the_worker_is_alive(manager: Manager) -> None:
    """Twice in the time systemd waits, the first at once; none while it hangs; again when it goes on."""
    notify, well = Notify(watched(manager, 0.1)), threading.Event()
    assert notify.period == pytest.approx(0.05)
    well.set()
    notify.guard(well.is_set)
    assert [manager.heard() for _ in range(3)] == [["WATCHDOG=1"]] * 3
    well.clear()
    while not manager.silent(0.5):
        pass
    well.set()
    assert manager.heard() == ["WATCHDOG=1"]
    notify.close()
    while not manager.silent(0.5):
        pass


def test_who_cannot_say_that_it_is_alive_is_not(manager: Manager) -> None:
    """An exception in the question is no sign of life, and no end of the questions."""
    asked: list[int] = []

    def alive() -> bool:
        asked.append(1)
        if len(asked) < 3:
            raise RuntimeError("broken")
        return True

    notify = Notify(watched(manager, 0.1))
    notify.guard(alive)
    assert manager.heard() == ["WATCHDOG=1"]
    notify.close()
    assert len(asked) >= 3


@pytest.mark.parametrize("given", [{}, {"WATCHDOG_USEC": "x"}, {"WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"}])
def test_no_signs_where_nobody_waits(manager: Manager, given: dict[str, str]) -> None:
    """No WATCHDOG_USEC, one that is no number, one for another process."""
    notify = Notify({**manager.environ, **given})
    notify.guard(lambda: True)
    assert notify.period == 0
    assert manager.silent(0.2)
    notify.close()


@pytest.mark.parametrize("name", ["", "relative", "/nowhere/at/all", "vsock:2:1234"])
def test_nobody_listens(name: str) -> None:
    """Without systemd, or with a socket that is gone, nothing is sent and nothing raised."""
    notify = Notify({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "100000"})
    assert not notify.ready()
    assert not notify.stopping()
    notify("end", {"outcome": SimpleNamespace(error=None, commit=1, exit_code=0)})
    notify.guard(lambda: True)
    notify.close()


def test_a_manager_that_does_not_read_holds_nobody_up(tmp_path: Path) -> None:
    """A full socket costs a second, not the service."""
    manager = by_path(tmp_path)
    notify = Notify(manager.environ)
    sent = [notify.status(Message("x")) for _ in range(1)]
    manager.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    while sent[-1] and len(sent) < 100_000:
        sent.append(notify.status(Message("x" * 1000)))
    manager.socket.close()
    assert sent[0]
    assert not sent[-1]


def test_another_process_is_heard(manager: Manager) -> None:
    """As under systemd: the environment names the socket, the program is a process of its own."""
    code = "from indexer.systemd import Notify; Notify().ready()"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **manager.environ}, check=True, timeout=120)
    assert manager.heard()[0] == "READY=1"


def test_time_is_the_kernels_monotonic_clock() -> None:
    """systemd compares MONOTONIC_USEC with its own reading of CLOCK_MONOTONIC."""
    assert abs(time.monotonic_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC)) < 10**10
