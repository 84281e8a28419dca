"""File systems whose changes come from elsewhere: no event tells of what another machine wrote."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from contextlib import suppress
from typing import NamedTuple

_ELSEWHERE = frozenset(
    (
        "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "ncpfs", "afs", "afpfs", "coda", "ceph",
        "lustre", "gfs", "gfs2", "ocfs2", "gpfs", "beegfs", "pvfs2", "orangefs", "glusterfs", "9p", "virtiofs",
        "vboxsf", "prl_fs", "vmhgfs", "drvfs", "webdav", "davfs", "davfs2", "ftp", "acfs", "wekafs", "cvfs",
        "panfs", "sshfs", "autofs", "macfuse", "osxfuse",
    )
)  # fmt: skip
_TABLE = "/proc/self/mountinfo"
_LONG = 2.0


class Mount(NamedTuple):
    """A mounted file system; ``id`` tells it from another one at the same place."""

    point: bytes
    type: str
    id: bytes = b""


def elsewhere(type_: str) -> bool:
    """Whether files of this type of file system change without this kernel knowing: network, FUSE, shared from a host."""
    return type_ in _ELSEWHERE or type_ == "fuse" or type_.startswith("fuse.") or type_ == "fuseblk"


def parse_mountinfo(text: bytes) -> list[Mount]:
    """The mounts in the words of /proc/self/mountinfo, in their order; spaces in paths are octal there."""
    found = []
    for line in text.splitlines():
        left, _, right = line.partition(b" - ")
        fields, kind = left.split(b" "), right.split(b" ")
        if len(fields) > 4 and kind[0]:
            found.append(Mount(_plain(fields[4]), kind[0].decode("ascii", "replace"), fields[0] + b" " + fields[2]))
    return found


def _plain(field: bytes) -> bytes:
    for code, char in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        field = field.replace(code, char)
    return field


def parse_mount(text: str) -> list[Mount]:
    """The mounts as `mount` of macOS and BSD says them: ``//u@host/share on /Volumes/share (smbfs, nodev)``."""
    found = []
    for line in text.splitlines():
        left, _, kind = line.rpartition(" (")
        point = left.partition(" on ")[2]
        if point:
            found.append(Mount(os.fsencode(point), kind.rstrip(")").split(",")[0].strip()))
    return found


def foreign(root: bytes, mounts: list[Mount]) -> Mount | None:
    """The mount, of those a folder lies in or that lie in it, whose changes no event tells of."""
    inside = within(root, mounts)
    around = [m for m in mounts if _below(root, m.point)]
    own = max(reversed(around), key=lambda m: len(m.point), default=None)  # of two at one place the later one counts
    return next((m for m in (own, *inside) if m is not None and elsewhere(m.type)), None)


def within(root: bytes, mounts: list[Mount]) -> list[Mount]:
    """The mounts at a folder or below it."""
    return [m for m in mounts if _below(m.point, root)]


def _below(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def foreign_mount(root: bytes) -> Mount | None:
    """As :func:`foreign`, for this machine as it is now."""
    real = os.path.realpath(root)
    if sys.platform == "win32":
        return Mount(real, "network drive") if _network_drive(os.fsdecode(real)) else None
    try:
        with open(_TABLE, "rb") as file:
            return foreign(real, parse_mountinfo(file.read()))
    except OSError:
        pass
    try:
        said = subprocess.run(["mount"], capture_output=True, text=True, timeout=_LONG, check=False)  # noqa: S607 - every Unix has its own place for it
    except (OSError, subprocess.SubprocessError):
        return None
    return foreign(real, parse_mount(said.stdout))


class MountTable:
    """What this process has mounted, and whether that changed; Linux tells, elsewhere nothing is known."""

    def __init__(self) -> None:
        self._fd, self._poll = -1, None
        if sys.platform == "linux":
            with suppress(OSError):
                self._fd = os.open(_TABLE, os.O_RDONLY | os.O_CLOEXEC)
                self._poll = select.poll()
                self._poll.register(self._fd, select.POLLPRI | select.POLLERR)

    def changed(self) -> bool:
        """Whether anything was mounted or unmounted since this was last asked."""
        return self._poll is not None and bool(self._poll.poll(0))

    def within(self, root: bytes) -> list[Mount]:
        """The mounts at a folder or below it, now."""
        try:
            with open(_TABLE, "rb") as file:
                return within(os.path.realpath(root), parse_mountinfo(file.read()))
        except OSError:
            return []

    def close(self) -> None:
        """Let go of the table."""
        if self._poll is not None:
            self._poll = None
            os.close(self._fd)


def _network_drive(path: str) -> bool:
    """A share (``\\\\server\\share``) or a drive letter that stands for one."""
    if path.startswith("\\\\") and not path.startswith("\\\\?\\"):
        return True
    import ctypes

    windows = getattr(ctypes, "windll", None)
    remote = 4
    return windows is not None and windows.kernel32.GetDriveTypeW(os.path.splitdrive(path)[0] + "\\") == remote
