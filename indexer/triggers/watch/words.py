"""What the watch tells a person: sentences, each with the remedy where there is one."""

from __future__ import annotations

import errno

from ...core.model import Message
from .mounts import Mount

_WATCHES = (
    "no more folders can be watched: {key} is {limit}; raise it with `sysctl -w {key}={more}` "
    "(in a container: on its host) and put the same into a file in /etc/sysctl.d"
)
_INSTANCES = (
    "no more programs can watch folders: {key} is {limit}; raise it with `sysctl -w {key}={more}` "
    "(in a container: on its host) and put the same into a file in /etc/sysctl.d"
)


def configured() -> Message:
    """Polling because somebody wants it."""
    return Message('mode = "polling" is configured under [watch]')


def foreign(mount: Mount) -> Message:
    """Polling because other machines write there."""
    words = {"type": mount.type, "path": mount.point.decode("utf-8", "backslashreplace")}
    return Message("{path} is a file system of type {type}, where others change files and no event comes", words)


def silent(seconds: float) -> Message:
    """Polling because a change made for proof brought no event."""
    return Message("no event came within {seconds} seconds of a change made for proof", {"seconds": f"{seconds:.0f}"})


def refused(error: OSError) -> Message:
    """Polling because the system will not watch; the limits with how to raise them."""
    if error.errno == errno.ENOSPC:
        return Message(_WATCHES, _limit("watches", 524288))
    if error.errno == errno.EMFILE:
        return Message(_INSTANCES, _limit("instances", 1024))
    return Message("the system does not let it be watched ({why})", {"why": error.strerror or str(error)})


def _limit(what: str, least: int) -> dict[str, object]:
    """The limit that was reached: of two that count the lower one (a user namespace has its own)."""
    found = []
    for key in (f"fs.inotify.max_user_{what}", f"user.max_inotify_{what}"):
        try:
            with open("/proc/sys/" + key.replace(".", "/"), encoding="ascii") as file:
                found.append((int(file.read()), key))
        except (OSError, ValueError):
            continue
    limit, key = min(found, default=(0, f"fs.inotify.max_user_{what}"))
    return {"key": key, "limit": limit if found else "?", "more": max(least, 2 * limit)}


def polled(source: str, seconds: float, why: Message) -> Message:
    """A source is polled from now on."""
    words = {"source": source, "seconds": f"{seconds:g}", "why": why}
    return Message("Source {source} is polled every {seconds} seconds: {why}.", words)


def watched(source: str) -> Message:
    """A source is watched by events again."""
    return Message("Source {source}: events arrive again, it is not polled any more.", {"source": source})


def gone(source: str, path: str) -> Message:
    """A root is not there."""
    return Message(
        "Source {source}: the folder {path} is not there. Its documents stay as they are until it is back.",
        {"source": source, "path": path},
    )


def replaced(source: str, path: str) -> Message:
    """A root is there again, or is another folder than before."""
    return Message(
        "Source {source}: the folder {path} is back or was replaced; all of it is looked at.",
        {"source": source, "path": path},
    )


def overflowed(source: str) -> Message:
    """Events were lost."""
    return Message(
        "Source {source}: more changes came than the system keeps; all of it is looked at.", {"source": source}
    )


def slept(seconds: float) -> Message:
    """The process did not run for a while."""
    return Message(
        "The machine slept or this process stood still for {seconds} seconds; everything is looked at.",
        {"seconds": f"{seconds:.0f}"},
    )
