"""One follower at work: when the next step is due, what a failure means, and how it stands.

The other side's absence is no failure of a document: after a few tries nothing is sent any more (the breaker is open),
and once in a while it is asked whether it is back. What it needs a person for (a wrong key) is told at once and asked
less often; a key that was put right over there is noticed as well.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..core.errors import Busy, IndexerError
from ..core.model import Message
from ..store.lock import writer_lock
from .follower import Follower
from .ledger import Ledger
from .model import FollowerError, Misconfigured, Unreachable

WELL, DOWN, MISCONFIGURED = "", "down", "misconfigured"
TRIES = 3
"""Failures after which the breaker opens; until then the next try comes soon."""

IDLE_SECONDS = 2.0
"""How often the catalog is asked for commits of other processes."""

_ELSEWHERE_SECONDS = 1.0
_TOLD_SECONDS = 60.0

Say = Callable[[str, Message], None]
"""(level, sentence) for the log."""


class Runner:
    """``turn`` is called again after the seconds it returns. One thread at a time."""

    def __init__(
        self, follower: Follower, say: Say = lambda level, message: None, clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:  # fmt: skip
        self.follower, self.tell, self.clock, self._chance = follower, say, clock, chance
        self.state, self.failures, self.rests = WELL, 0, False
        self.error: Message | None = None
        self._probed = self._told = -1e9
        self._next = 0.0

    @property
    def ledger(self) -> Ledger:
        """Where it is written down."""
        return self.follower.ledger

    def turn(self) -> float:
        """What is due; seconds until the next turn."""
        name, self.rests = self.follower.name, False
        if self.ledger.standing(name).paused:
            return IDLE_SECONDS
        now = self.clock()
        if self.state and now < self._next:
            return self._next - now
        try:
            with alone(self.ledger.path.parent, name):
                return self._work()
        except Busy:
            return _ELSEWHERE_SECONDS
        except Misconfigured as e:
            return self._failed(MISCONFIGURED, e, self.follower.settings.probe_seconds)
        except Unreachable as e:
            return self._failed(DOWN, e, max(e.after, self._patience()))
        except FollowerError as e:
            return self._failed(DOWN, e, self._patience())

    def _work(self) -> float:
        self.follower.begin()
        s = self.follower.settings
        every = s.probe_down_seconds if self.state else s.probe_seconds
        if self.state or self.clock() - self._probed >= every:
            self.follower.target.probe()
            self._probed = self.clock()
            self._well()
        wait = self.follower.step()
        self.failures, self.rests = 0, wait is None
        return IDLE_SECONDS if wait is None else wait

    def _patience(self) -> float:
        """1, 2, 4 seconds and a bit; then as often as it is asked while it is down."""
        if self.failures + 1 >= TRIES:
            return self.follower.settings.probe_down_seconds
        return float(2**self.failures) * (1 + self._chance() / 4)

    def _well(self) -> None:
        now = self.clock()
        if self.state or now - self._told >= _TOLD_SECONDS:
            self.ledger.tell(self.follower.name, WELL, None, self.follower.now_ns())
            self._told = now
        if self.state:
            self.tell("info", Message("Follower {name} is back", {"name": self.follower.name}))
        self.state, self.error = WELL, None

    def _failed(self, state: str, error: IndexerError, wait: float) -> float:
        self.failures += 1
        news = self.state != state or self.error != error.message
        if news and (state == MISCONFIGURED or self.failures >= TRIES or not self.error):
            words = {"name": self.follower.name, "error": error.message}
            self.tell("error" if state == MISCONFIGURED else "warning", Message("Follower {name}: {error}", words))
        self.state, self.error, self._next = state, error.message, self.clock() + wait
        next_ns = self.follower.now_ns() + int(wait * 1e9)
        self.ledger.tell(self.follower.name, state, error.message, self.follower.now_ns(), next_ns)
        return wait


def left_over(counts: Mapping[str, int]) -> Message | None:
    """What cannot be done now though the other side is well."""
    if failed := counts.get("failed", 0):
        return Message("{count} documents failed there; they are tried again later", {"count": failed})
    if refused := counts.get("refused", 0):
        return Message("{count} documents were refused there: `indexer followers` says why", {"count": refused})
    return None


@contextmanager
def alone(folder: Path, name: str, patience: float = 0.0) -> Iterator[None]:
    """Be the only process that works on a follower; raises Busy after so many seconds. The daemon lets go between its steps."""
    end = time.monotonic() + patience
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(writer_lock(folder / f"{name}.lock", "flush"))
                break
            except Busy:
                if time.monotonic() >= end:
                    raise
                time.sleep(0.05)
        yield


def flush(runner: Runner, stop: Callable[[], None], sleep: Callable[[float], object] = time.sleep) -> Message | None:
    """Work until everything is there, or it cannot go on: why not. A pause is not overruled."""
    while True:
        stop()
        standing = runner.ledger.standing(runner.follower.name)
        if standing.paused:
            return Message("it is paused: `indexer resume {name}`", {"name": runner.follower.name})
        wait = runner.turn()
        if runner.state == MISCONFIGURED or runner.failures >= TRIES:
            return runner.error
        if runner.rests:
            return left_over(runner.ledger.counts(runner.follower.name))
        sleep(min(wait, 1.0) if not runner.state else wait)
