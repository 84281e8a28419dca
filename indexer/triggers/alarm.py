"""Who wakes the schedule: an APScheduler job at the instant, a ticker on the monotonic clock beside it.

APScheduler sleeps until the wall time it computed when it fell asleep: a clock that is set and a
machine that was suspended are noticed late or never. The ticker makes it look again every few seconds.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

_JOB = "schedule"
_PATIENCE = 1.0


class Alarm:
    """Calls ``ring`` at the instant set and ``tick`` every ``pause`` seconds, from threads of its own."""

    def __init__(
        self, ring: Callable[[], None], tick: Callable[[], None], wait: Callable[[float], Any] | None, pause: float
    ) -> None:
        self._ring, self._tick, self._pause = ring, tick, pause
        self._stopped = threading.Event()
        self._wait = wait or self._stopped.wait
        # no lateness is too late, several missed instants ring once, one ring at a time: what is owed is decided elsewhere
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={"default": ThreadPoolExecutor(1)},
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )
        self._ticker = threading.Thread(target=self._run, name="schedule", daemon=True)

    @property
    def stopped(self) -> bool:
        """Whether nothing is to happen any more."""
        return self._stopped.is_set()

    def start(self) -> None:
        """Begin; the first tick comes at once."""
        self._scheduler.start()
        self._ticker.start()

    def stop(self) -> None:
        """End both threads; may be called from either, and more than once."""
        self._stopped.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        if self._ticker.is_alive() and threading.current_thread() is not self._ticker:
            self._ticker.join(_PATIENCE)

    def set(self, trigger: BaseTrigger, at: datetime) -> None:
        """Ring at ``at`` next; said again, it makes the scheduler look at the clock again."""
        if not self._scheduler.running:
            return
        job = self._scheduler.get_job(_JOB)
        if job is None or job.next_run_time != at or job.trigger is not trigger:
            self._scheduler.add_job(self._ring, trigger, id=_JOB, next_run_time=at, replace_existing=True)
        self._scheduler.wakeup()

    def _run(self) -> None:
        while not self.stopped:
            try:
                self._tick()
            except Exception:  # whatever one look met, the next one comes: a schedule must not end in silence
                logging.getLogger(__name__).exception("schedule")
            self._wait(self._pause)
