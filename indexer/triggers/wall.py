"""From times on the wall to instants, and the triggers APScheduler runs by.

APScheduler's CronTrigger walks real time in the zone, so a wall time that comes twice in autumn
fires twice. Here its fields are searched in a calendar without clock changes, and each wall time
found is mapped to one instant:

    it exists            that instant, the first of two where the clock goes back
    it does not          the first instant after the gap
    its date does not    none (Apia had no 30 December 2011)

An expression that names no hours (``*/15 * * * *``) repeats all day: it fires whenever the wall
shows a matching time, so it goes on in real time through both passes of an hour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.cron import CronTrigger

from ..config.schedules import DAY, Cron, parse_at, parse_cron, parse_every
from ..core.tables import ScheduleSettings

Calendar = Callable[[datetime], datetime | None]
"""The first wall time at or after a wall time (both naive); None when there is none."""

TICK = timedelta(microseconds=1)
_SECOND = timedelta(seconds=1)
_FARTHEST = timedelta(days=50 * 366)  # 29 February on a given weekday comes every 40 years at worst


def crontab(cron: Cron) -> Calendar:
    """The wall times of a crontab line; a day of the month or a weekday is enough where both are named."""
    days = ",".join(map(str, cron.days))
    weekdays = ",".join(str((day - 1) % 7) for day in cron.weekdays)  # APScheduler counts from Monday
    pairs = [(days, "*"), ("*", weekdays)] if cron.either else [(days, weekdays)]
    searches = [
        CronTrigger(
            minute=",".join(map(str, cron.minutes)),
            hour=",".join(map(str, cron.hours)),
            day=day,
            month=",".join(map(str, cron.months)),
            day_of_week=weekday,
            timezone=UTC,
        )
        for day, weekday in pairs
    ]

    def first(wall: datetime) -> datetime | None:
        found = [s.get_next_fire_time(None, wall.replace(tzinfo=UTC)) for s in searches]
        return min((f.replace(tzinfo=None) for f in found if f is not None), default=None)

    return first


def every_days(count: int, hour: int, minute: int) -> Calendar:
    """The same wall time on every ``count``-th date, counted from the calendar's first, so it survives restarts."""

    def first(wall: datetime) -> datetime:
        day = wall.date().toordinal() + (wall.time() > time(hour, minute))
        return datetime.combine(date.fromordinal(day + -day % count), time(hour, minute))

    return first


class WallClock(BaseTrigger):  # type: ignore[misc] # APScheduler has no types
    """Fires once for each wall time of a calendar; ``repeats``: whenever the wall shows one."""

    __slots__ = ("calendar", "repeats", "zone")

    def __init__(self, calendar: Calendar, zone: tzinfo, *, repeats: bool = False) -> None:
        self.calendar, self.zone, self.repeats = calendar, zone, repeats

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime | None:
        """The first instant (UTC) at or after ``now`` and after the previous one; what was missed is not listed.

        UTC, because a datetime in a zone whose wall time comes twice equals no datetime of another zone (PEP 495).
        """
        start = now.astimezone(UTC)
        if previous_fire_time is not None:
            start = max(start, previous_fire_time.astimezone(UTC) + TICK)
        return self._whenever(start) if self.repeats else self._once(start)

    def _once(self, start: datetime) -> datetime | None:
        wall = self.calendar(_wall(start - TICK, self.zone))  # a moment before: at the end of a gap its times are due
        while wall is not None:
            found = instant(wall, self.zone)
            if found is not None and found >= start:
                return found
            wall = self.calendar(wall + TICK)
        return None

    def _whenever(self, start: datetime) -> datetime | None:
        best: datetime | None = None
        wall = self.calendar(self._second_pass(start))
        while wall is not None:
            passes = [p for p in (_utc(wall, self.zone, 0), _utc(wall, self.zone, 1)) if _wall(p, self.zone) == wall]
            if best is not None and passes and passes[0] >= best:
                break
            best = min([p for p in passes if p >= start] + ([best] if best else []), default=None)
            wall = self.calendar(wall + TICK)
        return best

    def _second_pass(self, start: datetime) -> datetime:
        """The earliest wall time that may be shown from ``start`` on: in the first pass, the whole hour comes again."""
        local = start.astimezone(self.zone)
        wall = local.replace(tzinfo=None, fold=0)
        return wall - (_utc(wall, self.zone, 1) - _utc(wall, self.zone, 0)) if _ambiguous(wall, local) else wall


class Paced(BaseTrigger):  # type: ignore[misc] # as above
    """Fires every ``seconds`` of real time, counted from midnight of 1 January 2024 on the wall of the zone.

    Nothing is remembered, so a restart shifts nothing. APScheduler's IntervalTrigger counts from its own start.
    """

    __slots__ = ("anchor", "pace")

    def __init__(self, seconds: int, zone: tzinfo) -> None:
        self.pace = timedelta(seconds=seconds)
        self.anchor = _utc(datetime(2024, 1, 1), zone, 0)

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """The first instant (UTC) at or after ``now`` and after the previous one."""
        start = now.astimezone(UTC)
        if previous_fire_time is not None:
            start = max(start, previous_fire_time.astimezone(UTC) + TICK)
        return self.anchor + -((self.anchor - start) // self.pace) * self.pace


def build(settings: ScheduleSettings, zone: tzinfo) -> WallClock | Paced:
    """The trigger of a configured schedule; raises Wrong (a ValueError) for what is none."""
    hour, minute = parse_at(settings.at or ScheduleSettings().at)
    if settings.every:
        seconds = parse_every(settings.every)
        return Paced(seconds, zone) if seconds % DAY else WallClock(every_days(seconds // DAY, hour, minute), zone)
    cron = parse_cron(settings.cron or f"{minute} {hour} * * *")
    return WallClock(crontab(cron), zone, repeats=cron.open_hours)


def fires(trigger: BaseTrigger, start: datetime, end: datetime) -> Iterator[datetime]:
    """Every instant from ``start`` to ``end``, by the same calls the scheduler makes."""
    found = trigger.get_next_fire_time(None, start)
    while found is not None and found <= end:
        yield found
        found = trigger.get_next_fire_time(found, found + timedelta(milliseconds=10))


def latest(trigger: BaseTrigger, now: datetime) -> datetime | None:
    """The last instant at or before ``now``; None when there was none in 50 years.

    Triggers only look forward, so the span that holds it is doubled until something is found in it, then halved.
    """
    span = timedelta(minutes=1)
    while (first := trigger.get_next_fire_time(None, now - span)) is None or first > now:
        if (span := span * 2) > _FARTHEST:
            return None
    low: datetime = first
    high = now + TICK  # one at low, none from high to now
    while high - low > _SECOND:  # instants fall on whole seconds
        middle = low + (high - low) / 2
        found = trigger.get_next_fire_time(None, middle)
        low, high = (low, middle) if found is None or found > now else (found, high)
    return low


def instant(wall: datetime, zone: tzinfo) -> datetime | None:
    """When (UTC) a wall time comes: once, the first of two, after the gap it falls in; None if its date is skipped."""
    first = _utc(wall, zone, 0)
    if _wall(first, zone) == wall:
        return first
    low, high = sorted((first, _utc(wall, zone, 1)))  # a gap: the clock change lies between the two readings
    while high - low > _SECOND:
        middle = (low + (high - low) / 2).replace(microsecond=0)
        low, high = (low, middle) if _wall(middle, zone) > wall else (middle, high)
    dates = {_wall(high - _SECOND, zone).date(), _wall(high, zone).date()}
    return high if wall.date() in dates else None


def _utc(wall: datetime, zone: tzinfo, fold: int) -> datetime:
    return wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)


def _wall(at: datetime, zone: tzinfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def _ambiguous(wall: datetime, local: datetime) -> bool:
    """Whether ``local`` is the first of two instants with this wall time."""
    zone = local.tzinfo
    return zone is not None and not local.fold and _utc(wall, zone, 1) > _utc(wall, zone, 0)
