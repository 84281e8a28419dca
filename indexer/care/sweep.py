"""Removes what nothing names: leavings of crashed runs, merged segments, replaced generations.

Runs at the end of a run and never inside one. Two listings and one query when there is
nothing to remove, so a run that had nothing to write looks too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..store import disk
from ..store.catalog import NAME
from ..store.local import Store, generation_number
from . import snapshots


def sweep(store: Store) -> int:
    """Remove unnamed files and folders of this generation, and older generations; returns how many."""
    removed = 0
    for path in [*_files(store), *_folders(store)]:
        if path.is_dir():
            disk.remove_tree(path)
        else:
            disk.remove(path)
        removed += 1
    return removed


def _files(store: Store) -> Iterator[Path]:
    """Temporary files, segment files no catalog row names, and what SQLite could not remove beside a snapshot."""
    yield from store.snapshots_folder().glob(f"*/{NAME}-*")
    named = {f"{i:06d}" for (i,) in store.catalog.db.all("SELECT id FROM segment")}
    own = store.layout.metadata / store.generation
    for path in _in(store.layout.metadata, own, store.texts_folder, store.vectors_folder):
        unnamed = path.suffix in (".faiss", ".texts") and path.stem not in named
        if (path.name.startswith(disk.TEMPORARY) or unnamed) and path.is_file():
            yield path


def _folders(store: Store) -> Iterator[Path]:
    """Snapshots that never got their manifest, and generations older than the served one.

    A younger one is being filled to replace the served one, and stays. A reader that has an
    older one open keeps its files.
    """
    yield from (p for p in _in(store.snapshots_folder()) if not (p / snapshots.MANIFEST).exists())
    served = store.layout.named()
    if served is None:
        return
    for path in _in(store.layout.metadata, store.layout.vectorstore):
        number = generation_number(path.name)
        if number and number < generation_number(served) and path.name != store.generation:
            yield path


def _in(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        if folder.is_dir():
            yield from folder.iterdir()
