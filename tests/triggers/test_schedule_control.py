"""What plain APScheduler 3 does with the same cases: if one of these changes, a correction of ours may go."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Event
from zoneinfo import ZoneInfo

import pytest
from apscheduler.events import EVENT_JOB_EXECUTED, EVENT_JOB_MISSED, JobExecutionEvent
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from indexer.triggers.wall import fires

BERLIN = ZoneInfo("Europe/Berlin")


def shown(trigger: BaseTrigger, start: str, end: str) -> list[str]:
    """Its instants by the same calls as ours, on the wall in Berlin."""
    a, b = (datetime.fromisoformat(x).replace(tzinfo=BERLIN).astimezone(UTC) for x in (start, end))
    return [f.astimezone(BERLIN).strftime("%a %d %H:%M%z") for f in fires(_Utc(trigger), a, b)]


class _Utc:
    """A trigger whose clock is in its own zone, as the scheduler's is, and whose answers can be compared."""

    def __init__(self, trigger: BaseTrigger) -> None:
        self.trigger = trigger

    def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime:
        previous = previous.astimezone(BERLIN) if previous else None
        return self.trigger.get_next_fire_time(previous, now.astimezone(BERLIN)).astimezone(UTC)


def test_cron_fires_twice_where_the_clocks_go_back() -> None:
    """agronholm/apscheduler#116."""
    found = shown(CronTrigger(hour=2, minute=30, timezone=BERLIN), "2031-10-26 00:00", "2031-10-26 12:00")
    assert found == ["Sun 26 02:30+0200", "Sun 26 02:30+0100"]


def test_crontab_weekdays_count_from_monday() -> None:
    """agronholm/apscheduler#286: Sunday's run comes on Monday."""
    found = shown(CronTrigger.from_crontab("0 2 * * 0", timezone=BERLIN), "2031-06-01 00:00", "2031-06-08 00:00")
    assert found == ["Mon 02 02:00+0200"]


def test_a_crontab_day_and_weekday_must_both_hold() -> None:
    """crontab(5): one is enough."""
    found = shown(CronTrigger.from_crontab("0 2 10 * fri", timezone=BERLIN), "2031-06-01 00:00", "2031-07-01 00:00")
    assert found == []


def test_an_interval_of_a_day_drifts_by_an_hour() -> None:
    """24 hours are not a day in autumn."""
    start = datetime(2031, 10, 25, 2, tzinfo=BERLIN)
    found = shown(IntervalTrigger(hours=24, start_date=start, timezone=BERLIN), "2031-10-25 00:00", "2031-10-27 12:00")
    assert [f[7:12] for f in found] == ["02:00", "02:00", "01:00"]


@pytest.mark.parametrize(
    ("grace", "happens"), [({}, EVENT_JOB_MISSED), ({"misfire_grace_time": None}, EVENT_JOB_EXECUTED)]
)
def test_a_late_run_is_dropped_after_a_second(grace: dict[str, None], happens: int) -> None:
    """agronholm/apscheduler#292: unless every lateness is allowed, as ours does."""
    seen: list[JobExecutionEvent] = []
    done = Event()
    scheduler = BackgroundScheduler(timezone=UTC)
    scheduler.add_listener(lambda event: (seen.append(event), done.set()), EVENT_JOB_MISSED | EVENT_JOB_EXECUTED)
    scheduler.add_job(int, "date", run_date=datetime.now(UTC) - timedelta(seconds=5), **grace)
    scheduler.start()
    assert done.wait(60)
    scheduler.shutdown()
    assert [event.code for event in seen] == [happens]


def test_a_new_process_knows_of_no_missed_run() -> None:
    """SCHED-04: the job is added after its instant, the next one is tomorrow's."""
    scheduler = BackgroundScheduler(timezone=UTC)
    scheduler.start(paused=True)
    job = scheduler.add_job(int, CronTrigger(hour=datetime.now(UTC).hour, minute=0, second=0, timezone=UTC))
    assert job.next_run_time - datetime.now(UTC) > timedelta(hours=23) - timedelta(minutes=1)
    scheduler.shutdown()
