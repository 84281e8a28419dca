"""Live events: what the service tells, passed on to whoever listens over HTTP.

The worker publishes and never waits: each listener has a bounded queue in its own event loop, and
one that is too slow is dropped (its browser comes back and says which event it saw last).
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from ..core.model import display
from ..report import Outcome

KEPT = 500
"""Events that somebody who was away for a moment still gets."""

BEHIND = 200
"""Events a listener may be behind before it is dropped."""

_EVERY_NS = 200_000_000
"""Progress is told at most this often (ns): a run over a hundred thousand files is no flood."""


class Event(NamedTuple):
    """One event; ``id`` names it after a reconnection."""

    id: str
    kind: str
    facts: Mapping[str, Any]


class Hub:
    """A listener of the service. ``now_ns`` is the wall time."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns, self._lock = now_ns, threading.Lock()
        self._boot, self._count = secrets.token_hex(4), 0
        self._kept: deque[Event] = deque(maxlen=KEPT)
        self._listeners: set[Listener] = set()
        self._progress = Progress()
        self._closed = False

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """What happens in the service, in the worker's thread."""
        if kind == "progress":
            self._hear_progress(facts)
        elif (told := _TOLD.get(kind)) is not None:
            if kind in ("begin", "end"):
                self._progress = Progress()
            self.publish(kind, told(facts))

    def _hear_progress(self, facts: Mapping[str, Any]) -> None:
        now = self._now_ns()
        self._progress.hear(facts)
        if facts["step"] == "plan" or now - self._progress.said_ns >= _EVERY_NS:
            self._progress.said_ns = now
            self.publish("progress", self._progress.told())

    def publish(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Tell everybody; returns at once."""
        at = datetime.fromtimestamp(self._now_ns() / 1e9).astimezone().isoformat(timespec="milliseconds")
        with self._lock:
            self._count += 1
            event = Event(f"{self._boot}-{self._count}", kind, {"at": at, **facts})
            self._kept.append(event)
            listeners = list(self._listeners)
        for listener in listeners:
            listener.put(event)

    # ---- listening -------------------------------------------------------------------

    def listen(self, last: str = "") -> Listener:
        """Begin to listen, in a running event loop; ``last``: the id of the last event seen, "" for none."""
        listener = Listener(self)
        with self._lock:
            missed = self._missed(last)
            self._listeners.add(listener)
        for event in missed:
            listener.put(event)
        if self._closed:
            listener.end()
        return listener

    def _missed(self, last: str) -> list[Event]:
        boot, _, number = last.partition("-")
        if boot != self._boot or not number.isdigit():
            return []
        return [event for event in self._kept if int(event.id.partition("-")[2]) > int(number)][-BEHIND:]

    def forget(self, listener: Listener) -> None:
        """That one has gone."""
        with self._lock:
            self._listeners.discard(listener)

    def listening(self) -> int:
        """How many listen."""
        return len(self._listeners)

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener.end()


class Listener:
    """One stream of events; made in the event loop that reads it."""

    def __init__(self, hub: Hub) -> None:
        self._hub, self._loop = hub, asyncio.get_running_loop()
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()

    def put(self, event: Event) -> None:
        """From any thread."""
        self._soon(self._take, event)

    def end(self) -> None:
        """The stream ends after what it has."""
        self._soon(self._queue.put_nowait, None)

    def _soon(self, call: Callable[..., None], value: Event | None) -> None:
        with suppress(RuntimeError):  # its loop is closed: nobody reads any more
            self._loop.call_soon_threadsafe(call, value)

    def _take(self, event: Event) -> None:
        if self._queue.qsize() < BEHIND:
            self._queue.put_nowait(event)
        elif self._queue.qsize() == BEHIND:
            self._queue.put_nowait(None)
            self._hub.forget(self)

    async def events(self, patience: float) -> AsyncIterator[Event | None]:
        """The events as they come; None when there was none for ``patience`` seconds."""
        try:
            while True:
                try:
                    event = await asyncio.wait_for(self._queue.get(), patience)
                except TimeoutError:
                    yield None
                    continue
                if event is None:
                    return
                yield event
        finally:
            self._hub.forget(self)


class Progress:
    """How far the run at work is."""

    def __init__(self) -> None:
        self.files = self.total = self.texts = self.embedded = 0
        self.file, self.said_ns = "", 0

    def hear(self, facts: Mapping[str, Any]) -> None:
        """Take in a step of the run."""
        match facts["step"]:
            case "plan":
                self.total += facts["files"]
            case "file":
                self.files += 1
                self.file = display(f"{facts['source']}/{facts['path']}")
            case "embedding":
                self.texts += facts["texts"]
            case "embedded":
                self.embedded += facts["texts"]

    def told(self) -> dict[str, Any]:
        """As an event."""
        names = ("files", "total", "texts", "embedded", "file")
        return {name: getattr(self, name) for name in names}


def _begin(facts: Mapping[str, Any]) -> dict[str, Any]:
    ask = facts["ask"]
    return {"trigger": ask.trigger, "actor": ask.actor, "documents": len(ask.paths), "urgent": ask.urgent}


def _end(facts: Mapping[str, Any]) -> dict[str, Any]:
    o: Outcome = facts["outcome"]
    return {
        "trigger": o.ask.trigger, "run": o.run, "exit_code": o.exit_code, "commit": o.commit,
        "commit_before": o.commit_before, "changed": o.commit != o.commit_before,
        "counts": o.report.summary() if o.report else None,
    }  # fmt: skip


_TOLD: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "queue": lambda facts: {"waiting": facts["waiting"]},
    "begin": _begin,
    "run": lambda facts: {"run": facts["run"]},
    "commit": lambda facts: {"commit": facts["commit"], "documents": facts["documents"]},
    "end": _end,
}
