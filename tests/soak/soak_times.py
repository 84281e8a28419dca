"""The injected clock, shared by all processes of a soak, and the time zone in which it counts the nights."""

from __future__ import annotations

import mmap
import struct
import time
from datetime import UTC, date, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from zoneinfo import ZoneInfo

RATE = 72
"""Injected seconds in one real second: a day in twenty minutes."""

ZONE = "Soak/Zone"
NIGHT = wall(2, 0)
DAY = 86_400
_STATE = struct.Struct("<4q")
_TZIF = struct.Struct(">4sx15x6l")


class Clock:
    """Wall time that runs fast and can be set; every process that opens the file sees the same one."""

    def __init__(self, path: Path) -> None:
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), _STATE.size)

    @classmethod
    def create(cls, path: Path, start_ns: int) -> Clock:
        """A clock that shows ``start_ns`` now."""
        path.write_bytes(_STATE.pack(time.monotonic_ns(), start_ns, 0, 0))
        return cls(path)

    def now_ns(self) -> int:
        """The wall time."""
        began, start, steps, slept = _STATE.unpack(self._map[:])
        return start + RATE * (time.monotonic_ns() - began) + steps + slept  # type: ignore[no-any-return]

    def clock(self) -> float:
        """Seconds that go on evenly, whatever the wall is set to; they stand still while the machine sleeps."""
        return RATE * (time.monotonic_ns() - self._read(0)) / 1e9

    def asleep(self) -> float:
        """Seconds the machine has slept."""
        return self._read(3) / 1e9

    def wait(self, seconds: float) -> None:
        """A pause of injected seconds."""
        time.sleep(seconds / RATE)

    def step(self, seconds: float) -> None:
        """Somebody sets the clock."""
        self._add(2, seconds)

    def sleep(self, seconds: float) -> None:
        """The machine sleeps for so long; for everybody else no time passes."""
        self._add(3, seconds)

    def _read(self, at: int) -> int:
        return _STATE.unpack(self._map[:])[at]  # type: ignore[no-any-return]

    def _add(self, at: int, seconds: float) -> None:
        struct.pack_into("<q", self._map, 8 * at, self._read(at) + int(seconds * 1e9))


def make_zone(folder: Path, start_ns: int, local: wall) -> ZoneInfo:
    """It is ``local`` at the start; on the first night 02:30 becomes 01:30, on the second 01:30 becomes 02:30.

    So 02:00 comes twice on the first date and not at all on the second. ``folder`` goes into PYTHONTZPATH.
    """
    start = start_ns // (60 * 10**9) * 60
    at = local.hour * 3600 + local.minute * 60
    offset = (at - start + DAY // 2) % DAY - DAY // 2
    back = start + (9000 - at) % DAY
    moves = struct.pack(">2l2B", back, back + DAY, 1, 0)
    kinds = struct.pack(">lBBlBB", offset, 0, 0, offset - 3600, 0, 0) + b"NOW\0"
    path = folder / ZONE
    path.parent.mkdir(parents=True)
    path.write_bytes(_TZIF.pack(b"TZif", 0, 0, 0, 2, 2, 4) + moves + kinds)
    with open(path, "rb") as file:
        return ZoneInfo.from_file(file, key=ZONE)


class Nights:
    """The instant (ns) due on each local date, found minute by minute: the first at which it is 02:00 or later."""

    def __init__(self, zone: ZoneInfo, start_ns: int) -> None:
        self._zone, self._next = zone, datetime.fromtimestamp(start_ns // (60 * 10**9) * 60, UTC)
        self._before = self._next.astimezone(zone)
        self._due: dict[date, int] = {}

    def until(self, end_ns: int) -> list[int]:
        """All up to then, in their order; asked for later ends only, or some too many are told."""
        while self._next.timestamp() * 1e9 <= end_ns:
            here = self._next.astimezone(self._zone)
            if here.time() >= NIGHT and (self._before.date() != here.date() or self._before.time() < NIGHT):
                self._due.setdefault(here.date(), int(self._next.timestamp()) * 10**9)
            self._before, self._next = here, self._next + timedelta(minutes=1)
        return [at for at in self._due.values() if at <= end_ns]
