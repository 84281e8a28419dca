"""The daemon's followers: a thread for each, woken by every commit; none may stop a run or another follower."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from ..core.errors import IndexerError
from ..core.following import FollowerSettings
from ..core.model import Message
from .opening import opened
from .runner import Runner, Say
from .told import facts

if TYPE_CHECKING:
    from ..api import KnowledgeBase

_AGAIN_SECONDS = 30.0
"""After an error that nobody foresaw the follower is opened anew."""


class Followers:
    """``said`` is called when the state of one changed."""

    def __init__(
        self, kb: KnowledgeBase, say: Say, said: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._kb, self._say, self._said = kb, say, said
        self._threads = [_Thread(kb, f, self) for f in kb.settings.followers if f.enabled]
        self._lock = Lock()
        self._facts: dict[str, Mapping[str, Any]] = {}

    def start(self) -> None:
        """Begin to send."""
        for thread in self._threads:
            thread.start()

    def ring(self) -> None:
        """Something was committed."""
        for thread in self._threads:
            thread.bell.set()

    def status(self) -> Sequence[Mapping[str, Any]]:
        """How each stands."""
        with self._lock:
            return [self._facts[name] for name in sorted(self._facts)]

    def stop(self, seconds: float = 2.0) -> None:
        """Send no more; a request on its way has this long, and is made up for at the next start."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.stopping = True
            thread.bell.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, end - time.monotonic()))

    def tell(self, found: Mapping[str, Any]) -> None:
        """One of them stands like this."""
        with self._lock:
            news = self._facts.get(found["name"]) != found
            self._facts[found["name"]] = found
        if news:
            self._said()

    def log(self, level: str, message: Message) -> None:
        """A line for the log."""
        self._say(level, message)


class _Thread(Thread):
    def __init__(self, kb: KnowledgeBase, settings: FollowerSettings, followers: Followers) -> None:
        super().__init__(name=f"follower-{settings.name}", daemon=True)
        self._kb, self._settings, self._followers = kb, settings, followers
        self.bell, self.stopping = Event(), False

    def run(self) -> None:
        while not self.stopping:
            try:
                self._serve()
            except IndexerError as e:
                self._trouble(e.message)
            except Exception as e:
                self._trouble(Message("internal error: {kind}: {error}", {"kind": type(e).__name__, "error": str(e)}))
            if not self.stopping:
                self.bell.wait(_AGAIN_SECONDS)

    def _trouble(self, why: Message) -> None:
        self._followers.log("error", Message("Follower {name}: {error}", {"name": self._settings.name, "error": why}))

    def _serve(self) -> None:
        kb, settings = self._kb, self._settings
        with opened(kb, settings, lambda message: self._followers.log("warning", message)) as follower:
            runner = Runner(follower, self._followers.log)
            while not self.stopping:
                self.bell.clear()
                wait = runner.turn()
                self._followers.tell(facts(follower, exact=False))
                self.bell.wait(wait)
