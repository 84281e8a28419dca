"""The schedule: asks for exactly one run per scheduled instant, whatever the clock and the machine do.

What is owed follows from the clock and the record of finished runs (:mod:`.due`), so this remembers
only what one process must: the run it asked for, when to try again after a failure, what it skipped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from ..core.errors import DONE, INTERRUPTED, PARTIAL, ConfigError
from ..core.model import Ask, Budget, Message
from ..core.tables import ScheduleSettings
from .alarm import Alarm
from .due import FUTURE_NS, Known, Record, latest_ns, moment, nanoseconds, retry_seconds, satisfied
from .jumps import Jumps, asleep
from .wall import TICK, build
from .words import Words, describe, jumped
from .zone import stamp, zone

PAUSE = 5.0
"""Seconds between two looks at the clocks: a clock step or a wake-up is noticed after these at most."""

LATE_NS = 60 * 10**9
"""A run asked for later than this after its instant is a late one: it is said so, or left out where catch_up is off."""


class Ended(Protocol):
    """How a run ended: the part of the service's Outcome that matters here."""

    @property
    def ask(self) -> Ask:
        """What was asked for."""

    @property
    def exit_code(self) -> int:
        """0 done, 3 done but not everything, 130 interrupted, else it failed."""


class _Span(NamedTuple):
    """From one scheduled instant to the next, ns; ``begin`` 0 and ``end`` None where there is none."""

    begin: int
    end: int | None

    def holds(self, now_ns: int) -> bool:
        return self.begin <= now_ns and (self.end is None or now_ns < self.end)


class _Failed(NamedTuple):
    """The instant whose run failed, how often, and when it is tried again: monotonic, and as the wall will show it."""

    due: int = 0
    times: int = 0
    again: float = 0.0
    again_ns: int = 0


class _Memory:
    """What one process remembers: the instant a run was asked for (0: none is at work), the last failure, what is done."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.known, self.failed, self.asked = Known(), _Failed(), 0


class Schedule:
    """Give it ``ask`` and the record of runs; tell it each run that ended.

    ``tell("log", message)`` gets what a person should find in the log. ``asleep``: seconds the
    machine has slept so far. ``wait``: how the ticker pauses. Raises ConfigError or Wrong.
    """

    def __init__(
        self,
        settings: ScheduleSettings,
        ask: Callable[[Ask], object],
        record: Callable[[], Record],
        now: Callable[[], int] = time.time_ns,
        clock: Callable[[], float] = time.monotonic,
        tell: Callable[[str, Message], object] = lambda kind, message: None,
        wait: Callable[[float], Any] | None = None,
        asleep: Callable[[], float] = asleep,
        pause: float = PAUSE,
    ) -> None:
        self.settings, self._ask, self._record, self._tell = settings, ask, record, tell
        self._now, self._clock, self._jumps = now, clock, Jumps(now, clock, asleep)
        self._mind = _Memory()
        self._span: _Span | None = None
        self._quiet = self._blank = False
        self._alarm = Alarm(self.look, self.tick, wait, pause)
        self._settle(zone(settings.time_zone))

    def start(self) -> None:
        """Begin, in threads of its own; a run that is owed is asked for at once. Does nothing when switched off."""
        if self.settings.enabled:
            self._alarm.start()

    def stop(self) -> None:
        """Ask for nothing any more."""
        self._alarm.stop()

    def follow(self, earlier: Schedule) -> None:
        """Go on where a schedule of other settings was stopped: the run it asked for may still be at work.

        Said before :meth:`start`. They share their memory, so it does not matter which of them hears of its end.
        """
        self._mind = earlier._mind

    def text(self) -> Message:
        """When it runs, for a person."""
        return describe(self.settings, self.words.zone)

    def next_ns(self) -> int | None:
        """When the next run is asked for: the next instant, or sooner when one failed; None when never."""
        if not self.settings.enabled:
            return None
        with self._mind.lock:
            span = self._spanning(self._now())
            if self._mind.asked or not self._mind.failed.due or self._mind.failed.due != span.begin:
                return span.end
            return min(self._mind.failed.again_ns, span.end or self._mind.failed.again_ns)

    def tick(self) -> None:
        """Look at the time zone and the clocks, set APScheduler's job right, look at what is owed.

        In this order: an instant that comes in between, or while the process is frozen in between, is met by one of the two.
        """
        with self._mind.lock:
            self._follow_zone()
            self._follow_clock()
            span, trigger = self._spanning(self._now()), self.trigger
        if span.end is not None:
            self._alarm.set(trigger, moment(span.end))
        self.look()

    def look(self) -> None:
        """Ask for the run that is owed now, if one is."""
        with self._mind.lock:
            now = self._now()
            due = self._owed(now)
            if due and self._mind.asked and due != self._mind.asked:
                self._skip(due, self.words.skipped(due, self._mind.asked))
            asks = bool(due) and not self._mind.asked and not self._alarm.stopped and self._may(due, now)
            if asks:
                self._mind.asked = due
        if asks:  # outside of the lock: who is asked may be telling of the end of a run meanwhile
            self._ask(self._wish(due))

    def ended(self, outcome: Ended) -> None:
        """A run ended: what was asked for is done, or is tried again."""
        due = outcome.ask.due_ns
        with self._mind.lock:
            if not due or due != self._mind.asked:
                return
            self._mind.asked = 0
            if outcome.exit_code in (DONE, PARTIAL):
                self._mind.known.add(due, self._now())
                self._mind.failed = _Failed()
            elif self._owed(self._now()) == due:
                self._again(due, told=outcome.exit_code != INTERRUPTED)

    def _wish(self, due: int) -> Ask:
        s = self.settings
        budget = Budget(s.max_minutes * 60.0, s.max_passages)
        return Ask("schedule", due_ns=due, budget=budget, verify_content=s.verify_content)

    def _owed(self, now: int) -> int:
        """The scheduled instant a run is owed for, or is at work for; 0 when there is none."""
        span = self._spanning(now)
        if self._quiet or not span.begin or span.begin == self._mind.asked:
            return 0 if self._quiet else span.begin
        # where content is to be verified, no other run looks as closely as this one would
        known = self._mind.known.of(self._record(), full=not self.settings.verify_content)
        self._blank = not any(known)
        self._quiet = satisfied(span.begin, now, known)
        return 0 if self._quiet else span.begin

    def _spanning(self, now: int) -> _Span:
        if self._span is None or not self._span.holds(now):
            following = self.trigger.get_next_fire_time(None, moment(now) + TICK)
            end = None if following is None else nanoseconds(following)
            self._span, self._quiet = _Span(latest_ns(self.trigger, now), end), False
        return self._span

    def _may(self, due: int, now: int) -> bool:
        """Whether what is owed is asked for now: after a failure not before its pause is over, late only if wanted."""
        if self._mind.failed.due == due:
            return self._clock() >= self._mind.failed.again
        if now - due <= LATE_NS:
            return True
        if not self.settings.catch_up:
            self._skip(due, self.words.left_out(due))
            return False
        self._tell("log", self.words.first() if self._blank else self.words.made_up(due))
        return True

    def _skip(self, due: int, why: Message) -> None:
        self._mind.known.add(due, self._now())
        self._quiet = True
        self._tell("log", why)

    def _again(self, due: int, *, told: bool) -> None:
        times = self._mind.failed.times + 1 if self._mind.failed.due == due else 1
        pause = retry_seconds(times)
        self._mind.failed = _Failed(due, times, self._clock() + pause, self._now() + int(pause * 1e9))
        if told:  # an interrupted run is owed again when the process comes back
            self._tell("log", self.words.again(due, round(pause / 60)))

    def _follow_clock(self) -> None:
        jump = self._jumps.look()
        if not jump.stepped and not jump.slept:
            return
        self._tell("log", jumped(jump))
        self._span = None
        moved = int((jump.stepped + jump.slept) * 1e9)
        self._mind.failed = self._mind.failed._replace(again_ns=self._mind.failed.again_ns + moved)
        if jump.stepped * 1e9 < -FUTURE_NS:
            self._mind.known.set_back(self._now(), self._record())
        elif jump.stepped * 1e9 > FUTURE_NS:
            self._mind.known.set_forward()

    def _follow_zone(self) -> None:
        """Somebody who travels sets the system's time zone while this runs."""
        if self._stamp == stamp(self.settings.time_zone):
            return
        with suppress(ConfigError):  # it cannot be told now: the one known so far stays
            found, before = zone(self.settings.time_zone), str(self.words.zone)
            self._settle(found)
            if str(found) != before:
                self._tell("log", self.words.moved())

    def _settle(self, found: Any) -> None:
        self._stamp = stamp(self.settings.time_zone)
        self.words, self.trigger = Words(found), build(self.settings, found)
        self._span = None
