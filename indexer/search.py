"""The reader: follows commits, never waits for a writer, never returns what is deleted.

Each query runs in one SQLite read transaction, so commit, live ids, segments and documents
belong together; :mod:`.store.view` follows the commits.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import names
from .care import snapshots
from .core.errors import IndexerError, StoreDamaged, UsageError
from .core.model import Hit, Key, unraw
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
        self, vector: NDArray[np.float32], k: int, *, inside: str = "", as_of: str = "", only: Only | None = None
    ) -> list[Hit]:
        """The best ``k`` chunks, best first; ties in the order of path and place.

        ``inside``: a glob over ``source/path`` or path. ``as_of``: a commit number or an ISO
        time. ``only`` names the passages to choose from, in the same view. A segment that a
        merge removed meanwhile is simply looked up anew.
        """
        for last in (False, False, True):
            try:
                with self.catalog.db.read():
                    self.view.follow()
                    at = self.commit_of(as_of) if as_of else None
                    return self._hits(vector, k, at, inside, only(self, at) if only else None)
            except FileNotFoundError as e:
                self.view.version = -1
                if last:
                    raise StoreDamaged("The segment {path} is missing; run `indexer repair`.", path=str(e)) from e
        return []

    def _hits(self, vector: NDArray[np.float32], k: int, at: int | None, inside: str, only: Bitmap | None) -> list[Hit]:
        if only is None:
            only = self._allowed(at, inside) if at is not None or inside or self.view.live is None else self.view.live
        want = k
        while True:
            found = self.view.nearest(vector, want, only)
            hits = self._resolve(found, at, inside)
            # a passage is shared by documents and a document filter may drop some of them
            if len(hits) >= k or len(found) < want:
                return hits[:k]
            want *= 4

    def _allowed(self, at: int | None, inside: str) -> Bitmap:
        """Passages of the documents visible at a commit and matching a pattern."""
        import numpy as np

        allowed = self.view.bitmap()
        contents = {c for c, _, _ in self._visible(at, inside)}
        for (blob,) in self.catalog.db.among("SELECT passages FROM content WHERE id IN ({})", sorted(contents)):
            allowed.set(np.frombuffer(blob, dtype=np.int64))
        return allowed

    def _visible(self, at: int | None, inside: str) -> Iterator[tuple[int, str, bytes]]:
        """(content, source, path) of every document with a chunk, visible at a commit (None: the newest)."""
        shown, args = _shown(at)
        sql = (
            "SELECT v.content,s.name,d.path FROM version v JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source "
            f"JOIN content c ON c.id=v.content WHERE length(c.passages)>0 AND {shown}"
        )
        for content, source, path in self.catalog.db.all(sql, args):
            if not inside or matches(inside, source, unraw(path)):
                yield content, source, path

    def _resolve(self, found: Sequence[tuple[float, int]], at: int | None, inside: str) -> list[Hit]:
        places = self._places([p for _, p in found], at)
        hits = []
        for score, passage in found:
            text = self.view.text(passage)
            for source, path, content in places.get(passage, ()):
                if not inside or matches(inside, source, unraw(path)):
                    hits.append(self._hit(score, passage, text, source, path, self._content(content), at))
        hits.sort(key=lambda h: (-h.score, h.key, h.start))
        return hits

    def _places(self, passages: Sequence[int], at: int | None) -> Mapping[int, list[tuple[str, bytes, int]]]:
        shown, args = _shown(at)
        sql = (
            f"SELECT p.id,s.name,d.path,v.content FROM passage p CROSS JOIN occurrence o ON {HOLDS.format(passage='p.id')} "
            "JOIN version v ON v.content=o.content JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source "
            f"WHERE p.id IN ({{}}) AND {shown}"
        )
        places: dict[int, list[tuple[str, bytes, int]]] = {}
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
        return sorted({Key(s, unraw(p)) for _, s, p in self._visible(at, "")})


def _shown(at: int | None) -> tuple[str, tuple[int, ...]]:
    return ("v.removed IS NULL", ()) if at is None else ("v.added<=? AND (v.removed IS NULL OR v.removed>?)", (at, at))


def time_ns(text: str) -> int:
    """An ISO time (of this machine's zone where it names none) in ns; raises UsageError."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError as e:
        raise UsageError(
            "{text} is neither a commit number nor a time such as 2026-11-30 or 2026-11-30T02:00.", text=text
        ) from e
    return int((when if when.tzinfo else when.astimezone()).timestamp() * 1e9)


def matches(pattern: str, source: str, path: str) -> bool:
    """Whether a glob (``*`` crosses folders) or a folder name matches a document."""
    full = f"{source}/{path}"
    return any(
        fnmatch.fnmatchcase(x, pattern) or x == pattern or x.startswith(pattern.rstrip("/") + "/") for x in (path, full)
    )


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
