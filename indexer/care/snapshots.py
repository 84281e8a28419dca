"""Physical snapshots: a copy of the catalog, hard links to the files it names, a manifest.

Each opens by itself. One is taken before the first write of a run when the last is older
than a day, and after a first build; the newest seven are kept.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import StoreDamaged
from ..core.model import Message
from ..store import disk, tip
from ..store.catalog import NAME, Catalog
from ..store.local import Layout, Store
from ..store.seal import SEAL, seal

MANIFEST = "manifest"


class Snapshot(NamedTuple):
    """One restorable copy: its commit, when it was taken (ns), and where it lies."""

    commit: int
    at: int
    folder: Path
    bytes: int


def take(store: Store, now_ns: int) -> Snapshot:
    """Copy the state of the newest commit; complete once its manifest has its name."""
    commit = store.catalog.head()
    folder = store.snapshots_folder() / f"{commit:09d}"
    with disk.failures_named(folder):
        _discard(folder)
        disk.make_folder(folder / "texts")
        _copy_catalog(store.catalog, folder / NAME)
        files = _link_segments(store, folder)
        files[NAME] = disk.sha256(folder / NAME).hex()
        disk.sync_folder(folder / "texts")
        facts = {"commit": commit, "at": now_ns, "files": files}
        disk.write_new(folder / MANIFEST, json.dumps({**facts, SEAL: seal(facts)}, indent=1).encode())
        return _of(folder)


def _link_segments(store: Store, folder: Path) -> dict[str, str]:
    """Give every segment file a name in the snapshot; returns names and checksums."""
    files = {}
    for segment, vectors_sha, texts_sha in store.catalog.db.all("SELECT id,vectors_sha,texts_sha FROM segment"):
        vectors, texts = store.segment_paths(segment)
        disk.link_or_copy(vectors, folder / vectors.name)
        disk.link_or_copy(texts, folder / "texts" / texts.name)
        files[vectors.name], files[f"texts/{texts.name}"] = vectors_sha.hex(), texts_sha.hex()
    return files


def _discard(folder: Path) -> None:
    """Remove a snapshot, its manifest first: half a snapshot must not look whole."""
    if (folder / MANIFEST).exists():
        disk.remove(folder / MANIFEST)
    disk.remove_tree(folder)


def _copy_catalog(catalog: Catalog, target: Path) -> None:
    with catalog.db.failures_named(), disk.failures_named(target.parent):
        disk.step("backup", target)
        copy = sqlite3.connect(target)
        try:
            catalog.db.con.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        finally:
            copy.close()
    disk.sync_file(target)


def _of(folder: Path) -> Snapshot:
    m = manifest(folder)
    size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    return Snapshot(int(m["commit"]), int(m["at"]), folder, size)


def manifest(folder: Path) -> Mapping[str, Any]:
    """The checksums of a snapshot; raises StoreDamaged."""
    try:
        found: Mapping[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        if not isinstance(found["files"], dict) or found[SEAL] != seal(found):
            raise TypeError("seal")
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise StoreDamaged(
            "The snapshot {path} has no readable manifest; run `indexer repair`.", path=str(folder)
        ) from e
    return found


def folders(layout: Layout, generation: str) -> list[Path]:
    """Every folder with a manifest, readable or not, oldest first."""
    return [p.parent for p in sorted((layout.vectorstore / generation / "snapshots").glob(f"[0-9]*/{MANIFEST}"))]


def listed(layout: Layout, generation: str) -> list[Snapshot]:
    """The complete snapshots of a generation, oldest first."""
    found = []
    for folder in folders(layout, generation):
        try:
            found.append(_of(folder))
        except StoreDamaged:
            continue
    return found


def intact(folder: Path, *, vectors: bool = True, proved: Sequence[Path] = ()) -> bool:
    """Whether the files of a snapshot are what its manifest says.

    ``proved``: folders whose own files are; links to them are not read again.
    """
    try:
        for name, digest in manifest(folder)["files"].items():
            path = folder / name
            known = any((p / name).exists() and os.path.samefile(p / name, path) for p in proved)
            if not known and (vectors or not name.endswith(".faiss")) and disk.sha256(path).hex() != digest:
                return False
    except (OSError, StoreDamaged):
        return False
    return True


def restore(layout: Layout, generation: str, snapshot: Snapshot) -> str:
    """Make a new generation from a snapshot; returns its name.

    Damaged or missing vectors are no obstacle: the next run embeds those passages again.
    """
    name = layout.new_generation(generation.rpartition("-")[0])
    with disk.failures_named(layout.metadata):
        disk.make_folder(layout.vectorstore / name)
        disk.make_folder(layout.metadata / name / "texts")
        for file in manifest(snapshot.folder)["files"]:
            old = snapshot.folder / file
            if file.endswith(".faiss"):
                if old.exists():
                    disk.link_or_copy(old, layout.vectorstore / name / file)
            elif file != NAME:
                disk.link_or_copy(old, layout.metadata / name / file)
        disk.sync_folder(layout.metadata / name / "texts")
        disk.sync_folder(layout.vectorstore / name)
        disk.write_new(layout.metadata / name / NAME, (snapshot.folder / NAME).read_bytes())
    return name


def highest_commit(layout: Layout, generation: str) -> int:
    """A number no commit of a damaged generation exceeds, as far as can be known."""
    known = [s.commit for s in listed(layout, generation)]
    if (published := tip.read(layout.metadata / generation)) is not None:
        known.append(published.commit)
    try:
        catalog = Catalog.open(layout.metadata / generation, readonly=True)
        known.append(catalog.head())
        catalog.close()
    except StoreDamaged:
        known.append(max(known, default=0) + 1000)
    return max(known)


def discard_damaged(layout: Layout, generation: str) -> list[Message]:
    """Remove the snapshots that do not hold: nothing can be restored from them."""
    gone = []
    for folder in folders(layout, generation):
        if not intact(folder):
            _discard(folder)
            gone.append(Message("A damaged snapshot was removed ({path}).", {"path": str(folder)}))
    return gone


def prune(layout: Layout, generation: str, keep: int) -> int:
    """Remove all but the newest ``keep`` snapshots; returns how many went."""
    old = listed(layout, generation)[:-keep] if keep else listed(layout, generation)
    for snapshot in old:
        _discard(snapshot.folder)
    return len(old)
