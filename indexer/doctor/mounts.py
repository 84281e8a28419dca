"""On which file system a path lies, and which of them are not of this machine."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "9p", "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "afs",
     "ncpfs", "coda", "webdav", "davfs", "vboxsf", "vmhgfs", "prl_fs", "virtiofs", "drvfs", "acfs", "pvfs2", "orangefs", "remote")
)  # fmt: skip
"""Another machine (or the host of a virtual one) writes there too, and no event tells of it."""
_VOLATILE = frozenset(("tmpfs", "ramfs", "overlay", "fuse.fuse-overlayfs"))
_LOCAL_FUSE = frozenset(("fuseblk", "fuse.fuse-overlayfs"))


class Mount(NamedTuple):
    """A file system: its type, and where it begins."""

    kind: str
    point: str

    @property
    def remote(self) -> bool:
        """A network or FUSE file system: events cannot be relied upon, nor can memory that processes share."""
        return self.kind in NETWORK or self.kind.startswith("fuse")

    @property
    def shares_memory(self) -> bool:
        """Whether SQLite's log works: all processes that use it are on this machine."""
        return not self.remote or self.kind in _LOCAL_FUSE

    @property
    def volatile(self) -> bool:
        """Gone with the machine or the container."""
        return self.kind in _VOLATILE


def mount_of(path: str) -> Mount | None:
    """The file system of a path (or of the nearest folder above it that exists); None where this cannot be told."""
    real = os.path.realpath(existing(path))
    if sys.platform == "linux":
        try:
            with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
                return longest(mounts(lines), real)
        except OSError:
            return None
    return _windows(real) if sys.platform == "win32" else _statfs(real)


def existing(path: str) -> str:
    """The path, or the nearest folder above it that exists."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def mounts(lines: Iterable[str]) -> Iterator[Mount]:
    """The mounts of a mountinfo file, see proc(5): blanks in names are written \\040."""
    for line in lines:
        fields, _, rest = line.partition(" - ")
        words = fields.split(" ")
        if len(words) > 4 and rest:
            yield Mount(rest.split(" ", 1)[0], re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), words[4]))


def longest(found: Iterable[Mount], path: str) -> Mount | None:
    """The mount a path is in; of several at one place the last one hides the others."""
    best: Mount | None = None
    for mount in found:
        inside = path == mount.point or path.startswith(mount.point.rstrip("/") + "/")
        if inside and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def _statfs(path: str) -> Mount | None:
    """macOS: the type's name stands in what statfs(2) gives."""
    import ctypes

    buffer = ctypes.create_string_buffer(4096)
    try:
        call = getattr(ctypes.CDLL(None, use_errno=True), "statfs$INODE64", None) or ctypes.CDLL(None).statfs
        if call(os.fsencode(path), buffer) != 0:
            return None
    except (OSError, AttributeError):
        return None
    name = buffer.raw[72:88].split(b"\0")[0].decode("ascii", "replace")
    return Mount(name, path) if name else None


def _windows(path: str) -> Mount | None:
    import ctypes

    drive = os.path.splitdrive(path)[0]
    if drive.startswith("\\\\"):
        return Mount("smb", drive)
    try:
        kind = ctypes.windll.kernel32.GetDriveTypeW(drive + "\\")  # type: ignore[attr-defined,unused-ignore]
    except (OSError, AttributeError):
        return None
    return Mount("remote" if kind == 4 else "local", drive)
