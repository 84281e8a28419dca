"""A process that does nothing but its schedule: ``schedule_child.py HOME ZONE``, real clocks, real APScheduler, real catalog.

It prints "loaded", begins when a line comes in, prints "ready", then "DUE ASKED" (ns) of each run it asks for;
a run takes no time and goes on record at once.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

from schedule_store import add, layout

from indexer.care.runs import record
from indexer.core.model import Ask
from indexer.core.tables import ScheduleSettings
from indexer.triggers.schedule import Schedule


class Ended(NamedTuple):
    """A run that went well."""

    ask: Ask
    exit_code: int = 0


def main(home: Path, zone: str, pause: float) -> None:
    """Run until standard input is closed."""
    print("loaded", flush=True)
    sys.stdin.readline()

    def ask(wanted: Ask) -> None:
        now = time.time_ns()
        add(home, now, {"due": wanted.due_ns, "full": True}, seconds=0)
        print(wanted.due_ns, now, flush=True)
        schedule.ended(Ended(wanted))

    schedule = Schedule(ScheduleSettings(time_zone=zone), ask, lambda: record(layout(home)), pause=pause)
    schedule.start()
    print("ready", flush=True)
    sys.stdin.read()
    schedule.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
