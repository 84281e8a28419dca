"""The clock: schedules, retention and the trust in time stamps stand on it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import pairwise

from ..core.model import Message
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning

FIRST_YEAR, LAST_YEAR = 2024, 2100
AHEAD_NS = 300 * 10**9
_UNSYNCHRONISED, _TIME_ERROR = 0x40, 5


def clock(case: Case) -> Iterator[Finding]:
    """Whether the year can be, and whether something keeps the clock right."""
    name, year = Message("clock"), time.gmtime(case.now_ns // 10**9).tm_year
    words = {"now": time.strftime("%Y-%m-%d %H:%M:%S%z", time.localtime(case.now_ns // 10**9))}
    remedy = Message("Set the clock and keep it right: sudo timedatectl set-ntp true")
    if not FIRST_YEAR <= year < LAST_YEAR:
        yield problem(name, Message("it is {now} by this machine's clock", words), remedy)
    elif synchronised() is False:
        yield warning(name, Message("it is {now}; nothing keeps the clock right (no NTP)", words), remedy)
    else:
        yield ok(name, Message("it is {now}", words))


def synchronised() -> bool | None:
    """Whether the kernel is told the time by NTP; None where this cannot be told."""
    if sys.platform != "linux":
        return None
    import ctypes

    buffer = ctypes.create_string_buffer(512)  # struct timex is 208 bytes; modes 0 only asks
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(buffer)
    except (OSError, AttributeError):
        return None
    if state < 0:
        return None
    at = 5 * ctypes.sizeof(ctypes.c_long)  # modes (padded), offset, freq, maxerror, esterror, then status
    status = int.from_bytes(buffer.raw[at : at + 4], sys.byteorder)
    return not (status & _UNSYNCHRONISED or state == _TIME_ERROR)


def time_zone(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether the schedule's time zone can be told."""
    from ..triggers.zone import zone

    name, configured = Message("time zone"), settings.schedule.time_zone
    found = zone(configured)
    words = {"zone": str(getattr(found, "key", found)), "offset": time.strftime("%z")}
    if configured:
        yield ok(name, Message("{zone}, as configured", words))
    else:
        yield ok(name, Message("{zone}, the system's ({offset})", words))


def history(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether the record of runs and commits agrees with the clock."""
    from ..api import KnowledgeBase

    name = Message("history")
    catalog = KnowledgeBase(settings).catalog()
    if catalog is None:
        yield ok(name, Message("no commit yet"))
        return
    try:
        newest = max(
            int(catalog.db.value("SELECT max(at) FROM log") or 0),
            int(catalog.db.value("SELECT max(finished) FROM run") or 0),
        )
        starts = catalog.db.all("SELECT id,started FROM run ORDER BY id DESC LIMIT 200")
    finally:
        catalog.close()
    if newest > case.now_ns + AHEAD_NS:
        words = {"at": time.strftime("%Y-%m-%d %H:%M:%S%z", time.localtime(newest // 10**9))}
        text = Message("the newest entry is of {at}, in the future: the clock was or is wrong", words)
        yield warning(
            name, text, Message("Set the clock; what is in the future is of no age for retention until then.")
        )
    back = [run for (run, at), (_, before) in pairwise(starts) if at < before - AHEAD_NS]
    if back:
        text = Message("the clock was set back before run {run}", {"run": back[0]})
        yield warning(name, text, Message("If this happens again, keep the clock right: sudo timedatectl set-ntp true"))
    if not back and newest <= case.now_ns + AHEAD_NS:
        yield ok(name, Message("commits and runs agree with the clock"))
