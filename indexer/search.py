"""The reader: follows commits, never waits for a writer, never returns what is deleted.

Each query runs in one SQLite read transaction, so commit, live ids, segments and documents
belong together; :mod:`.store.view` follows the commits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import names
from .care import snapshots
from .core.errors import IndexerError, StoreDamaged, UsageError
from .core.model import Filters, Hit, Key, unraw
from .scope import NONE, Scope, scope, shown, time_ns, visible
from .store.catalog import Catalog, Spans, unpack_ids
from .store.local import Layout
from .store.schema import HOLDS
from .store.view import View, Warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .store.vectors import Bitmap

Only = Callable[["Reader", "int | None"], "Bitmap"]
"""Passages to choose from, given the reader and the commit searched (None: the newest)."""


class Reader:
    """Searches over one generation; not shared between threads."""

    def __init__(
        self, catalog: Catalog, vectors_folder: Path, texts_folder: Path, warn: Warn = lambda text: None
    ) -> None:
        self.catalog = catalog
        self.view = View(catalog, vectors_folder, texts_folder, warn)

    @property
    def commit(self) -> int:
        """The newest commit this reader has followed to."""
        return self.view.commit

    def close(self) -> None:
        """Let go of the catalog and the mapped files."""
        self.catalog.close()
        self.view.close()

    # ---- searching -----------------------------------------------------------------

    def search(
        self, vector: NDArray[np.float32], k: int, *, as_of: str = "", only: Only | None = None, filters: Filters = NONE
    ) -> list[Hit]:
        """The best ``k`` chunks, best first; ties in the order of path and place.

        ``as_of``: a commit number or an ISO time. ``only`` names the passages to choose from, in
        the same view. A segment that a merge removed meanwhile is simply looked up anew.
        """
        for last in (False, False, True):
            try:
                with self.catalog.db.read():
                    self.view.follow()
                    at = self.commit_of(as_of) if as_of else None
                    return self._hits(vector, k, scope(self.view, at, filters, only(self, at) if only else None))
            except FileNotFoundError as e:
                self.view.version = -1
                if last:
                    raise StoreDamaged("The segment {path} is missing; run `indexer repair`.", path=str(e)) from e
        return []

    def _hits(self, vector: NDArray[np.float32], k: int, within: Scope) -> list[Hit]:
        want = k
        while True:
            found = self.view.nearest(vector, want, within.passages)
            hits = self._resolve(found, within)
            # a passage is shared by documents and a document filter may drop some of them
            if len(hits) >= k or len(found) < want:
                return hits[:k]
            want *= 4

    def _resolve(self, found: Sequence[tuple[float, int]], within: Scope) -> list[Hit]:
        places = self._places([p for _, p in found], within.at)
        hits = []
        for score, passage in found:
            text = self.view.text(passage)
            for document, source, path, content in places.get(passage, ()):
                if within.documents is None or document in within.documents:
                    hits.append(self._hit(score, passage, text, source, path, self._content(content), within.at))
        hits.sort(key=lambda h: (-h.score, h.key, h.start))
        return hits

    def _places(self, passages: Sequence[int], at: int | None) -> Mapping[int, list[tuple[int, str, bytes, int]]]:
        where, args = shown(at)
        sql = (
            f"SELECT p.id,d.id,s.name,d.path,v.content FROM passage p CROSS JOIN occurrence o ON {HOLDS.format(passage='p.id')} "
            "JOIN version v ON v.content=o.content JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source "
            f"WHERE p.id IN ({{}}) AND {where}"
        )
        places: dict[int, list[tuple[int, str, bytes, int]]] = {}
        for i in range(0, len(passages), 400):
            for passage, *rest in self.catalog.db.among(
                sql.replace("{}", ",".join("?" * len(passages[i : i + 400]))) + " AND 1 IN ({})",
                [1],
                [*passages[i : i + 400], *args],
            ):
                places.setdefault(passage, []).append(tuple(rest))
        return places

    def _content(self, content: int) -> tuple[Any, ...]:
        row = self.catalog.db.one("SELECT sha,title,spans,passages,details FROM content WHERE id=?", (content,))
        if row is None:
            raise StoreDamaged("The catalog names a content it does not hold; run `indexer repair`.")
        return row

    def _hit(
        self, score: float, passage: int, text: str, source: str, path: bytes, content: tuple[Any, ...], at: int | None
    ) -> Hit:
        sha, title, spans, ids, details = content
        unpacked = Spans.unpack(spans)
        start, end, where, page = unpacked.spans[unpack_ids(ids).index(passage)]
        headings, place = unpacked.places[where]
        named = names.shown(title or "", details, unraw(path))
        return Hit(
            Key(source, unraw(path)), text, score, headings, page or None, start, end, named.title,
            self.commit if at is None else at, sha[:32].hex(), passage, self._metadata(details), place, named.label,
        )  # fmt: skip

    @staticmethod
    def _metadata(details: str | None) -> Mapping[str, Any]:
        from .care.handmade import metadata_of

        return metadata_of(details)

    # ---- times and lists -----------------------------------------------------------

    def commit_of(self, as_of: str) -> int:
        """The commit that a number or an ISO time names; raises UsageError."""
        db = self.catalog.db
        oldest, head = int(self.catalog.meta("oldest") or 0), self.catalog.head()
        if as_of.isdigit():
            n = int(as_of)
        else:
            n = int(db.value("SELECT max(n) FROM log WHERE at<=?", (time_ns(as_of),)) or 0)
        first = int(db.value("SELECT min(n) FROM log") or 0)
        if not max(oldest, first) <= n <= head:
            raise UsageError(
                "There is no commit {n} to go back to: {first} to {head} can be searched.",
                n=n,
                first=max(oldest, first),
                head=head,
            )
        return n

    def documents(self, at: int | None = None) -> list[Key]:
        """Every document a search could return at a commit."""
        return sorted({row.key for row in visible(self.catalog, at)})


def open_reader(layout: Layout, warn: Warn = lambda text: None) -> tuple[Reader, str]:
    """The served generation's reader, or its newest good snapshot's when the catalog is damaged.

    Returns the reader and the generation's name. Raises StoreDamaged when neither opens.
    """
    generation = layout.served()
    if generation is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    try:
        catalog = _opened(layout.metadata / generation)
    except IndexerError as e:
        if layout.served() != generation:
            return open_reader(layout, warn)  # not damaged: another generation took its place
        if not isinstance(e, StoreDamaged):
            raise
        return from_snapshot(layout, generation, e, warn), generation
    return Reader(catalog, layout.vectorstore / generation, layout.metadata / generation / "texts", warn), generation


def _opened(folder: Path) -> Catalog:
    """The catalog; one that does not hold is looked at twice, as a disk that fails once gives SQLite pages it takes for damaged."""
    try:
        return Catalog.open(folder, readonly=True)
    except StoreDamaged:
        return Catalog.open(folder, readonly=True)


def from_snapshot(layout: Layout, generation: str, damage: StoreDamaged, warn: Warn) -> Reader:
    """The reader of the newest snapshot that opens; raises the damage when none does."""
    for snapshot in reversed(snapshots.listed(layout, generation)):
        try:
            catalog = Catalog.open(snapshot.folder, readonly=True)
        except StoreDamaged:
            continue
        warn(f"{damage} Answers come from the snapshot of commit {snapshot.commit}.")
        return Reader(catalog, snapshot.folder, snapshot.folder / "texts", warn)
    raise damage
