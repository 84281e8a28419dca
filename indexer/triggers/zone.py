"""The time zone a schedule is read in."""

from __future__ import annotations

import os
import warnings
from contextlib import suppress
from datetime import tzinfo
from zoneinfo import ZoneInfo

from ..config.problems import Wrong
from ..config.schedules import check_zone
from ..core.errors import ConfigError

_SYSTEM = ("/etc/localtime", "/etc/timezone")


def zone(name: str) -> tzinfo:
    """The named zone, "" the system's; raises ConfigError when it cannot be told."""
    if name:
        return _named(name)
    from tzlocal import reload_localzone

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without any configuration a machine is on UTC; `text()` shows it
            found: tzinfo = reload_localzone()
            return found
    except (LookupError, ValueError, OSError) as e:
        raise ConfigError(
            "The time zone of this machine cannot be told ({why}). Name it in indexer.toml: time_zone below [schedule], such as Europe/Berlin.",
            why=str(e),
        ) from e


def _named(name: str) -> tzinfo:
    try:
        check_zone(name)
        return ZoneInfo(name)
    except Wrong as e:  # the configuration was read on a machine, or at a time, that had this zone
        raise ConfigError("schedule.time_zone = {zone}: {why}", zone=name, why=e.why) from e


def stamp(name: str) -> object:
    """Changes when the zone may mean another one: somebody who travels sets the system's."""
    found: list[object] = [os.environ.get("TZ")]
    for path in _SYSTEM if not name else ():
        with suppress(OSError):
            stat = os.stat(path)
            found.append((os.path.realpath(path), stat.st_mtime_ns, stat.st_ino))
    return found if not name else None
