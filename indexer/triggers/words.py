"""What the schedule says to a person."""

from __future__ import annotations

from datetime import tzinfo

from ..config.schedules import DAY, parse_every
from ..core.model import Message
from ..core.tables import ScheduleSettings
from .due import moment
from .jumps import Jump


def describe(settings: ScheduleSettings, zone: tzinfo) -> Message:
    """When it runs."""
    if not settings.enabled:
        return Message("never: schedule.enabled is off")
    at = {"time": settings.at, "zone": str(zone)}
    seconds = parse_every(settings.every) if settings.every else 0
    if seconds % DAY:
        return Message("every {every}", {"every": settings.every})
    if seconds > DAY:
        return Message("every {days} days at {time} ({zone})", {"days": seconds // DAY, **at})
    if settings.cron and not seconds:
        return Message("cron {cron} ({zone})", {"cron": settings.cron, "zone": str(zone)})
    return Message("every day at {time} ({zone})", at)


class Words:
    """Sentences about instants, shown as the wall of the zone shows them."""

    def __init__(self, zone: tzinfo) -> None:
        self.zone = zone

    def when(self, instant_ns: int) -> str:
        """Such as ``2031-03-30 03:00``."""
        return moment(instant_ns).astimezone(self.zone).strftime("%Y-%m-%d %H:%M")

    def skipped(self, instant_ns: int, earlier_ns: int) -> Message:
        """The run before it has not ended."""
        args = {"when": self.when(instant_ns), "earlier": self.when(earlier_ns)}
        return Message("The run of {when} is skipped: that of {earlier} has not ended.", args)

    def left_out(self, instant_ns: int) -> Message:
        """It was missed, and nobody wants it late."""
        args = {"when": self.when(instant_ns)}
        return Message("The run of {when} was missed and is left out: schedule.catch_up is off.", args)

    def made_up(self, instant_ns: int) -> Message:
        """It was missed."""
        return Message("The run of {when} was missed; it is made up for now.", {"when": self.when(instant_ns)})

    def first(self) -> Message:
        """Nothing is on record."""
        return Message("There is no run on record; the first one starts now.")

    def again(self, instant_ns: int, minutes: int) -> Message:
        """It failed."""
        args = {"when": self.when(instant_ns), "minutes": minutes}
        return Message("The run of {when} failed; it is tried again in {minutes} minutes.", args)

    def moved(self) -> Message:
        """The system's time zone was changed."""
        return Message("The time zone of this machine is now {zone}.", {"zone": str(self.zone)})


def jumped(jump: Jump) -> Message:
    """The clock was set, or the machine slept."""
    if jump.stepped:
        back = Message("The clock was set back by {seconds} s.", {"seconds": round(-jump.stepped)})
        forward = Message("The clock was set forward by {seconds} s.", {"seconds": round(jump.stepped)})
        return forward if jump.stepped > 0 else back
    return Message("The machine slept for {seconds} s.", {"seconds": round(jump.slept)})
