"""When a daily job must run, found by walking the minutes: knows nothing of the product, of fold or of gaps."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def wall(at: datetime, zone: ZoneInfo) -> datetime:
    """What the clock on the wall shows."""
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


@cache
def _minutes(zone: ZoneInfo, day: date) -> tuple[tuple[datetime, datetime], ...]:
    """(instant, wall) of each minute that may belong to a date and a little after."""
    start = datetime.combine(day, time(), UTC) - 16 * HOUR
    return tuple((at, wall(at, zone)) for at in (start + i * MINUTE for i in range(58 * 60)))


@cache
def _offset(zone: ZoneInfo, day: date) -> timedelta | None:
    """The offset of a date and the hours round it, None when it is not the same all the time."""
    start = datetime.combine(day, time(), UTC) - 16 * HOUR
    offsets = {(start + i * HOUR).astimezone(zone).utcoffset() for i in range(0, 61, 6)}
    return offsets.pop() if len(offsets) == 1 else None


def run_of(zone: ZoneInfo, day: date, at: time) -> datetime | None:
    """The first minute of a date that shows the wanted time or a later one.

    Where the date ends before (a gap up to midnight), the first minute after it; None where the date does not exist.
    """
    wanted, offset = datetime.combine(day, at), _offset(zone, day)
    if offset is not None:
        return (wanted - offset).replace(tzinfo=UTC)
    seen = False
    for instant, shown in _minutes(zone, day):
        if shown.date() == day and shown >= wanted:
            return instant
        seen = seen or shown.date() == day
        if seen and shown.date() > day:
            return instant
    return None


def changes(zone: ZoneInfo, year: int) -> list[date]:
    """The dates round which the clocks change."""
    days = (date(year, 1, 1) + timedelta(days=i) for i in range(366))
    return [d for d in days if d.year == year and _offset(zone, d) is None]


def _signature(zone: ZoneInfo, year: int) -> tuple[object, ...]:
    """Equal for zones whose clocks do the same all year: the offset of each day, and of each quarter of an hour where it changes."""
    noons = [datetime(year, 1, 1, 12, tzinfo=UTC) + timedelta(days=i) for i in range(-1, 367)]
    daily = [at.astimezone(zone).utcoffset() for at in noons]
    fine = [
        tuple((at + i * 15 * MINUTE).astimezone(zone).utcoffset() for i in range(97))
        for at, before, after in zip(noons, daily, daily[1:], strict=False)
        if before != after
    ]
    return (*daily, *fine)


def distinct(year: int) -> Iterator[str]:
    """One zone of each set whose clocks do the same all year."""
    seen = set()
    for name in sorted(available_timezones()):
        if (found := _signature(ZoneInfo(name), year)) not in seen:
            seen.add(found)
            yield name
