"""What ``[schedule]`` may say: cron expressions, intervals, time zones, each refused with its remedy.

Pure and cheap to import. A cron expression means what ``man 5 crontab`` says, which is not what
APScheduler's ``from_crontab`` makes of it: there 0 is Monday, and a day and a weekday must both hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..core.model import Message
from .problems import Wrong, close

DAY = 86_400
SHORTEST, LONGEST = 10, 366 * DAY
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": DAY, "w": 7 * DAY}
_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday"
_LONGEST_MONTHS = dict(zip(range(1, 13), (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), strict=True))
_NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


class Cron(NamedTuple):
    """A crontab line as the numbers it lists; weekdays count from Sunday = 0.

    ``either``: both a day of the month and a weekday are named, so one of them is enough.
    ``open_hours``: no hours are named, so it repeats all day long.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    either: bool
    open_hours: bool


class _Field(NamedTuple):
    name: Message
    low: int
    high: int
    words: Mapping[str, int]
    last: int  # of *: weekday 7 is a second name of Sunday


def _named(names: str, first: int) -> dict[str, int]:
    return {word: i for i, name in enumerate(names.split(), first) for word in (name, name[:3])}


_FIELDS = (
    _Field(Message("minute"), 0, 59, {}, 59),
    _Field(Message("hour"), 0, 23, {}, 23),
    _Field(Message("day of the month"), 1, 31, {}, 31),
    _Field(Message("month"), 1, 12, _named(_MONTHS, 1), 12),
    _Field(Message("weekday"), 0, 7, _named(_WEEKDAYS, 0), 6),
)


def parse_cron(text: str) -> Cron:
    """Five fields (minute, hour, day, month, weekday) or ``@daily`` and the like; raises Wrong."""
    given = text.strip().casefold()
    words = _NICKNAMES.get(given, given).split()
    if len(words) != len(_FIELDS):
        raise Wrong(
            Message(
                'five fields are expected (minute, hour, day, month, weekday), such as "0 2 * * *"; here are {count}',
                {"count": len(words)},
            )
        )
    sets = [_numbers(word, field) for word, field in zip(words, _FIELDS, strict=True)]
    minutes, hours, days, months, weekdays = sets
    weekdays = tuple(sorted({day % 7 for day in weekdays}))
    # as in man 5 crontab: a field that begins with * restricts nothing, even as */2
    either = not words[2].startswith("*") and not words[4].startswith("*")
    cron = Cron(minutes, hours, days, months, weekdays, either, "*" in words[1] or len(hours) == 24)
    if not either and not any(days[0] <= _LONGEST_MONTHS[month] for month in months):
        raise Wrong(Message("it never comes: no such month has a day {day}", {"day": days[0]}))
    return cron


def _numbers(text: str, field: _Field) -> tuple[int, ...]:
    found: set[int] = set()
    for part in text.split(","):
        found.update(_range(part, field))
    return tuple(sorted(found))


_PART = re.compile(r"(?P<all>\*)?(?P<first>\w+)?(?:-(?P<last>\w+))?(?:/(?P<step>\d+))?", re.ASCII)


def _range(part: str, field: _Field) -> Iterable[int]:
    """``*``, ``5``, ``mon``, ``1-5``, and each of these but a single number with ``/step``."""
    match = _PART.fullmatch(part)
    if match is None or (match["all"] is None) == (match["first"] is None) or (match["all"] and match["last"]):
        raise Wrong(Message("{part} is no {field}", {"part": part, "field": field.name}))
    first = _number(match["first"], field) if match["first"] else field.low
    last = _number(match["last"], field) if match["last"] else field.last if match["all"] or match["step"] else first
    if field.high == 7 and last == 0 < first:  # fri-sun
        last = 7
    if last < first:
        raise Wrong(Message("{part} runs backwards", {"part": part}))
    step = int(match["step"] or 1)
    if not 0 < step <= max(1, last - first):
        raise Wrong(_wrong_step(part, step, field))
    return range(first, last + 1, step)


def _wrong_step(part: str, step: int, field: _Field) -> Message:
    if field.name.text == "minute" and step > 59:
        return Message(
            '{part} would come once an hour; for every {step} minutes write every = "{step}m" instead of cron',
            {"part": part, "step": step},
        )
    return Message("the step of {part} is not within {first} to {last}", {"part": part, "first": 1, "last": field.high})


def _number(word: str, field: _Field) -> int:
    value = int(word) if word.isdigit() else field.words.get(word)
    if value is None or not field.low <= value <= field.high:
        args = {"part": word, "field": field.name, "first": field.low, "last": field.high}
        raise Wrong(Message("{part} is no {field}: {first} to {last} are possible", args))
    return value


def check_cron(text: str) -> None:
    """Raise Wrong when this is no cron expression, or one that never comes."""
    parse_cron(text)


def parse_every(text: str) -> int:
    """``90m``, ``6h``, ``1h30m``, ``1d``, ``1w`` in seconds; raises Wrong."""
    given = text.replace(" ", "").casefold()
    if not re.fullmatch(r"(\d{1,6}[smhdw])+", given, re.ASCII):
        raise Wrong(Message('an interval is written as "6h", "90m" or "1d"'))
    seconds = sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([smhdw])", given))
    if not SHORTEST <= seconds <= LONGEST:
        raise Wrong(Message("an interval lasts 10 seconds at least and 366 days at most"))
    return seconds


def parse_at(text: str) -> tuple[int, int]:
    """``02:00`` → (2, 0); raises Wrong."""
    match = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text.strip(), re.ASCII)
    if match is None:
        raise Wrong(Message("a time of day is written as 02:00"))
    return int(match[1]), int(match[2])


# ---- time zones ----------------------------------------------------------------------

_CITIES = {  # what people write, and the database does not have
    "beijing": "Asia/Shanghai",
    "peking": "Asia/Shanghai",
    "shenzhen": "Asia/Shanghai",
    "北京": "Asia/Shanghai",
    "上海": "Asia/Shanghai",
    "香港": "Asia/Hong_Kong",
    "台北": "Asia/Taipei",
    "delhi": "Asia/Kolkata",
    "mumbai": "Asia/Kolkata",
    "munich": "Europe/Berlin",
    "frankfurt": "Europe/Berlin",
    "geneva": "Europe/Zurich",
    "san francisco": "America/Los_Angeles",
    "washington": "America/New_York",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "edt": "America/New_York",
    "cest": "Europe/Berlin",
    "ist": "Asia/Kolkata",
    "jst": "Asia/Tokyo",
}


def check_zone(name: str) -> None:
    """Raise Wrong, with the zone that was probably meant, when there is no such time zone; "" is the system's."""
    import zoneinfo

    if not name:
        return
    try:
        zoneinfo.ZoneInfo(name)
        if not name.startswith(("right/", "posix/")):  # right/ counts leap seconds, which no clock here does
            return
    except (LookupError, ValueError, OSError):
        pass
    zones = zoneinfo.available_timezones()
    if not zones:
        raise Wrong(Message("this machine has no time zone data; install the package tzdata"))
    if guess := _meant(name, zones):
        raise Wrong(Message("there is no such time zone; did you mean {guess}?", {"guess": guess}))
    raise Wrong(Message("there is no such time zone; names are those of the tz database, such as Europe/Berlin"))


def _meant(name: str, zones: set[str]) -> str | None:
    given = name.strip().removeprefix("right/").removeprefix("posix/")
    if known := _CITIES.get(given.rpartition("/")[2].casefold()) or _windows(given):
        return known
    if match := re.fullmatch(r"(?:utc|gmt)?([+-])0?(\d{1,2})(?::?00)?", given.casefold(), re.ASCII):
        wanted = f"Etc/GMT{'-' if match[1] == '+' else '+'}{match[2]}"  # its signs are those of POSIX
        return wanted if wanted in zones else None
    places = {zone.rpartition("/")[2]: zone for zone in sorted(zones) if zone.count("/") == 1 and "Etc" not in zone}
    city = re.sub(r"[ -]", "_", given)
    if (place := close(city, places)) and place.casefold() == city.casefold():
        return places[place]
    if "/" not in given and place and len(given) > 4:
        return places[place]
    return close(given.replace(" ", "_"), sorted(zones)) if len(given) > 4 else None


def _windows(name: str) -> str | None:
    """The zone of a name of Windows, such as ``China Standard Time``."""
    from tzlocal.windows_tz import win_tz

    return {key.casefold(): zone for key, zone in win_tz.items()}.get(name.casefold())
