"""A knowledge base with a follower, and clocks that tests set."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from slow_embedder import configuration

from indexer import KnowledgeBase
from indexer.core.following import FollowerSettings
from indexer.core.model import Key, Message
from indexer.followers.feed import Feed
from indexer.followers.ledger import Ledger
from indexer.followers.opening import open_follower
from indexer.followers.remote_names import remote_name
from indexer.followers.runner import Runner, flush
from indexer.store import disk

MOST_TURNS = 5000


class Clock:
    """Seconds that pass only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now

    def now_ns(self) -> int:
        """As wall time."""
        return int(self.now * 1e9)

    def sleep(self, seconds: float) -> None:
        """Time goes by."""
        self.now += max(seconds, 0.01)


class Death(BaseException):
    """The process is killed."""


def killed_before(step: int, do: Callable[[], object], kinds: tuple[str, ...] = ("",)) -> bool:
    """Do it, and die before that step (from 1) of what is sent and written down; whether it came so far.

    Only a step of one of these kinds is died before.
    """
    left = step

    def die(operation: str, path: str) -> None:
        nonlocal left
        left -= 1
        if left == 0 and operation.startswith(kinds):
            raise Death

    disk.fault = die
    try:
        do()
    except Death:
        return True
    finally:
        disk.fault = None
    return False


class Lab:
    """One knowledge base, one follower; each ``opened`` is another process as far as the product knows."""

    def __init__(self, home: Path, settings: FollowerSettings) -> None:
        self.kb = KnowledgeBase(configuration(home))
        self.root, self.settings, self.clock = home / "kb", settings, Clock()
        self.said: list[Message] = []

    def write(self, name: str, text: str) -> None:
        """A document, old enough to be believed."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        os.utime(path, (time.time() - 60, time.time() - 60))

    def commit(self) -> None:
        """Bring the index up to date."""
        self.kb.update(allow_deletions=True)

    def texts(self) -> dict[str, str]:
        """Remote name to text of what should be over there: the files, as they lie there."""
        return {
            remote_name(Key("kb", p.relative_to(self.root).as_posix())): p.read_text("utf-8")
            for p in self.root.rglob("*")
            if p.is_file()
        }

    @contextmanager
    def opened(self, settings: FollowerSettings | None = None) -> Iterator[Runner]:
        """The follower as a new process has it."""
        feed = Feed(self.kb.settings)
        ledger = Ledger(Path(self.kb.settings.metadata), self.said.append)
        follower = open_follower(self.kb, settings or self.settings, feed, ledger)
        follower.clock = self.clock.now_ns
        try:
            yield Runner(follower, lambda level, m: self.said.append(m), self.clock, lambda: 0.0)
        finally:
            follower.target.close()
            ledger.close()
            feed.close()

    def flush(
        self, settings: FollowerSettings | None = None, stop: Callable[[], None] = lambda: None
    ) -> Message | None:
        """Send until all is there; why not, if it cannot."""
        turns = iter(range(MOST_TURNS))

        def patience() -> None:
            stop()
            assert next(turns, None) is not None, f"it never comes to rest: {runner.follower.remotes()}"

        with self.opened(settings) as runner:
            return flush(runner, patience, self.clock.sleep)


def bare(texts: dict[str, str]) -> dict[str, str]:
    """Without white space: that is kept in its kind only."""
    return {name: "".join(text.split()) for name, text in texts.items()}


def differs(found: dict[str, str], wanted: dict[str, str]) -> list[str]:
    """What is wrong over there: a document of equal content may stand for another."""
    found, wanted = bare(found), bare(wanted)
    wrong = [f"{name} should not be there" for name, text in found.items() if wanted.get(name) != text]
    there = set(found.values())
    return wrong + [
        f"{name} is missing" for name, text in wanted.items() if found.get(name) != text and text not in there
    ]


def text(seed: int) -> str:
    """A document of its own, long enough to be sent."""
    return f"Document of rule number {seed}.\nEverybody in Department {seed} has {seed % 30} days of annual leave and a desk of their own."
