"""What systemd is told, and the watchdog it may set on us: sd_notify(3) without a library.

Outside of systemd (no NOTIFY_SOCKET) everything here does nothing. Nothing here raises: a
service must not end because its manager did not listen.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from .core.model import Message

Say = Callable[[Message], str]


class Notify:
    """The connection to systemd; called with the service's events it keeps the line of `systemctl status` true."""

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        *,
        say: Say = str,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._address = _address(environ.get("NOTIFY_SOCKET", ""))
        self._say, self._monotonic_ns = say, monotonic_ns
        self.period = _period(environ) if self._address else 0.0
        """Seconds between two signs of life, half of what systemd waits for; 0: it does not wait."""
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Take one event of the service."""
        if self._address is None:
            return
        match kind:
            case "begin":
                self.status(Message("Updating ({trigger})", {"trigger": facts["ask"].trigger}))
            case "commit":
                words = {"commit": facts["commit"], "documents": facts["documents"]}
                self.status(Message("Updating: commit {commit}, {documents} documents", words))
            case "end":
                self.status(_ended(facts["outcome"]))

    def ready(self, status: Message | None = None) -> bool:
        """The start, or the reading of the configuration, is over; whether systemd was told."""
        return self._send("READY=1", *self._line(status or Message("Waiting for changes")))

    def reloading(self) -> bool:
        """The configuration is read again; :meth:`ready` ends it."""
        stamp = self._monotonic_ns() // 1000
        return self._send("RELOADING=1", f"MONOTONIC_USEC={stamp}", *self._line(Message("Reading the configuration")))

    def stopping(self) -> bool:
        """The service is ending; signs of life are given until it has ended."""
        return self._send("STOPPING=1", *self._line(Message("Stopping")))

    def status(self, message: Message) -> bool:
        """The line of `systemctl status`."""
        return self._send(*self._line(message))

    def guard(self, alive: Callable[[], bool]) -> None:
        """From now on a sign of life every half period, as long as ``alive()`` says so.

        It is asked in a thread of its own: a worker that hangs holds this thread up in nothing,
        gets no sign of life, and systemd starts the service again.
        """
        if self.period and self._thread is None:
            self._thread = threading.Thread(target=self._pat, args=(alive,), name="systemd", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """No more signs of life."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _pat(self, alive: Callable[[], bool]) -> None:
        while True:
            with contextlib.suppress(Exception):  # who cannot say whether it is alive is not
                if alive():
                    self._send("WATCHDOG=1")
            if self._end.wait(self.period):
                return

    def _line(self, message: Message) -> tuple[str, ...]:
        return ("STATUS=" + " ".join(self._say(message).split()),)

    def _send(self, *lines: str) -> bool:
        if self._address is None:
            return False
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
            to.settimeout(1.0)  # a manager that does not read must not hold up the worker
            to.sendto("\n".join(lines).encode("utf-8", "backslashreplace"), self._address)
            return True
        return False


def _ended(outcome: Any) -> Message:
    if outcome.error is not None:
        return Message("Last run failed: {error}", {"error": outcome.error})
    facts = {"commit": outcome.commit, "code": outcome.exit_code}
    return Message("Waiting for changes; last run: commit {commit}, exit code {code}", facts)


def _address(name: str) -> str | bytes | None:
    """The socket's address: a path, or a name without a file ("@name"); None for anything else."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    if name.startswith("@"):
        return b"\0" + os.fsencode(name[1:])
    return name if name.startswith("/") else None


def _period(environ: Mapping[str, str]) -> float:
    """Half of WATCHDOG_USEC in seconds, 0 when it is not meant for this process."""
    microseconds, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not microseconds.isdigit() or (pid and pid != str(os.getpid())):
        return 0.0
    return int(microseconds) / 2e6
