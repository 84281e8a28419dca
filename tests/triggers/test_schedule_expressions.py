"""Cron expressions, intervals and time zones: what crontab(5) says, and a remedy for what is wrong."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.config.problems import Wrong
from indexer.config.schedules import check_cron, check_zone, parse_at, parse_cron, parse_every
from indexer.triggers.wall import crontab


def days(cron: str, count: int, start: str = "2031-06-01") -> list[str]:
    """The first dates (and weekdays) it matches."""
    search, found, at = crontab(parse_cron(cron)), [], datetime.fromisoformat(start)
    while len(found) < count and (hit := search(at)) is not None:
        if not found or found[-1] != f"{hit:%a %d}":
            found.append(f"{hit:%a %d}")
        at = hit.replace(hour=23, minute=59, second=1)
    return found


@pytest.mark.parametrize(
    ("cron", "first"),
    [
        ("0 2 * * 0", ["Sun 01", "Sun 08"]),
        ("0 2 * * 7", ["Sun 01", "Sun 08"]),
        ("0 2 * * sun", ["Sun 01", "Sun 08"]),
        ("0 2 * * 1", ["Mon 02", "Mon 09"]),
        ("0 2 * * monday", ["Mon 02", "Mon 09"]),
        ("0 2 * * 5-7", ["Sun 01", "Fri 06", "Sat 07", "Sun 08"]),
        ("0 2 * * fri-sun", ["Sun 01", "Fri 06", "Sat 07", "Sun 08"]),
        ("0 2 * * sun-tue", ["Sun 01", "Mon 02", "Tue 03", "Sun 08"]),
        ("0 2 * * */2", ["Sun 01", "Tue 03", "Thu 05", "Sat 07", "Sun 08"]),
        ("0 2 10 * *", ["Tue 10", "Thu 10"]),
        ("0 2 10,20 * 5", ["Fri 06", "Tue 10", "Fri 13", "Fri 20", "Fri 27"]),  # either is enough
        ("0 2 */10 * 5", ["Fri 11", "Fri 01"]),  # a field that begins with * restricts nothing: both must hold
        ("0 2 31 * *", ["Thu 31", "Sun 31", "Fri 31"]),
        ("@weekly", ["Sun 01", "Sun 08"]),
        ("@monthly", ["Sun 01", "Tue 01"]),
    ],
)
def test_days_are_those_of_crontab(cron: str, first: list[str]) -> None:
    """Weekdays count from Sunday, 7 is Sunday too, and a day or a weekday is enough where both are named."""
    assert days(cron, len(first)) == first


@pytest.mark.parametrize(
    ("cron", "hours", "minutes"),
    [
        ("0 2 * * *", (2,), (0,)),
        ("*/20 8-18/5 * * *", (8, 13, 18), (0, 20, 40)),
        ("5/25 0,12 * * *", (0, 12), (5, 30, 55)),
        ("@daily", (0,), (0,)),
        ("@hourly", tuple(range(24)), (0,)),
        (" 0   2 * * * ", (2,), (0,)),
    ],
)
def test_times_are_those_of_crontab(cron: str, hours: tuple[int, ...], minutes: tuple[int, ...]) -> None:
    """Lists, ranges, steps, nicknames; spaces do not matter."""
    parsed = parse_cron(cron)
    assert (parsed.hours, parsed.minutes) == (hours, minutes)
    assert parsed.open_hours == (len(hours) == 24)


@pytest.mark.parametrize(
    ("cron", "why"),
    [
        ("0 2 * *", "five fields"),
        ("0 0 2 * * *", "here are 6"),
        ("@reboot", "five fields"),
        ("60 2 * * *", "60 is no minute: 0 to 59"),
        ("0 24 * * *", "24 is no hour: 0 to 23"),
        ("0 2 0 * *", "0 is no day of the month: 1 to 31"),
        ("0 2 * 13 *", "13 is no month"),
        ("0 2 * * 8", "8 is no weekday"),
        ("0 2 * monday *", "monday is no month"),
        ("0 2 ? * *", "? is no day of the month"),
        ("0 2-1 * * *", "2-1 runs backwards"),
        ("-5 2 * * *", "-5 is no minute"),
        ("0 2 * * 1-", "1- is no weekday"),
        ("0,, 2 * * *", " is no minute"),
        ("*/0 2 * * *", "step"),
        ("0 */25 * * *", "step"),
        ("*/90 * * * *", 'every = "90m"'),
        ("0 2 31 4,6 *", "never comes"),
        ("0 2 30 2 *", "never comes"),
        ("０ 2 * * *", "is no minute"),
    ],
)
def test_what_is_no_cron_expression_is_refused_with_the_reason(cron: str, why: str) -> None:
    """The part that is wrong is named."""
    with pytest.raises(Wrong) as e:
        check_cron(cron)
    assert why in str(e.value.why)


_WORD = st.sampled_from(
    ["*", "0", "5", "7", "31", "1-5", "*/7", "mon", "jan-mar", "1,15", "2/4", "", "x", "5-1", "*/0"]
)


@given(st.lists(_WORD, min_size=4, max_size=6).map(" ".join) | st.text(max_size=20))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    """Nothing but Wrong is raised, and what is parsed comes within 40 years."""
    try:
        parsed = parse_cron(text)
    except Wrong:
        return
    assert crontab(parsed)(datetime(2031, 1, 1)) is not None


def test_intervals() -> None:
    """Units may be put together; too short, too long and anything else is refused."""
    given = {"90m": 5400, "6h": 21600, "1h30m": 5400, "1d": 86400, "24 h": 86400, "2w": 1209600, "10s": 10}
    assert {text: parse_every(text) for text in given} == given
    for text in ("", "5", "5s", "0h", "-1h", "1.5h", "400d", "1y", "９0m", "9999999h"):
        with pytest.raises(Wrong):
            parse_every(text)


def test_times_of_day() -> None:
    """Hours and minutes, nothing else."""
    assert [parse_at(t) for t in ("02:00", "2:00", "23:59")] == [(2, 0), (2, 0), (23, 59)]
    for text in ("", "24:00", "2", "02:60", "2am", "02:00:00", "０2:00"):
        with pytest.raises(Wrong):
            parse_at(text)


@pytest.mark.parametrize("zone", ["", "Europe/Berlin", "Asia/Shanghai", "UTC", "Etc/GMT-8", "CET", "US/Pacific"])
def test_zones_of_the_database_are_right(zone: str) -> None:
    """And the empty name, which means the system's."""
    check_zone(zone)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("Europe/Berln", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("Beijing", "Asia/Shanghai"),
        ("Asia/Beijing", "Asia/Shanghai"),
        ("上海", "Asia/Shanghai"),
        ("China Standard Time", "Asia/Shanghai"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("UTC+8", "Etc/GMT-8"),
        ("GMT-05:00", "Etc/GMT+5"),
        ("PST", "America/Los_Angeles"),
    ],
)
def test_a_wrong_zone_is_refused_with_the_one_that_was_meant(given: str, meant: str) -> None:
    """Spelling, cities, names of Windows, offsets (whose sign is the other way round in the database)."""
    if given == meant.casefold() and _accepted(given):  # a file system that does not tell letters apart
        return
    with pytest.raises(Wrong) as e:
        check_zone(given)
    assert f"did you mean {meant}?" in str(e.value.why)


def _accepted(zone: str) -> bool:
    try:
        check_zone(zone)
    except Wrong:
        return False
    return True


@pytest.mark.parametrize(
    "zone", ["xyzzy", "../etc/passwd", "/etc/localtime", "America", "\0", " ", "right/Europe/Berlin", "UTC+99"]
)
def test_what_is_no_zone_is_refused(zone: str) -> None:
    """Folders, paths and zones with leap seconds are none."""
    with pytest.raises(Wrong):
        check_zone(zone)
