"""What lies on the disk: sizes, snapshots, and the room that is left."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from ..care import snapshots
from ..core.errors import StoreDamaged
from ..settings import Settings
from ..store.catalog import NAME
from ..store.local import Layout
from . import table
from .table import Sample


def sizes(layout: Layout, generation: str) -> list[Sample]:
    """Bytes of the served generation by part; a part that is missing is absent."""
    own = layout.metadata / generation
    found = []
    for part, folder, beginning, end in (
        ("vectors", layout.vectorstore / generation, "", ".faiss"),
        ("texts", own / "texts", "", ".texts"),
        ("catalog", own, NAME, ""),  # with SQLite's log and the log's index
    ):
        with contextlib.suppress(OSError):
            found.append(Sample(table.INDEX_BYTES, _bytes(folder, beginning, end), (part,)))
    return found


def _bytes(folder: Path, beginning: str, end: str) -> int:
    total = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(beginning) and entry.name.endswith(end):
                with contextlib.suppress(FileNotFoundError):  # merged away while we look
                    total += entry.stat().st_size
    return total


def room(settings: Settings) -> list[Sample]:
    """Room on the disks of the two folders that are written; absent where it cannot be told."""
    found = [Sample(table.DISK_RESERVE, settings.min_free_mb * 2**20)]
    for folder in ("metadata", "vectorstore"):
        with contextlib.suppress(OSError):
            usage = shutil.disk_usage(getattr(settings, folder))
            found.append(Sample(table.DISK_FREE, usage.free, (folder,)))
            found.append(Sample(table.DISK_SIZE, usage.total, (folder,)))
    return found


class Snapshots:
    """How many there are and how old the newest is; its manifest is read once."""

    def __init__(self) -> None:
        self._known: tuple[Path, int] | None = None
        self._at = 0

    def samples(self, layout: Layout, generation: str) -> list[Sample]:
        """Absent is the age of what has no readable manifest."""
        folders = snapshots.folders(layout, generation)
        found = [Sample(table.SNAPSHOTS, len(folders))]
        for folder in reversed(folders):
            with contextlib.suppress(OSError, StoreDamaged, ValueError):
                return [*found, Sample(table.SNAPSHOT_TIME, self._taken(folder) / 1e9)]
        return found

    def _taken(self, folder: Path) -> int:
        key = folder, os.stat(folder / snapshots.MANIFEST).st_mtime_ns
        if key != self._known:
            self._at = int(snapshots.manifest(folder)["at"])
            self._known = key
        return self._at
