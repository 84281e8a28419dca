"""What the watch tells a person: sentences, each with the remedy where there is one."""

from __future__ import annotations

import errno

from ...core.model import Message
from .mounts import Mount

_WATCHES = (
    "no more folders can be watched: fs.inotify.max_user_watches is {limit}; raise it with "
    "`sysctl -w fs.inotify.max_user_watches={more}` and put the same into a file in /etc/sysctl.d"
)
_INSTANCES = (
    "no more programs can watch folders: fs.inotify.max_user_instances is {limit}; raise it with "
    "`sysctl -w fs.inotify.max_user_instances={more}` and put the same into a file in /etc/sysctl.d"
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
        limit = _limit("max_user_watches")
        return Message(_WATCHES, {"limit": limit or "?", "more": max(524288, 2 * limit)})
    if error.errno == errno.EMFILE:
        limit = _limit("max_user_instances")
        return Message(_INSTANCES, {"limit": limit or "?", "more": max(1024, 2 * limit)})
    return Message("the system does not let it be watched ({why})", {"why": error.strerror or str(error)})


def _limit(name: str) -> int:
    try:
        with open(f"/proc/sys/fs/inotify/{name}", encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


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
