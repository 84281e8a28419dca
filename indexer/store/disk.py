"""The only module that writes, renames, links or removes files of the state.

Every operation first calls :data:`fault`, so a test can make any one of them the last
(crash), the failing one (EIO, ENOSPC) or the slow one. ``fsync`` of a file and of its
folder are separate, named steps: a rename without the second may be undone by a power cut.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ..core.errors import DiskFull, IndexerError, StoreDamaged

Fault = Callable[[str, str], None]

fault: Fault | None = None
"""Test hook, called with (operation, path) before each step; None in production."""

TEMPORARY = ".tmp-"


def step(operation: str, path: object) -> None:
    """Announce one step to the fault hook (SQLite statements are announced here too)."""
    if fault is not None:
        fault(operation, str(path))


@contextlib.contextmanager
def failures_named(folder: Path) -> Iterator[None]:
    """Turn what the operating system refuses into an IndexerError with folder and remedy.

    ENOSPC, EDQUOT and EFBIG become DiskFull; anything else (EIO, EROFS, EACCES ...) a plain one.
    """
    try:
        yield
    except OSError as e:
        if e.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFull(
                "No room left to write in {folder}. Free some space and run the update again; the last commit stands.",
                folder=str(folder),
            ) from e
        raise IndexerError(
            "Reading or writing in {folder} failed ({why}). Check the disk and the permissions of the folder, "
            "then run the update again; the last commit stands.",
            folder=str(folder),
            why=e.strerror or str(e),
        ) from e


def make_folder(path: Path) -> None:
    """Create a folder and its parents; durable once a file in it is."""
    if not path.is_dir():
        with failures_named(path.parent):
            step("mkdir", path)
            path.mkdir(parents=True, exist_ok=True)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable (a no-op where folders cannot be opened)."""
    with failures_named(path):
        step("fsync-folder", path)
        try:
            fd = os.open(path, os.O_RDONLY)
        except PermissionError:
            return  # Windows: folders cannot be opened, and NTFS journals names itself
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def sync_file(path: Path) -> None:
    """Make a file's content durable."""
    with failures_named(path.parent):
        step("fsync", path)
        with open(path, "rb+") as f:
            os.fsync(f.fileno())


def write_private(path: Path, data: bytes) -> None:
    """As :func:`write_new`, for what nobody but this user may read; the file may be there already."""
    write_new(path, data, 0o600)


def write_new(path: Path, data: bytes | memoryview, mode: int = 0o666) -> None:
    """Put a whole file in place: temporary name, fsync, rename, fsync of the folder.

    Before the rename nothing carries ``path``'s name; after the folder's fsync the file is
    durable and complete. A failure removes the temporary file.
    """
    temporary = path.with_name(TEMPORARY + path.name)
    with failures_named(path.parent):
        try:
            step("write", temporary)
            with open(temporary, "wb", opener=partial(os.open, mode=mode)) as f:
                if mode != 0o666:  # one that a crash left may have another mode
                    os.chmod(temporary, mode)
                f.write(data)
                f.flush()
                step("fsync", temporary)
                os.fsync(f.fileno())
            step("rename", path)
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(path.parent)


def write_hint(path: Path, data: bytes) -> None:
    """Overwrite a small file that nothing depends on and that proves itself; not waited for.

    In place, since a new file with a new name costs the disk twice as much.
    """
    with failures_named(path.parent):
        step("write", path)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            os.write(fd, data)
            if os.fstat(fd).st_size > len(data):
                os.ftruncate(fd, len(data))
        finally:
            os.close(fd)


def link_or_copy(old: Path, new: Path) -> None:
    """Give an immutable file a second name; copy where the file system has no hard links."""
    with failures_named(new.parent):
        step("link", new)
        try:
            os.link(old, new)
        except FileExistsError:
            return
        except OSError as e:
            if e.errno not in (errno.EPERM, errno.EXDEV, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
                raise
            write_new(new, old.read_bytes())


def rename(old: Path, new: Path) -> None:
    """Rename a file or folder and make the new name durable."""
    with failures_named(new.parent):
        step("rename", new)
        os.replace(old, new)
        sync_folder(new.parent)


def remove(path: Path) -> None:
    """Remove a file; absent is fine."""
    with failures_named(path.parent):
        step("unlink", path)
        path.unlink(missing_ok=True)


def remove_tree(path: Path) -> None:
    """Remove a folder of ours; absent is fine, and what will not go is swept another time."""
    with failures_named(path.parent):
        step("remove-tree", path)
        shutil.rmtree(path, ignore_errors=True)


def sha256(path: Path) -> bytes:
    """Digest of a file, read in 1 MiB steps."""
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").digest()


def require_room(path: Path, wanted_bytes: int, reserve_mb: int) -> None:
    """Raise DiskFull before a step that would not fit, leaving ``reserve_mb`` free."""
    free = shutil.disk_usage(path).free
    if free < wanted_bytes + reserve_mb * 2**20:
        raise DiskFull(
            "Only {free} MB are free in {folder}, the next step needs {need} MB plus a reserve of {reserve} MB. "
            "Free some space (or lower min_free_mb) and run the update again.",
            free=free // 2**20,
            folder=str(path),
            need=-(-wanted_bytes // 2**20),
            reserve=reserve_mb,
        )


def read_checked(path: Path, digest: bytes) -> bytes:
    """Read a file and prove it is the one recorded; raises StoreDamaged."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise StoreDamaged(
            "{path} cannot be read ({why}); run `indexer repair`.", path=str(path), why=e.strerror
        ) from e
    if hashlib.sha256(data).digest() != digest:
        raise StoreDamaged("{path} is not what was written; run `indexer repair`.", path=str(path))
    return data
