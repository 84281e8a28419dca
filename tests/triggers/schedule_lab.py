"""A schedule without threads: its clocks are set by the test, its ticker is called by the test, runs end when told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from indexer.care.runs import RunRecord
from indexer.core.model import Ask, Message
from indexer.core.tables import ScheduleSettings
from indexer.triggers.schedule import PAUSE, Schedule

BERLIN = ZoneInfo("Europe/Berlin")


def ns(text: str, fold: int = 0) -> int:
    """``2031-03-30 02:00`` on the wall in Berlin, in ns."""
    return int(datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).timestamp()) * 10**9


class Ended(NamedTuple):
    """How a run ended, as the service tells it."""

    ask: Ask
    exit_code: int


class Lab:
    """``asked``: (instant, when asked) of each run asked for, on the wall in Berlin."""

    def __init__(self, start: str, settings: ScheduleSettings | None = None, record: RunRecord | None = None) -> None:
        self.settings = settings or ScheduleSettings(time_zone="Europe/Berlin")
        self.settings = self.settings._replace(time_zone="Europe/Berlin")
        self.wall, self.monotonic, self.slept = ns(start), 1000.0, 0.0
        self.dues: set[int] = set(record.dues if record else ())
        self.full = record.last_full_ns if record else 0
        self.asks: list[tuple[Ask, int]] = []
        self.said: list[Message] = []
        self.boot()

    def boot(self, earlier: Schedule | None = None) -> None:
        """A new process: all that the old one remembered is gone. With ``earlier``: other settings in the same one."""
        self.schedule = Schedule(
            self.settings,
            self._ask,
            self.record,
            lambda: self.wall,
            lambda: self.monotonic,
            self._tell,
            asleep=lambda: self.slept,
        )
        if earlier is not None:
            self.schedule.follow(earlier)
        self.schedule.tick()

    def _ask(self, ask: Ask) -> None:
        self.asks.append((ask, self.wall))

    def _tell(self, kind: str, message: Message) -> None:
        assert kind == "log"
        self.said.append(message)

    def record(self) -> RunRecord:
        """What the catalogs would tell."""
        return RunRecord(frozenset(self.dues), self.full)

    def run_for(self, seconds: float) -> None:
        """Time goes by, the ticker ticks."""
        for _ in range(max(1, round(seconds / PAUSE))):
            step = min(PAUSE, seconds)
            self.wall, self.monotonic = self.wall + int(step * 1e9), self.monotonic + step
            self.schedule.tick()

    def run_to(self, text: str) -> None:
        """Until the wall in Berlin shows this."""
        assert ns(text) > self.wall
        self.run_for((ns(text) - self.wall) / 1e9)

    def freeze(self, seconds: float) -> None:
        """The process is stopped: both clocks go on, nothing ticks until the end."""
        self.wall, self.monotonic = self.wall + int(seconds * 1e9), self.monotonic + seconds
        self.schedule.tick()

    def sleep(self, seconds: float, told: bool = True) -> None:
        """The machine is suspended; ``told``: the system says so, else it looks like a clock that was set."""
        self.wall, self.slept = self.wall + int(seconds * 1e9), self.slept + (seconds if told else 0.0)
        self.schedule.tick()

    def set_clock(self, text: str) -> None:
        """Somebody sets the clock."""
        self.wall = ns(text)
        self.schedule.tick()

    def end(self, exit_code: int = 0, heard: Schedule | None = None) -> None:
        """The run asked for last ends, and goes on record; ``heard``: who is told, if not the schedule of now."""
        ask = self.asks[-1][0]
        if exit_code in (0, 3):
            self.dues.add(ask.due_ns)
            self.full = self.asks[-1][1]
        (heard or self.schedule).ended(Ended(ask, exit_code))

    @property
    def asked(self) -> list[tuple[str, str]]:
        """(instant, when asked), as the wall shows them."""
        return [(shown(ask.due_ns), shown(at)) for ask, at in self.asks]

    @property
    def log(self) -> list[str]:
        """What was said."""
        return [str(m) for m in self.said]


def shown(instant: int) -> str:
    """Such as ``30 02:00``."""
    return datetime.fromtimestamp(instant / 1e9, UTC).astimezone(BERLIN).strftime("%d %H:%M")
