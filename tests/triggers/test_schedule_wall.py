"""One run per date in every time zone, compared with a walk over the minutes."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedule_reference import changes, distinct, run_of, wall

from indexer.core.tables import ScheduleSettings
from indexer.triggers.wall import TICK, build, fires, instant, latest

TIMES = [time(2), time(2, 30), time(0), time(3)]
YEARS = {  # why this year
    2031: "ahead",
    2022: "gaps at midnight: Beirut, Damascus, Asuncion, Havana, Santiago, Tehran, Azores",
    2011: "Apia has no 30 December",
}
DAY = timedelta(days=1)


def trigger(at: time, zone: str):
    return build(ScheduleSettings(at=f"{at:%H:%M}", time_zone=zone), ZoneInfo(zone))


def runs(at: time, zone: str, first: date, last: date) -> list[datetime]:
    """All runs that belong to the dates from first to last."""
    start, end = datetime.combine(first, time(), UTC) - DAY, datetime.combine(last, time(), UTC) + 2 * DAY
    wanted = [run_of(ZoneInfo(zone), first + i * DAY, at) for i in (-1, (last - first).days + 1)]
    found = list(fires(trigger(at, zone), start, end))
    return [f for f in found if (not wanted[0] or f > wanted[0]) and (not wanted[1] or f < wanted[1])]


def expected(at: time, zone: str, first: date, last: date) -> list[datetime]:
    """The same from the reference."""
    days = [first + i * DAY for i in range((last - first).days + 1)]
    return [r for day in days if (r := run_of(ZoneInfo(zone), day, at)) is not None]


@pytest.mark.parametrize("year", YEARS)
def test_every_zone_runs_once_a_date_round_its_clock_changes(year: int) -> None:
    """Every zone of the database (one of each set that is alike): the walk over the minutes finds the same instants."""
    wrong, compared = [], 0
    for zone in distinct(year):
        days = changes(ZoneInfo(zone), year) or [date(year, 6, 15)]
        for day in {d for d in days if d - DAY not in days}:
            for at in TIMES:
                span = (at, zone, day - DAY, day + 2 * DAY)
                wanted = expected(*span)
                compared += len(wanted)
                if runs(*span) != wanted:
                    wrong.append((zone, day, at))
    assert wrong == []
    assert compared > 1000
    assert len(available_timezones()) > 400


@pytest.mark.parametrize(
    "zone",
    ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo", "America/Havana", "Africa/Casablanca", "Antarctica/Troll"],
)
def test_a_whole_year_has_one_run_a_date_and_none_is_early_or_over_an_hour_late(zone: str) -> None:
    """365 dates, 365 runs, each from 0 to 61 minutes after its time on the wall."""
    for at in (time(0), time(2, 30)):
        found = [wall(f, ZoneInfo(zone)) for f in runs(at, zone, date(2031, 1, 1), date(2031, 12, 31))]
        assert set(Counter(f.date() for f in found).values()) == {1}
        assert len(found) == 365
        late = [(f - datetime.combine(f.date(), at)).total_seconds() / 60 for f in found]
        assert 0 <= min(late) <= max(late) <= 61


@pytest.mark.parametrize(
    ("zone", "at", "day", "shown"),
    [
        ("Europe/Berlin", time(2, 30), date(2031, 3, 30), "2031-03-30 03:00+0200"),
        ("Europe/Berlin", time(2, 30), date(2031, 10, 26), "2031-10-26 02:30+0200"),
        ("America/New_York", time(1, 30), date(2031, 11, 2), "2031-11-02 01:30-0400"),
        ("Australia/Lord_Howe", time(2), date(2031, 10, 5), "2031-10-05 02:30+1100"),
        ("Asia/Beirut", time(0), date(2022, 3, 27), "2022-03-27 01:00+0300"),
        ("America/Havana", time(0, 30), date(2022, 3, 13), "2022-03-13 01:00-0400"),
        ("America/Havana", time(0, 30), date(2022, 11, 6), "2022-11-06 00:30-0400"),
        ("Antarctica/Troll", time(2, 30), date(2031, 3, 30), "2031-03-30 03:00+0200"),
        ("Asia/Kathmandu", time(2), date(2031, 3, 30), "2031-03-30 02:00+0545"),
        ("America/Nuuk", time(23, 30), date(2031, 3, 29), "2031-03-30 00:00-0100"),  # that Saturday ends at 23:00
    ],
)
def test_named_clock_changes(zone: str, at: time, day: date, shown: str) -> None:
    """The instants a person can check in an almanac."""
    found = instant(datetime.combine(day, at), ZoneInfo(zone))
    assert found is not None
    assert found.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M%z") == shown


def test_who_asks_at_the_very_end_of_a_gap_is_told_now() -> None:
    """A process that starts at that moment has not missed it, and one that asks for the next has had it."""
    end = datetime(2031, 3, 30, 1, tzinfo=UTC)
    nightly = trigger(time(2, 30), "Europe/Berlin")
    assert nightly.get_next_fire_time(None, end) == end
    assert nightly.get_next_fire_time(end, end) == datetime(2031, 3, 31, 0, 30, tzinfo=UTC)


def test_a_date_that_does_not_exist_has_no_run() -> None:
    """Apia went from 29 to 31 December 2011."""
    found = runs(time(2), "Pacific/Apia", date(2011, 12, 28), date(2012, 1, 1))
    apia = ZoneInfo("Pacific/Apia")
    assert [f.astimezone(apia).strftime("%m-%d %H:%M") for f in found] == [
        "12-28 02:00",
        "12-29 02:00",
        "12-31 02:00",
        "01-01 02:00",
    ]


def shown(settings: ScheduleSettings, start: str, end: str, zone: str = "Europe/Berlin") -> list[str]:
    z = ZoneInfo(zone)
    a, b = (datetime.fromisoformat(x).replace(tzinfo=z).astimezone(UTC) for x in (start, end))
    return [f.astimezone(z).strftime("%d %H:%M%z") for f in fires(build(settings, z), a, b)]


def test_an_expression_without_hours_goes_on_in_real_time() -> None:
    """Every half hour is every half hour, in the gap and through both passes."""
    half = ScheduleSettings(cron="*/30 * * * *")
    assert shown(half, "2031-10-26 01:45", "2031-10-26 03:15") == [
        "26 02:00+0200", "26 02:30+0200", "26 02:00+0100", "26 02:30+0100", "26 03:00+0100",
    ]  # fmt: skip
    assert shown(half, "2031-03-30 01:15", "2031-03-30 03:45") == ["30 01:30+0100", "30 03:00+0200", "30 03:30+0200"]
    odd = ScheduleSettings(cron="30 * * * *")  # the gap's 02:30 is not made up for: 03:30 is an hour after 01:30
    assert shown(odd, "2031-03-30 01:15", "2031-03-30 03:45") == ["30 01:30+0100", "30 03:30+0200"]


def test_an_expression_that_names_hours_runs_once_for_each() -> None:
    """In the gap its times fall together after it, in the second pass nothing runs again."""
    named = ScheduleSettings(cron="0,30 1-3 * * *")
    assert shown(named, "2031-03-30 00:00", "2031-03-30 12:00") == [
        "30 01:00+0100", "30 01:30+0100", "30 03:00+0200", "30 03:30+0200",
    ]  # fmt: skip
    assert shown(named, "2031-10-26 00:00", "2031-10-26 12:00") == [
        "26 01:00+0200", "26 01:30+0200", "26 02:00+0200", "26 02:30+0200", "26 03:00+0100", "26 03:30+0100",
    ]  # fmt: skip


def test_whole_days_keep_the_wall_time_and_shorter_intervals_real_time() -> None:
    """`every = "1d"` does not drift by an hour in autumn; `every = "6h"` is six hours every time."""
    daily = [x[3:8] for x in shown(ScheduleSettings(every="1d"), "2031-10-20 00:00", "2031-11-02 00:00")]
    assert daily == ["02:00"] * 13
    z = ZoneInfo("Europe/Berlin")
    six = list(
        fires(
            build(ScheduleSettings(every="6h"), z),
            datetime(2031, 10, 20, tzinfo=UTC),
            datetime(2031, 11, 2, tzinfo=UTC),
        )
    )
    assert {b - a for a, b in pairwise(six)} == {timedelta(hours=6)}
    local = [f.astimezone(z) for f in six]
    assert {f.strftime("%H:%M") for f in local if f.utcoffset() == timedelta(hours=1)} == {
        "00:00",
        "06:00",
        "12:00",
        "18:00",
    }


def test_every_second_day_is_the_same_day_after_a_restart() -> None:
    """It is counted from the calendar, not from the start of the process."""
    once = shown(ScheduleSettings(every="2d"), "2031-03-20 00:00", "2031-04-10 00:00")
    assert once[2:] == shown(ScheduleSettings(every="2d"), "2031-03-23 17:00", "2031-04-10 00:00")
    assert [x[:2] for x in once[:4]] == ["21", "23", "25", "27"]


WHEN = st.datetimes(datetime(2010, 1, 1), datetime(2035, 1, 1)).map(lambda d: d.replace(tzinfo=UTC))
SETTINGS = st.sampled_from(
    [
        ScheduleSettings(),
        ScheduleSettings(at="00:00"),
        ScheduleSettings(cron="*/20 * * * *"),
        ScheduleSettings(cron="15 */5 * * *"),
        ScheduleSettings(cron="30 2 1,15 * mon"),
        ScheduleSettings(every="7h"),
        ScheduleSettings(every="3d"),
    ]
)
ZONES = st.sampled_from(
    [
        "UTC",
        "Europe/Berlin",
        "America/St_Johns",
        "Australia/Lord_Howe",
        "Africa/Casablanca",
        "Asia/Beirut",
        "America/Nuuk",
        "Pacific/Apia",
    ]
)


@given(SETTINGS, ZONES, WHEN, st.floats(0, 1))
def test_time_only_moves_forward(settings: ScheduleSettings, zone: str, now: datetime, part: float) -> None:
    """The next instant is not before now, is after the previous one, and every moment up to it has the same next."""
    t = build(settings, ZoneInfo(zone))
    found = t.get_next_fire_time(None, now)
    assert found is not None
    assert found >= now
    between = now + (found - now) * part
    assert t.get_next_fire_time(None, between) == found
    after = t.get_next_fire_time(found, found)
    assert after is not None
    assert after > found


@given(SETTINGS, ZONES, WHEN)
def test_the_latest_instant_is_the_one_before_the_next(settings: ScheduleSettings, zone: str, now: datetime) -> None:
    """Looking back finds what looking forward from there finds, and nothing lies between it and now."""
    t = build(settings, ZoneInfo(zone))
    found = latest(t, now)
    assert found is not None
    assert found <= now
    assert t.get_next_fire_time(None, found) == found
    after = t.get_next_fire_time(None, found + TICK)
    assert after is not None
    assert after > now
    assert latest(t, found) == found
    assert latest(t, found - TICK) < found  # type: ignore[operator]


def test_a_leap_day_is_found_from_far_away() -> None:
    """The search back doubles its span; where nothing ever was it gives up."""
    z = ZoneInfo("UTC")
    assert latest(build(ScheduleSettings(cron="0 0 29 2 *"), z), datetime(2031, 1, 1, tzinfo=UTC)) == datetime(
        2028, 2, 29, tzinfo=UTC
    )
