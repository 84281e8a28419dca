"""Which scheduled instant a run is owed for: a function of the clock and of what is on record.

It needs no memory but the record of finished runs in the catalogs, so sleep, a late start and a
machine that was down are one case.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Protocol

from apscheduler.triggers.base import BaseTrigger

from .wall import latest

FUTURE_NS = 3600 * 10**9
"""A record further in the future was made while the clock was wrong; nearer ones survive a small step back."""

RETRY_MINUTES = (10, 30, 60)
"""Pauses after a scheduled run failed for the first, second, third and every further time."""

_EPOCH = datetime.fromtimestamp(0, UTC)
_KEPT = 64


class Record(Protocol):
    """What the catalogs tell of finished runs."""

    @property
    def dues(self) -> frozenset[int]:
        """The scheduled instants whose run finished (exit code 0 or 3), ns."""

    @property
    def last_full_ns(self) -> int:
        """When the last run over everything that finished began, whatever asked for it; 0 when none did."""


def moment(ns: int) -> datetime:
    """An instant as an aware datetime (UTC)."""
    return _EPOCH + timedelta(microseconds=ns // 1000)


def nanoseconds(at: datetime) -> int:
    """Inverse of :func:`moment`, exact to the microsecond."""
    return (at - _EPOCH) // timedelta(microseconds=1) * 1000


def latest_ns(trigger: BaseTrigger, now_ns: int) -> int:
    """The last scheduled instant at or before now, 0 when there was none."""
    found = latest(trigger, moment(now_ns))
    return nanoseconds(found) if found else 0


def due(trigger: BaseTrigger, now_ns: int, record: Record) -> int | None:
    """The latest scheduled instant at or before now that no run on record stands for, ns; else None.

    A run stands for an instant when it was the run of that instant or a later one, or a run over
    everything that began at or after it. Five missed nights are owed one run. Nothing on record: owed.
    """
    found = latest_ns(trigger, now_ns)
    return found if found and not satisfied(found, now_ns, {*record.dues, record.last_full_ns}) else None


def satisfied(instant_ns: int, now_ns: int, known: Collection[int]) -> bool:
    """Whether a run stands for a scheduled instant; ``known``: for which instants, or when, there were runs."""
    return max((at for at in known if at <= now_ns + FUTURE_NS), default=0) >= instant_ns


def retry_seconds(failures: int) -> float:
    """How long to wait after so many failures in a row of one scheduled run."""
    return 60.0 * RETRY_MINUTES[min(failures, len(RETRY_MINUTES)) - 1]


class Known:
    """What counts as done: the record, less what was written under a clock that has been set back since.

    A clock that was three days ahead has left a run for the night after tomorrow; when it is put
    right, that night must not be taken for done. If it is set forward again, the record was right.
    """

    def __init__(self) -> None:
        self._own: set[int] = set()
        self._void: set[int] = set()

    def add(self, instant_ns: int, now_ns: int) -> None:
        """This instant is done, or skipped; void at once where the clock was set back while it was at work."""
        if instant_ns > now_ns + FUTURE_NS:
            self._void.add(instant_ns)
            return
        self._own = {*sorted(self._own)[-_KEPT:], instant_ns}

    def of(self, record: Record, *, full: bool = True) -> set[int]:
        """All instants that count and, with ``full``, the start of the last run over everything."""
        listed = {*record.dues, record.last_full_ns} if full else {*record.dues}
        return (listed - self._void) | self._own

    def set_back(self, now_ns: int, record: Record) -> None:
        """The clock was set back to now: what lies ahead of it is void."""
        ahead = {at for at in self.of(record) if at > now_ns + FUTURE_NS}
        self._own -= ahead
        self._void |= ahead

    def set_forward(self) -> None:
        """The clock was set forward: what was void holds."""
        self._own |= self._void
        self._void.clear()
