"""The reader: follows commits, never waits for a writer, never returns what is deleted.

Each query runs in one SQLite read transaction, so commit, live ids, segments and documents
belong together; :mod:`.store.view` follows the commits.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .care import snapshots
from .core.errors import IndexerError, StoreDamaged, UsageError
from .core.model import Filters, Hit, Key
from .fusion import DEPTH, LEXICAL_NAME, VECTOR_NAME, Found, fuse, mixed, quoted, spread
from .hits import Maker, Placed, placed
from .scope import NONE, Scope, scope, time_ns, visible
from .store.catalog import Catalog
from .store.local import Layout
from .store.view import View, Warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .store.vectors import Bitmap

Only = Callable[["Reader", "int | None"], "Bitmap"]
"""Passages to choose from, given the reader and the commit searched (None: the newest)."""


class _Question(NamedTuple):
    vector: NDArray[np.float32] | None
    text: str
    per_document: int


def _document(row: Placed) -> Key:
    return row.key


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
        self, vector: NDArray[np.float32] | None, k: int, *, text: str = "", as_of: str = "", only: Only | None = None,
        filters: Filters = NONE, per_document: int = 0,
    ) -> list[Hit]:  # fmt: skip
        """The best ``k`` chunks, best first; ties in the order of path and place.

        By meaning with a ``vector``, by words with a ``text``, by both with both; then what stands in
        straight quotation marks must be found exactly. ``as_of``: a commit number or an ISO time.
        ``only`` names the passages to choose from, in the same view. ``per_document``: see
        :func:`.fusion.spread` (0: :func:`.fusion.mixed`, where both took part). A segment that a merge removed meanwhile is simply looked up anew.
        """
        for last in (False, False, True):
            try:
                with self.catalog.db.read():
                    self.view.follow()
                    at = self.commit_of(as_of) if as_of else None
                    within = scope(self.view, at, filters, only(self, at) if only else None)
                    if text and (phrases := quoted(text)):
                        within = within._replace(passages=self.view.holding(phrases, within.passages))
                    return self._hits(_Question(vector, text, per_document), k, within)
            except FileNotFoundError as e:
                self.view.version = -1
                if last:
                    raise StoreDamaged("The segment {path} is missing; run `indexer repair`.", path=str(e)) from e
        return []

    def _hits(self, question: _Question, k: int, within: Scope) -> list[Hit]:
        """The fused head in its order, then whatever else there is: asking for more never changes what comes first."""
        head = self._head(question, within)
        rows = placed(self.catalog, head, within)
        rows = spread(rows, _document, question.per_document) if question.per_document else mixed(rows, _document)
        want = max(k, len(head))
        while len(rows) < k:
            more = self._plain(question, want, within)
            known = {f.passage for f in head}
            rest = placed(self.catalog, [f for f in more if f.passage not in known], within)
            # a passage is shared by documents and a document filter may drop some of them
            if len(rows) + len(rest) >= k or len(more) < want:
                rows += rest
                break
            want *= 4
        commit = self.commit if within.at is None else within.at
        return Maker(self.catalog, self.view, commit).hits(rows[:k])

    def _head(self, question: _Question, within: Scope) -> list[Found]:
        """What is fused or spread over documents: so many of each order, whatever is asked for."""
        vector, text, per_document = question
        if vector is not None and text:
            nearest = self.view.nearest(vector, DEPTH, within.passages)
            worded = self.view.worded(text, DEPTH, within.passages)
            return fuse(nearest, worded, lambda passages: self.view.cosines(vector, passages))
        return self._plain(question, DEPTH, within) if per_document else []

    def _plain(self, question: _Question, want: int, within: Scope) -> list[Found]:
        """The best by one order: the meaning where there is a vector."""
        if question.vector is not None:
            nearest = self.view.nearest(question.vector, want, within.passages)
            return [Found(p, score, found_by=(VECTOR_NAME,)) for score, p in nearest]
        worded = self.view.worded(question.text, want, within.passages)
        return [Found(p, 0.0, score, (LEXICAL_NAME,)) for score, p in worded]

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
