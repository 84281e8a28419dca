"""Adding and deleting by id: the same lock, store and commit as an update, on the served generation.

What is new is embedded before the lock is taken, so that a long embedding blocks nobody.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ..care import generations, handmade, upkeep
from ..care.handmade import Made
from ..care.own_run import next_run, record
from ..core.errors import Busy, IndexerError
from ..store import disk
from ..store.author import Author
from ..store.batch import Batch
from ..store.local import Store
from ..store.lock import writer_lock
from ..store.texts import key_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..api import KnowledgeBase

_TRIGGER = "langchain"
NOBODY = Author()
"""Nobody is named: it is the user of this process."""

_RETRY_SECONDS = 0.05


class _Prepared(NamedTuple):
    """Vectors made before the lock was taken, for one generation (None: no generation yet)."""

    generation: str | None
    vectors: Mapping[bytes, NDArray[np.float32]]


def put(kb: KnowledgeBase, made: Sequence[Made], wait_seconds: float, author: Author = NOBODY) -> None:
    """Add or replace documents. Up to ``batch_passages`` of them are one commit: all or none.

    Raises Busy when another process writes for longer than ``wait_seconds``, EmbeddingFailed
    or DiskFull before anything of the commit is visible.
    """
    for i in range(0, len(made), kb.settings.batch_passages):
        part = made[i : i + kb.settings.batch_passages]
        prepared = _prepare(kb, part)
        with _session(kb, wait_seconds, author) as session:
            batch = handmade.upsert(session.store, session.source, part, session.run, session.at, _TRIGGER)
            if batch.texts:
                batch.vectors = _vectors(kb, session.store, batch.texts, prepared)
            session.commit(batch)


def drop(kb: KnowledgeBase, ids: Sequence[str] | None, wait_seconds: float, author: Author = NOBODY) -> None:
    """Take documents out, all of them for None; ids that are not there are passed over."""
    if kb.layout.served() is None:
        return
    with _session(kb, wait_seconds, author) as session:
        session.commit(handmade.removals(session.store, session.source, ids, session.run, session.at, _TRIGGER))


# ---- the writer's side ------------------------------------------------------------------


class _Session:
    """One writer under the lock; a run of its own in the records once it commits."""

    def __init__(self, kb: KnowledgeBase, store: Store) -> None:
        self.kb, self.store, self.at = kb, store, time.time_ns()
        self.source = handmade.source_of(store)
        self.run = next_run(store.catalog)

    def commit(self, batch: Batch) -> None:
        """Publish, then record the run and keep the store small; nothing at all for an empty batch.

        What fails after the publishing is only warned of: the documents are there.
        """
        if not batch:
            return
        settings = self.kb.settings
        disk.require_room(self.kb.layout.vectorstore, len(batch.texts) * 8192, settings.min_free_mb)
        upkeep.before_first_write(self.store, settings, self.at)
        self.store.add_documents(batch)
        try:
            self._record(batch)
            while upkeep.merge(self.store):
                pass
            upkeep.sweep(self.store)
        except (IndexerError, OSError) as e:
            self.kb.warn(str(e))

    def _record(self, batch: Batch) -> None:
        gone = sum(s.content is None for s in batch.settled)
        report = {"added": len(batch.settled) - gone, "deleted": gone, "embedded": len(batch.texts)}
        record(self.store, self.run, (self.at, time.time_ns()), report)


@contextmanager
def _session(kb: KnowledgeBase, wait_seconds: float, author: Author) -> Iterator[_Session]:
    if any(s.name == handmade.SOURCE for s in kb.settings.sources):
        raise handmade.reserved()
    with writer_lock(kb.layout.lock, "langchain", _patience(wait_seconds)):
        store = _open(kb)
        store.author = author.named()._replace(trigger=_TRIGGER)
        try:
            yield _Session(kb, store)
        finally:
            store.close()


def _patience(wait_seconds: float) -> Callable[[Busy], None]:
    """Wait for another writer at most so long, then say who it is."""
    until = time.monotonic() + wait_seconds

    def wait(busy: Busy) -> None:
        if time.monotonic() >= until:
            raise busy
        time.sleep(_RETRY_SECONDS)

    return wait


def _open(kb: KnowledgeBase) -> Store:
    """The served generation, whatever is configured by now; the first one when there is none."""
    if (served := kb.layout.served()) is not None:
        return Store.open(kb.layout, served)
    world = kb.world()
    try:
        opened = generations.resolve(kb.layout, world.profile)
    finally:
        world.parser.close()
    if kb.layout.served() is None:
        kb.layout.serve(opened.store.generation)
    return opened.store


# ---- vectors ------------------------------------------------------------------------------


def _prepare(kb: KnowledgeBase, made: Sequence[Made]) -> _Prepared:
    """Embed what the served generation does not hold, without holding the lock."""
    import numpy as np

    texts = {key_of(m.text): m.text for m in made}
    served, catalog = kb.layout.served(), kb.catalog()
    if catalog is not None:
        try:
            for known in catalog.passages(list(texts)):
                texts.pop(known)
        finally:
            catalog.close()
    rows = kb.model().embed_documents(list(texts.values())) if texts else np.empty((0, 0), np.float32)
    return _Prepared(served, dict(zip(texts, rows, strict=True)))


def _vectors(kb: KnowledgeBase, store: Store, texts: Mapping[bytes, str], prepared: _Prepared) -> Any:
    """One row a text; embedded here only if another generation took over, or a merge dropped a passage meanwhile."""
    import numpy as np

    model = generations.proved(store.catalog, kb.model(store.catalog))
    same = prepared.generation is None or prepared.generation == store.generation
    have = prepared.vectors if same else {}
    missing = [k for k in texts if k not in have]
    made = dict(zip(missing, model.embed_documents([texts[k] for k in missing]), strict=True)) if missing else {}
    return np.stack([have[k] if k in have else made[k] for k in texts])
