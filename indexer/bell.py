"""A bell that a signal handler may ring: the main thread waits for it, any thread rings it.

``threading.Event`` is not for this: its lock is not reentrant, and a handler that runs while the
main thread is inside ``wait`` or ``clear`` would wait for itself.
"""

from __future__ import annotations

import select
import socket
from contextlib import suppress


class Bell:
    """Rings are not counted; one that came before the wait ends it at once."""

    def __init__(self) -> None:
        self._hear, self._ring = socket.socketpair()
        self._hear.setblocking(False)
        self._ring.setblocking(False)

    def ring(self) -> None:
        """Wake whoever waits; never blocks, never raises."""
        with suppress(OSError):  # full: it rings already; closed: nobody waits
            self._ring.send(b"!")

    def wait(self, seconds: float) -> None:
        """Until it rings, at most so long."""
        select.select([self._hear], [], [], seconds)
        with suppress(BlockingIOError):
            while self._hear.recv(4096):
                pass

    def close(self) -> None:
        """Nobody waits any more."""
        self._hear.close()
        self._ring.close()
