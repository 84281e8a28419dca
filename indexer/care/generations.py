"""Which generation a run works on: the served one, an unfinished one, or a new one.

Two sets of facts describe a profile. The *facts* are cheap to gather (names, versions,
settings) and decide on the no-change path; the *identity* needs the model (weights hash)
and is compared only when the facts differ. The same identity under other facts is the same
profile; another identity is another profile, in a generation of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..core.errors import IndexerError, ModelChanged, StoreDamaged
from ..core.ports import Embedder
from ..store import disk
from ..store.catalog import Catalog
from ..store.local import Layout, Store
from ..store.recover import recover
from . import snapshots, succession
from .earlier import comparable
from .verify import CATALOG, verify


class Profile(NamedTuple):
    """What a run is configured to make: cheap facts, and the full identity on demand."""

    facts: Mapping[str, Any]
    embedding: str  # the embedding settings as JSON, without secrets: readers build from it
    embedder: Callable[[], Embedder]

    def facts_json(self) -> str:
        """Canonical form."""
        return json.dumps(self.facts, sort_keys=True, default=str)

    def identity_json(self) -> str:
        """Everything that makes vectors and chunks comparable (loads the model)."""
        whole = {**self.facts, "embedding": dict(self.embedder().identity())}
        return json.dumps(whole, sort_keys=True, default=str)


class Opened(NamedTuple):
    """A store to write to, and the one whose vectors may be reused."""

    store: Store
    served: bool
    donor: str | None = None
    healed: str = ""
    floor: int = 0  # new commits have numbers above this one
    earlier: tuple[str, frozenset[str]] | None = None  # a generation, and the parsers whose contents may be taken over


def resolve(layout: Layout, profile: Profile, *, rebuild: bool = False) -> Opened:
    """Open the generation for this profile; a damaged one is replaced from a snapshot or anew."""
    served = layout.named() or _orphan(layout)
    if served is None:
        return Opened(_create(layout, profile, 0), False)
    try:
        store = _opened(layout, served)
        try:
            return _fitting(layout, profile, store, rebuild)
        except BaseException:
            store.close()
            raise
    except StoreDamaged as e:
        return replace_damaged(layout, profile, served, str(e))


def _fitting(layout: Layout, profile: Profile, store: Store, rebuild: bool) -> Opened:
    """The generation just opened if it is this profile's, else one beside it."""
    if rebuild:
        return _beside(layout, profile, store, donor=None, rebuild=True)
    if store.catalog.meta("facts") == profile.facts_json():
        return Opened(store, _is_served(layout, store.generation))
    if store.catalog.meta("identity") == profile.identity_json():
        with store.catalog.db.write():
            store.catalog.set_meta(facts=profile.facts_json(), embedding=profile.embedding)
        return Opened(store, _is_served(layout, store.generation))
    return _beside(layout, profile, store, donor=_donor(store, profile))


def _opened(layout: Layout, generation: str) -> Store:
    """Open a generation to work on; what a run left half-recorded is put right first."""
    store = Store.open(layout, generation)
    try:
        recover(store.catalog)
    except BaseException:
        store.close()
        raise
    return store


def _is_served(layout: Layout, generation: str) -> bool:
    return layout.named() == generation


def _orphan(layout: Layout) -> str | None:
    """HEAD is lost: the newest generation that was complete, else the newest."""
    readable = []
    for name in layout.generations():
        try:
            catalog = Catalog.open(layout.metadata / name)
        except StoreDamaged:
            continue
        readable.append((bool(catalog.meta("complete")), name))
        catalog.close()
    complete = [n for done, n in readable if done]
    found = complete or [n for _, n in readable]
    return found[-1] if found else None


def _create(layout: Layout, profile: Profile, first_commit: int) -> Store:
    identity = profile.identity_json()
    embedder = profile.embedder()
    probe = embedder.embed_documents([PROBE])[0]
    meta = {
        "facts": profile.facts_json(),
        "identity": identity,
        "embedding": profile.embedding,
        "environment": json.dumps(dict(embedder.environment()), default=str),
        "dimension": embedder.dimension,
        "probe": probe.tobytes(),
        "complete": 0,
    }
    return Store.create(layout, hashlib.sha256(identity.encode()).hexdigest(), meta, first_commit)


PROBE = "The quick brown fox jumps over the lazy dog. 敏捷的棕色狐狸跳过懒狗。0123456789"
"""Embedded when a generation is made and at each load of the model after that."""


def proved(catalog: Catalog, model: Embedder) -> Embedder:
    """The model, if its probe vector is the one the generation was made with; else raises ModelChanged."""
    import numpy as np

    probe = np.frombuffer(catalog.meta("probe"), dtype=np.float32)
    now = model.embed_documents([PROBE])[0]
    if now.shape != probe.shape or float(np.abs(now - probe).max()) > 0.02:
        raise ModelChanged(
            "The model answers, but with other vectors than the index was made with: it was exchanged under the same name. "
            "Run `indexer repair --rebuild` to embed everything with the new one."
        )
    return model


def _beside(layout: Layout, profile: Profile, served: Store, donor: str | None, rebuild: bool = False) -> Opened:
    """Continue an unfinished generation of this profile, or start one; the served one stays.

    One that was begun before the served generation moved on is not continued: it would show
    less than is shown now, and its commits would have smaller numbers. Its vectors are reused.
    """
    head, identity = served.catalog.head(), profile.identity_json()
    same = comparable(json.loads(served.catalog.meta("facts") or "{}"), json.loads(profile.facts_json()))
    earlier = (served.generation, same) if same and not rebuild else None
    for name in reversed(layout.generations()):
        begun = _begun(layout, name, identity) if name != served.generation else None
        if begun is None:
            continue
        if begun.seeded == head:
            served.close()
            return Opened(begun.store, False, donor, earlier=earlier)
        donor = name if begun.filled else donor
        begun.store.close()
    made = _create(layout, profile, head)
    succession.seed(served.catalog, made.catalog)
    served.close()
    return Opened(made, False, donor, earlier=earlier)


class _Begun(NamedTuple):
    store: Store
    seeded: int | None
    filled: bool


def _begun(layout: Layout, generation: str, identity: str) -> _Begun | None:
    """An unfinished generation of this profile; None when it is something else or damaged."""
    try:
        store = _opened(layout, generation)
    except StoreDamaged:
        return None
    with contextlib.suppress(StoreDamaged):
        meta = store.catalog.meta
        if meta("identity") == identity and not meta("complete"):
            return _Begun(store, meta("seeded"), store.catalog.head() > (meta("first_commit") or 0))
    store.close()
    return None


def _donor(store: Store, profile: Profile) -> str | None:
    """The served generation, when its vectors come from the same model."""
    old = json.loads(store.catalog.meta("identity") or "{}").get("embedding")
    same = old == json.loads(profile.identity_json())["embedding"]
    return store.generation if same else None


def replace_damaged(layout: Layout, profile: Profile, generation: str, why: str) -> Opened:
    """The served catalog does not hold: start from its newest good snapshot, else from nothing.

    The intact vectors of the damaged generation are reused by the hash of their texts, the
    numbers of its commits never. Raises IndexerError when it does hold at a second look: then
    the disk failed once, and the history of a whole catalog is not given up for that.
    """
    if _holds(layout, generation):
        raise IndexerError(
            "The disk failed while {path} was read ({why}), but nothing is damaged. Check the disk and run the update again; the last commit stands.",
            path=str(layout.metadata / generation),
            why=why,
        )
    top = snapshots.highest_commit(layout, generation)
    for snapshot in reversed(snapshots.listed(layout, generation)):
        store = _restored(layout, generation, snapshot)
        if store is not None and store.catalog.meta("identity") == profile.identity_json():
            return Opened(succession.numbered(layout, generation, store), False, generation, why, top)
        if store is not None:
            store.close()
    return Opened(succession.numbered(layout, generation, _create(layout, profile, top + 1)), False, generation, why)


def _holds(layout: Layout, generation: str) -> bool:
    """Whether all but the vectors of a generation proves whole."""
    try:
        store = Store.open(layout, generation)
    except StoreDamaged:
        return False
    try:
        return not any(f.what == CATALOG for f in verify(store, head=False))
    finally:
        store.close()


def _restored(layout: Layout, generation: str, snapshot: snapshots.Snapshot) -> Store | None:
    """A new generation made of a snapshot, if all but its vectors proves whole."""
    if not snapshots.intact(snapshot.folder, vectors=False):
        return None
    name = snapshots.restore(layout, generation, snapshot)
    if _holds(layout, name):
        return _opened(layout, name)
    disk.remove_tree(layout.metadata / name)
    disk.remove_tree(layout.vectorstore / name)
    return None
