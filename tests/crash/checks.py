"""What must hold after anything that went wrong, and the truth it is compared with."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import faiss
import numpy as np

from indexer import KnowledgeBase
from indexer.care.verify import verify
from indexer.store.catalog import Catalog
from indexer.store.local import Store

from .scene import DAYS, DUE, LATER, Places, Scene, clock, files, found, lay, model

States = Mapping[int, Places]
"""What each commit shows."""


def head(kb: KnowledgeBase) -> int:
    """The newest commit of the served generation, 0 when none is served."""
    catalog = kb.catalog()
    if catalog is None:
        return 0
    n = catalog.head()
    catalog.close()
    return n


def history(kb: KnowledgeBase) -> dict[int, Places]:
    """What every commit within the retention shows, by searching as of it."""
    catalog = kb.catalog()
    if catalog is None:
        return {0: frozenset()}
    first = max(int(catalog.db.value("SELECT min(n) FROM log") or 1), int(catalog.meta("oldest") or 0))
    last = catalog.head()
    catalog.close()
    return {n: found(kb, str(n)) for n in range(first, last + 1)}


def findings(scene: Scene) -> list[str]:
    """What ``verify`` says of the served generation."""
    kb = scene.open()
    served = kb.layout.served()
    if served is None:
        return []
    store = Store.open(kb.layout, served)
    try:
        return [str(f.message) for f in verify(store)]
    finally:
        store.close()


def old_or_new(scene: Scene, truth: States, *, at_least: int = 0) -> int:
    """Right after: search works at once and shows exactly one commit; the older ones are as they were.

    ``at_least``: a commit that was announced as durable. Returns the commit found.
    """
    kb = scene.open()
    try:
        n = head(kb)
        assert n in truth, f"there never was a commit {n}"
        assert n >= at_least, f"commit {at_least} was announced, now the newest is {n}"
        assert found(kb) == truth[n], f"commit {n} shows {difference(found(kb), truth[n])}"
        for old, places in history(kb).items():
            assert places == truth[old], f"as of commit {old}: {difference(places, truth[old])}"
    finally:
        kb.close()
    assert findings(scene) == [], f"verify: {findings(scene)}"
    return n


def heals(scene: Scene, day: int = DUE, *, size: int = 64, new_texts: int = 1000) -> int:
    """The next run completes, the one after has nothing to do, nothing is left lying about.

    ``new_texts``: the most that may be embedded. Returns how many texts the healing run embedded.
    """
    wanted = model(DAYS[day])
    report = scene.open(size).update(now_ns=clock(day))
    assert report.exit_code == 0, [str(p.reason) for p in report.tally.problems.values()]
    assert report.tally.embedded <= new_texts, f"{report.tally.embedded} texts embedded, only {new_texts} are new"
    kb = scene.open(size)
    assert found(kb) == wanted, f"after healing: {difference(found(kb), wanted)}"
    kb.close()
    after = scene.open(size).update(now_ns=clock(day))
    assert (after.tally.embedded, after.commit) == (0, report.commit), "the second run had something to do"
    assert findings(scene) == [], f"verify after healing: {findings(scene)}"
    assert (strays := stray_files(scene)) == set(), f"left lying about: {sorted(strays)}"
    return report.tally.embedded


def goes_on(scene: Scene, size: int = 64) -> None:
    """A further day of edits ends well too."""
    lay(scene.documents, DAYS[LATER])
    try:
        heals(scene, LATER, size=size)
    finally:
        lay(scene.documents, DAYS[DUE])


EXPORTED = ("index.faiss", "index.pkl", "indexer-export.json")


def exported(scene: Scene, places: Places) -> bool:
    """Whether there is an export; what there is under its name is whole and holds these chunks."""
    folder = scene.state / "export"
    if not folder.exists():
        return False
    assert sorted(p.name for p in folder.iterdir()) == sorted(EXPORTED)
    index = faiss.deserialize_index(np.frombuffer((folder / "index.faiss").read_bytes(), np.uint8))
    store, rows = pickle.loads((folder / "index.pkl").read_bytes())  # noqa: S301 - written by us just now
    texts = sorted(store.search(i).page_content for i in rows.values())
    assert (index.ntotal, texts) == (len(places), sorted(t for _, _, _, t in places))
    return True


def stray_files(scene: Scene) -> set[str]:
    """Files of the state that nothing names."""
    layout = scene.open().layout
    served = layout.served()
    assert served is not None
    catalog = Catalog.open(layout.metadata / served, readonly=True)
    segments = [f"{i:06d}" for (i,) in catalog.db.all("SELECT id FROM segment")]
    catalog.close()
    named = {"ballast", "metadata/HEAD", "metadata/writer.lock", "metadata/config.cache"}
    named |= {f"metadata/{served}/catalog.db{suffix}" for suffix in ("", "-wal", "-shm")}
    named |= {f"metadata/{served}/tip", "metadata/quick", *(f"export/{n}" for n in EXPORTED)}
    named |= {f"metadata/{served}/texts/{s}.texts" for s in segments}
    named |= {f"vectorstore/{served}/{s}.faiss" for s in segments}
    for manifest in (layout.vectorstore / served / "snapshots").glob("*/manifest"):
        names = [*json.loads(manifest.read_bytes())["files"], "manifest"]
        named |= {str((manifest.parent / n).relative_to(scene.state)) for n in names}
    return files(scene.state) - named


def difference(have: Places, want: Places) -> str:
    """For a person who reads a failed test."""
    names: dict[str, Any] = {"missing": want - have, "too much": have - want}
    return "; ".join(f"{k}: {sorted((p, t[:24]) for p, _, _, t in v)[:6]}" for k, v in names.items() if v)


class Prepared(NamedTuple):
    """A built scene on disk: documents of the day under test, the state before it, and the truth."""

    root: Path

    def scene(self, worker: int) -> Scene:
        """A scene of this worker's own; the documents are shared and stay as they are."""
        return Scene(self.root / "docs", self.root / f"state{worker}")

    @property
    def base(self) -> Path:
        """The saved state before the run under test."""
        return self.root / "base"
