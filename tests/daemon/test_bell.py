"""The bell the daemon's main thread waits for."""

from __future__ import annotations

import os
import signal
import threading
import time

from indexer.bell import Bell


def test_a_ring_before_the_wait_ends_it() -> None:
    """Nothing is lost between two waits; rings are not counted."""
    bell = Bell()
    for _ in range(100_000):  # more than a socket takes
        bell.ring()
    began = time.monotonic()
    bell.wait(60)
    assert time.monotonic() - began < 30
    bell.wait(0.01)
    bell.close()
    bell.ring()


def test_signals_that_come_all_the_time() -> None:
    """A handler that rings while the same thread waits, drains or rings never waits for itself."""
    bell, rung = Bell(), []

    def handle(number: int, frame: object) -> None:
        rung.append(number)
        bell.ring()

    before = signal.signal(signal.SIGUSR1, handle)
    stop = threading.Event()

    def pester() -> None:
        while not stop.is_set():
            os.kill(os.getpid(), signal.SIGUSR1)
            time.sleep(0.0001)

    thread = threading.Thread(target=pester)
    thread.start()
    try:
        for _ in range(3000):
            bell.wait(5)
    finally:
        stop.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)
        bell.close()
    assert rung
