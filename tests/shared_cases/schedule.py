"""The product's schedule as the shared tables of clock changes ask for it."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from indexer.core.tables import ScheduleSettings
from indexer.triggers import wall


def fires(tz: str, hour: int, minute: int, start_utc: datetime, end_utc: datetime) -> list[datetime]:
    """Every run between two instants of a job that is to run daily at a wall time."""
    trigger = wall.build(ScheduleSettings(at=f"{hour:02}:{minute:02}", time_zone=tz), ZoneInfo(tz))
    return list(wall.fires(trigger, start_utc, end_utc))
