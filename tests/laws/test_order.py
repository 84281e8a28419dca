"""The order of writing: durable and complete first, named afterwards (DESIGN 6)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import Lab

from indexer.store import disk

Event = tuple[str, str]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Event]]:
    """What the process asks of the system, in order: fsync, rename, and the COMMITs of SQLite."""
    seen: list[Event] = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(fd: int) -> None:
        seen.append(("fsync", os.readlink(f"/proc/self/fd/{fd}")))
        fsync(fd)

    def noted_replace(old: os.PathLike[str], new: os.PathLike[str]) -> None:
        seen.append(("from", str(old)))
        seen.append(("rename", str(new)))
        replace(old, new)

    def noted_step(operation: str, path: str) -> None:
        if operation == "sql" and path == "COMMIT":
            seen.append(("commit", ""))

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    monkeypatch.setattr(disk, "fault", noted_step)
    yield seen
    monkeypatch.undo()


def _history(lab: Lab) -> None:
    """Commits, merges, a snapshot, another generation."""
    for i in range(10):
        lab.run(("write", "one", f"{i}.txt", i))
        lab.run(("update",))
    lab.run(("days", 2))
    lab.run(("write", "one", "0.txt", 50))
    lab.run(("update",))
    lab.run(("model", "m2"))
    lab.run(("update",))


def test_a_file_is_durable_before_it_has_its_name(tmp_path: Path, events: list[Event]) -> None:
    """Every file: its bytes are synced before the rename, its folder before anything names the file."""
    lab = Lab(tmp_path)
    _history(lab)
    lab.close()
    lasting = (".faiss", ".texts", "HEAD", "manifest")
    renames = [i for i, (kind, path) in enumerate(events) if kind == "rename" and path.endswith(lasting)]
    assert len(renames) > 20
    for i in renames:
        old, new = events[i - 1][1], Path(events[i][1])
        assert ("fsync", old) in events[max(i - 3, 0) : i], f"{new.name} was not synced before its rename"
        after = events[i + 1 :]
        until = next((n for n, (kind, _) in enumerate(after) if kind == "commit"), len(after))
        assert ("fsync", str(new.parent)) in after[:until], f"the name {new.name} was not synced before the next commit"


def test_every_segment_came_by_a_synced_rename(tmp_path: Path, events: list[Event]) -> None:
    """No segment file gets its name in any other way."""
    lab = Lab(tmp_path)
    _history(lab)
    lab.close()
    named = {path for kind, path in events if kind == "rename"}
    found = {
        str(p) for pattern in ("*.faiss", "*.texts") for p in tmp_path.rglob(pattern) if "snapshots" not in p.parts
    }
    assert found
    assert not found - named


def test_head_is_replaced_last(tmp_path: Path, events: list[Event]) -> None:
    """Another generation gets its name into HEAD when all it serves is committed."""
    lab = Lab(tmp_path)
    _history(lab)
    lab.close()
    heads = [i for i, e in enumerate(events) if e[0] == "rename" and e[1].endswith("HEAD")]
    segments = [i for i, e in enumerate(events) if e[0] == "rename" and e[1].endswith(".faiss")]
    assert len(heads) == 2
    assert not [i for i in segments if i > heads[1]]
    assert ("commit", "") in events[segments[-1] : heads[1]]
