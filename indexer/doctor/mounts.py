"""On which file system a path lies, in the words of :mod:`indexer.triggers.watch.mounts`."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NamedTuple

from ..triggers.watch.mounts import Mount, elsewhere, foreign_mount, parse_mount, parse_mountinfo

_VOLATILE = frozenset(("tmpfs", "ramfs", "overlay", "fuse.fuse-overlayfs"))
_LOCAL_FUSE = frozenset(("fuseblk", "fuse.fuse-overlayfs"))


class Place(NamedTuple):
    """The type of the file system a path is on."""

    kind: str

    @property
    def remote(self) -> bool:
        """Of another machine, of a host, or made by a program."""
        return elsewhere(self.kind) or self.kind == "network drive"

    @property
    def shares_memory(self) -> bool:
        """Whether SQLite's log works: all processes that use it are on this machine."""
        return not self.remote or self.kind in _LOCAL_FUSE

    @property
    def volatile(self) -> bool:
        """Gone with the machine or the container."""
        return self.kind in _VOLATILE


def place_of(path: str) -> Place | None:
    """The file system of a path, or of the nearest folder above it that exists; None where this cannot be told."""
    real = os.path.realpath(existing(path))
    if sys.platform == "win32":
        drive = foreign_mount(os.fsencode(real))
        return Place(drive.type if drive else "local drive")
    found = _mounts()
    mount = longest(found, os.fsencode(real))
    return Place(mount.type) if mount else None


def polled(path: str) -> str:
    """The type of file system for which watch mode polls a source; "" where it is watched by events."""
    found = foreign_mount(os.fsencode(path))
    return found.type if found else ""


def _mounts() -> list[Mount]:
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            return parse_mountinfo(file.read())
    except OSError:
        pass
    try:
        said = subprocess.run(["mount"], capture_output=True, text=True, timeout=10, check=False)  # noqa: S607 - every Unix has its own place for it
    except (OSError, subprocess.SubprocessError):
        return []
    return parse_mount(said.stdout)


def longest(found: list[Mount], path: bytes) -> Mount | None:
    """The mount a path is in; of several at one place the last one hides the others."""
    best: Mount | None = None
    for mount in found:
        inside = path == mount.point or path.startswith(mount.point.rstrip(b"/") + b"/")
        if inside and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def existing(path: str) -> str:
    """The path, or the nearest folder above it that exists."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path
