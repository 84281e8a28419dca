"""A real layout whose catalogs hold nothing but runs."""

from __future__ import annotations

import json
from pathlib import Path

from indexer.store.catalog import NAME, Catalog
from indexer.store.db import Db
from indexer.store.local import Layout

FIRST = "0123456789abcdef-1"


def layout(home: Path) -> Layout:
    """The standard folders."""
    return Layout(home / "metadata", home / "vectorstore")


def catalog(home: Path, generation: str = FIRST) -> Path:
    """Make an empty catalog; where it lies."""
    path = home / "metadata" / generation / NAME
    if not path.exists():
        Catalog.create(path.parent, {}).close()
    return path


def add(
    home: Path, started: int, report: object, exit_code: int = 0, generation: str = FIRST, seconds: float = 5.0
) -> None:
    """Put a run on record, as a run does when it ends."""
    db = Db(catalog(home, generation))
    with db.write():
        db.run(
            "INSERT INTO run(started,finished,actor,trigger,exit_code,report) VALUES(?,?,'me','schedule',?,?)",
            (
                started,
                started + int(seconds * 1e9),
                exit_code,
                report if isinstance(report, str) else json.dumps(report),
            ),
        )
    db.close()
