"""How requests to look merge while they wait. Not for several threads: whoever holds it has a lock."""

from __future__ import annotations

from threading import Event

from .core.model import Ask, Budget
from .report import Outcome

MANY = 2000
"""Paths in one request, above which everything is looked at instead."""

_RANK = ("schedule", "api", "web", "cli", "start", "retry", "look", "watch")


class Merged:
    """One or more requests that one run will serve; those who asked can wait for its outcome."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.since: tuple[int, ...] = (ask.since_ns,) if ask.since_ns else ()
        self.begun_ns = 0
        self.outcome: Outcome | None = None
        self._done = Event()
        self._joined: list[Merged] = []

    def join(self, other: Merged) -> None:
        """Serve that one too."""
        self.ask = merge(self.ask, other.ask)
        self.since += other.since
        self._joined.append(other)

    def begin(self, at_ns: int) -> None:
        """Its run is at work; 0: not yet after all."""
        self.begun_ns = at_ns
        for other in self._joined:
            other.begin(at_ns)

    def done(self, outcome: Outcome) -> None:
        """Wake those who wait."""
        self.outcome = outcome
        self._done.set()
        for other in self._joined:
            other.done(outcome)

    def wait(self, seconds: float | None = None) -> Outcome | None:
        """The outcome, or None when it did not come in time."""
        self._done.wait(seconds)
        return self.outcome


def merge(a: Ask, b: Ask) -> Ask:
    """One request that does what both want, in the name of the weightier trigger."""
    first, second = sorted((a, b), key=lambda x: _RANK.index(x.trigger) if x.trigger in _RANK else 0)
    paths = tuple(dict.fromkeys(a.paths + b.paths)) if a.paths and b.paths else ()
    since = [x.since_ns for x in (a, b) if x.since_ns]
    budgets = {a.budget, b.budget}
    return first._replace(
        paths=paths if len(paths) <= MANY else (),
        urgent=(a.urgent or b.urgent) and 0 < len(paths) <= MANY,
        since_ns=min(since, default=0),
        due_ns=max(a.due_ns, b.due_ns),
        budget=a.budget if len(budgets) == 1 else Budget(),
        verify_content=a.verify_content or b.verify_content,
        released=tuple(dict.fromkeys(a.released + b.released)),
        actor=first.actor or second.actor,
        client=first.client or second.client,
    )


class Waiting:
    """Requests that wait: urgent ones first, then everything else as one look.

    A request that releases deletions is merged with none: it releases exactly what was shown to
    whoever asked for it.
    """

    def __init__(self) -> None:
        self._urgent: Merged | None = None
        self._rest: Merged | None = None
        self._alone: list[Merged] = []

    def __len__(self) -> int:
        return (self._urgent is not None) + (self._rest is not None) + len(self._alone)

    def urgent(self) -> bool:
        """Whether there is one that may go first."""
        return self._urgent is not None

    def add(self, ask: Ask) -> Merged:
        """Put a request where it belongs; returns what it became part of."""
        return self.put_back(Merged(ask))

    def put_back(self, merged: Merged) -> Merged:
        """As :meth:`add`, for what was taken already."""
        if merged.ask.allow_deletions:
            self._alone.append(merged)
            return merged
        if merged.ask.urgent and merged.ask.paths:
            self._urgent = kept = _joined(self._urgent, merged)
            if not kept.ask.paths:  # grown too many: everything is looked at
                self._urgent, self._rest = None, _joined(self._rest, kept)
                return self._rest
            return kept
        self._rest = _joined(self._rest, merged)
        return self._rest

    def pop(self) -> Merged | None:
        """The next one to serve."""
        merged = self._urgent
        if merged is not None:
            self._urgent = None
        elif self._alone:
            merged = self._alone.pop(0)
        else:
            merged, self._rest = self._rest, None
        return merged


def _joined(waiting: Merged | None, merged: Merged) -> Merged:
    if waiting is None:
        return merged
    waiting.join(merged)
    return waiting
