"""The daemon as it is, or one update beside it, under the injected clock: ``soak_process.py daemon|update HOME``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rights import ordinary
from soak_times import Clock

from indexer import KnowledgeBase
from indexer.config import load_settings
from indexer.core.errors import IndexerError
from indexer.daemon import Wants, run
from indexer.parts import Times


def main(what: str, home: Path) -> int:
    """The exit code, as the command line gives it."""
    clock = Clock(home / "clock")
    try:
        with ordinary():
            if what == "daemon":
                times = Times(clock.now_ns, clock.clock, clock.wait, clock.asleep)
                return run(lambda: load_settings(home, {}), "run", Wants(watch=True), "en", times)
            kb = KnowledgeBase(home)
            busy = lambda other: time.sleep(0.05)  # noqa: E731 - its turn comes
            return kb.update(allow_deletions=True, now_ns=clock.now_ns, busy=busy).exit_code
    except IndexerError as e:
        print(e, file=sys.stderr)
        return e.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
