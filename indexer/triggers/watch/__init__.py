"""Watch mode: what changes in a source is looked at soon, and nothing depends on an event having come.

Events are hints. The watcher is armed before the folders are looked at; an event only makes a path
*dirty*; whatever may have been missed (a full queue, a root replaced, a process that stood still)
makes the whole source dirty; and everything is looked at every quarter of an hour anyway.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...core.model import Ask, Key, unraw
from ...core.tables import Source, WatchSettings
from ..jumps import asleep
from . import words
from .debounce import Debounce, Taken
from .edges import Edges, Make, Tell, make
from .inbox import Inbox
from .mounts import MountTable
from .revoked import Revoked
from .source import Watched

TICK = 1.0
"""Seconds between two looks at the roots, the probes and the clock."""

STOOD_STILL = 10.0
"""A step of the loop that took this many seconds more than it was to take: the process was frozen."""

_PATIENCE = 1.0
"""Seconds a thread is waited for at the end; one that is in the middle of something is left behind."""


class Watch:
    """Says "please look" for sources that change.

    ``ask`` is called with what to look at and must return at once. ``tell("log", {"level", "message"})``
    gets what a person should find in the log, ``tell("watch", {"status"})`` what :meth:`status` says
    whenever that changed; they are called from several threads and must not raise.
    """

    def __init__(
        self, sources: Sequence[Source], suffixes: Collection[str], settings: WatchSettings, ask: Callable[[Ask], object],
        now_ns: Callable[[], int] = time.time_ns, clock: Callable[[], float] = time.monotonic,
        tell: Tell = lambda kind, facts: None, make: Make = make,
    ) -> None:  # fmt: skip
        self._settings, self._ask, self._clock, self._tell = settings, ask, clock, tell
        self._inbox = Inbox(Debounce(settings.debounce, settings.max_wait), clock, now_ns)
        self._mounts = MountTable()
        edges = Edges(settings, self._inbox, clock, now_ns, tell, make, self._mounts)
        self._watched = {s.name: Watched(s, suffixes, edges) for s in sources}
        self._revoked = Revoked({s.name: os.fsencode(s.path) for s in sources}, settings.max_wait)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._slept = asleep()
        self._looked = clock()
        self._told: list[dict[str, Any]] = []

    def start(self) -> None:
        """Arm everything, then ask for one look at everything; returns when armed. Raises what arming raises."""
        for watched in self._watched.values():
            watched.begin()
        self._tell_status()
        self._look("start")
        self._thread.start()

    def stop(self) -> None:
        """Listen no more."""
        self._stopped.set()
        self._inbox.wake()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE)
        for watched in self._watched.values():
            watched.end()
        self._mounts.close()

    def status(self) -> list[dict[str, Any]]:
        """How each source is watched: source, how (events, polling), why (a Message or ""), folders, probe_ns."""
        return [watched.status() for watched in self._watched.values()]

    # ---- the thread -------------------------------------------------------------------------

    def _run(self) -> None:
        tick = self._clock()
        while not self._stopped.is_set():
            taken = self._inbox.wait(tick)
            self._notice_standstill(self._clock() - tick)
            if taken is not None:
                self._pass_on(taken)
            if self._clock() >= tick:
                self._tick()
                tick = self._clock() + TICK

    def _tick(self) -> None:
        for watched in self._watched.values():
            watched.tick(self._clock())
        if self._mounts.changed():
            for watched in self._watched.values():
                watched.remounted()
        self._tell_status()
        for path in self._revoked.due(self._clock()):
            self._inbox.touch(path)
        every = self._settings.full_look_minutes * 60
        if every and self._clock() - self._looked >= every:
            self._look("look")

    def _notice_standstill(self, late: float) -> None:
        """A frozen process, a machine that slept: what happened meanwhile may be told by no event."""
        slept = asleep() - self._slept
        self._slept += slept
        if max(late, slept) < STOOD_STILL and slept < TICK:
            return
        self._tell("log", {"level": "info", "message": words.slept(max(late, slept))})
        for watched in self._watched.values():
            watched.stood_still()
        self._look("look")

    def _look(self, trigger: str) -> None:
        """Everything, whatever events say."""
        self._looked = self._clock()
        self._ask(Ask(trigger))

    def _pass_on(self, taken: Taken) -> None:
        """What is dirty, but for sources that are away: the folders of those would look like deletions."""
        ready = {name: self._watched[name].ready() for name in {name for name, _ in taken.paths}}
        paths = tuple(Key(name, unraw(path)) for name, path in taken.paths if ready[name])
        self._revoked.note((path for path in taken.paths if ready[path[0]]), self._clock())
        if paths:
            self._ask(Ask("watch", paths, urgent=all(k.path for k in paths), since_ns=taken.since_ns))

    def _tell_status(self) -> None:
        status = self.status()
        if status != self._told:
            self._told = status
            self._tell("watch", {"status": status})


__all__ = ["Watch"]
