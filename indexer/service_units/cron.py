"""Lines for a crontab, for people without a daemon."""

from __future__ import annotations

import shlex

from ..config.schedules import parse_at, parse_every
from ..core.tables import ScheduleSettings
from .facts import Facts, File, Plan

DAY = 86_400


def plan(facts: Facts) -> Plan:
    """A stretch of the user's crontab between two marks; updates wait for each other by themselves, so no flock."""
    return Plan((File("crontab", text(facts)),), marked=True)


def text(facts: Facts) -> str:
    """The lines between the marks, which stay as they are."""
    call = shlex.join([facts.python, "-m", "indexer", "update", "--now", "--quiet", "--home", facts.home])
    language = [f"INDEXER_LANG={facts.language}"] if facts.language else []
    zone = facts.schedule.time_zone
    zones = [f"# {zone}: a cron that knows CRON_TZ follows it, others use the machine's time zone", f"CRON_TZ={zone}"]
    exact, when = times(facts.schedule)
    inexact = [] if exact else [f"# every {facts.schedule.every} cannot be said in a crontab; this is the nearest"]
    return "\n".join(
        [
            f"# BEGIN {facts.name}: made by `indexer install-service --kind cron`",
            *language,
            *(zones if zone else []),
            *inexact,
            f"{when} {percent(call)}",
            f"# END {facts.name}",
            "",
        ]
    )


def times(schedule: ScheduleSettings) -> tuple[bool, str]:
    """The five fields, and whether they say exactly what the schedule says."""
    hour, minute = parse_at(schedule.at or ScheduleSettings().at)
    nightly = f"{minute} {hour} * * *"
    if not schedule.every:
        return True, schedule.cron or nightly
    seconds = parse_every(schedule.every)
    if seconds < 3600:
        step = max(1, seconds // 60)
        return seconds % 60 == 0 and 60 % step == 0, f"*/{step} * * * *" if step > 1 else "* * * * *"
    if seconds < DAY:
        step = seconds // 3600
        return seconds % 3600 == 0 and 24 % step == 0, f"0 */{step} * * *" if step > 1 else "0 * * * *"
    days = seconds // DAY
    return days == 1 and seconds % DAY == 0, nightly if days == 1 else f"{minute} {hour} */{min(days, 28)} * *"


def percent(command: str) -> str:
    """In a crontab % ends the command; \\% is a percent sign."""
    return command.replace("%", "\\%")
