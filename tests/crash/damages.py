"""Ways in which a state is found damaged, by hands or by disks, and what must come of each."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from .scene import Scene


class Damage(NamedTuple):
    """What was done to the state.

    ``reported``: ``verify`` must find it. ``healed``: an ordinary update puts it right; otherwise
    the update says what to do. Either way ``repair`` does. ``state``: with or without a log.
    """

    do: Callable[[Path, Path, str], None]  # (metadata, vectorstore, generation)
    reported: bool = True
    healed: bool = True
    state: str = "closed"


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


def _cut(path: Path, size: int) -> None:
    with open(path, "rb+") as f:
        f.truncate(size)


def _overwrite_end(path: Path) -> None:
    with open(path, "rb+") as f:
        f.seek(-16, 2)
        f.write(b"no words of ours")


def _last(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern))


def _older_catalog(m: Path, v: Path, g: str) -> None:
    for suffix in ("-wal", "-shm"):
        (m / g / f"catalog.db{suffix}").unlink(missing_ok=True)
    shutil.copyfile(min((v / g / "snapshots").glob("*/catalog.db")), m / g / "catalog.db")


def _no_snapshots_no_catalog(m: Path, v: Path, g: str) -> None:
    shutil.rmtree(v / g / "snapshots")
    (m / g / "catalog.db").unlink()


DAMAGES: Mapping[str, Damage] = {
    "HEAD gone": Damage(lambda m, v, g: (m / "HEAD").unlink(), reported=False),
    "HEAD empty": Damage(lambda m, v, g: _write(m / "HEAD", b"")),
    "HEAD garbage": Damage(lambda m, v, g: _write(m / "HEAD", b"\xff\x00\n")),
    "HEAD names nothing": Damage(lambda m, v, g: _write(m / "HEAD", b"0123456789abcdef-7\n")),
    "segment gone": Damage(lambda m, v, g: _last(v / g, "*.faiss").unlink()),
    "segment cut": Damage(lambda m, v, g: _cut(_last(v / g, "*.faiss"), 60)),
    "segment empty": Damage(lambda m, v, g: _cut(_last(v / g, "*.faiss"), 0)),
    "texts gone": Damage(lambda m, v, g: _last(m / g / "texts", "*.texts").unlink()),
    "texts cut": Damage(lambda m, v, g: _cut(_last(m / g / "texts", "*.texts"), 100)),
    "words damaged": Damage(lambda m, v, g: _overwrite_end(_last(m / g / "texts", "*.texts"))),
    "catalog gone": Damage(lambda m, v, g: (m / g / "catalog.db").unlink()),
    "catalog empty": Damage(lambda m, v, g: _cut(m / g / "catalog.db", 0)),
    "catalog cut": Damage(lambda m, v, g: _cut(m / g / "catalog.db", (m / g / "catalog.db").stat().st_size // 2)),
    "catalog garbage": Damage(lambda m, v, g: _write(m / g / "catalog.db", b"no database at all " * 1000)),
    "catalog and snapshots gone": Damage(_no_snapshots_no_catalog),
    "catalog replaced by an older one": Damage(_older_catalog),
    "log garbage": Damage(lambda m, v, g: _write(m / g / "catalog.db-wal", b"no log at all " * 1000), reported=False),
    "log gone": Damage(lambda m, v, g: (m / g / "catalog.db-wal").unlink(), state="kept"),
    "log cut": Damage(lambda m, v, g: _cut(m / g / "catalog.db-wal", 5000), state="kept"),
    "catalog gone, log there": Damage(lambda m, v, g: (m / g / "catalog.db").unlink(), state="kept"),
    "all metadata gone": Damage(lambda m, v, g: shutil.rmtree(m), reported=False),
    "all vectors gone": Damage(lambda m, v, g: shutil.rmtree(v)),
    "stray files": Damage(lambda m, v, g: _strays(m, v, g), reported=False),
}


def _strays(m: Path, v: Path, g: str) -> None:
    for path in (
        m / ".tmp-HEAD",
        m / g / "texts" / "000999.texts",
        v / g / "000999.faiss",
        v / g / ".tmp-000998.faiss",
    ):
        _write(path, b"left by somebody")
    _write(v / g / "snapshots" / "000000099" / "catalog.db", b"without a manifest")


FOREIGN = ("metadata/notes of mine.txt", "vectorstore/README.md")
"""Files that are not ours stay whatever we sweep."""


def damage(scene: Scene, name: str) -> None:
    """Do it to the served generation."""
    metadata, vectorstore = scene.state / "metadata", scene.state / "vectorstore"
    generation = (metadata / "HEAD").read_text().strip()
    for path in FOREIGN:
        _write(scene.state / path, b"mine")
    DAMAGES[name].do(metadata, vectorstore, generation)
