"""A file that is there when the folder is listed and gone when it is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from heard import Begin

from indexer.core.model import Ask
from indexer.sources import folder


def test_what_was_gone_already_is_not_held(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document deleted long ago came and went unread: when many others go, there is nothing of it to hold."""
    service, _ = begin()
    ghost, reading = tmp_path / "kb/ghost.txt", folder.read

    def look(**how: bool) -> None:
        assert service.ask(Ask("look", **how)).wait(60).exit_code in (0, 3)  # type: ignore[union-attr,arg-type]

    for i in range(20):
        (tmp_path / f"kb/{i:02d}.txt").write_text(f"This is document {i}.")
    ghost.write_text("Now you see me.")
    look()
    ghost.unlink()
    look()
    ghost.write_text("Now you do not.")

    def read(*args: object) -> folder.FileRead:
        ghost.unlink(missing_ok=True)
        return reading(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(folder, "read", read)
    look()
    monkeypatch.undo()
    for i in range(12):
        (tmp_path / f"kb/{i:02d}.txt").unlink()
    look()
    catalog = service.kb.catalog()
    assert catalog is not None
    held = [p for (p,) in catalog.db.all("SELECT path FROM document WHERE held IS NOT NULL ORDER BY path")]
    assert held == [f"{i:02d}.txt".encode() for i in range(12)]
    look(allow_deletions=True)
    assert catalog.db.all("SELECT path FROM document WHERE held IS NOT NULL") == []
    catalog.close()
