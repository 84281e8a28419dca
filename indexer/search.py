"""The reader: follows commits, never waits for a writer, never returns what is deleted.

Each query runs in one SQLite read transaction, so commit, live ids, segments and documents
belong together. Segments are mapped; between queries only the difference is taken.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .core.errors import StoreDamaged, UsageError
from .core.model import Hit, Key, display, unraw
from .store import disk, snapshots, vectors
from .store.catalog import Catalog, Spans, stamp, unpack_ids
from .store.local import Layout
from .store.schema import HOLDS
from .store.texts import Texts
from .store.vectors import Bitmap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Warn = Callable[[str], None]
Only = Callable[["Reader", "int | None"], Bitmap]
"""Passages to choose from, given the reader and the commit searched (None: the newest)."""


class _Segment(NamedTuple):
    index: Any
    texts: Texts


class Reader:
    """Searches over one generation; not shared between threads."""

    def __init__(
        self, catalog: Catalog, vectors_folder: Path, texts_folder: Path, warn: Warn = lambda text: None
    ) -> None:
        self.catalog, self.warn = catalog, warn
        self.folders = vectors_folder, texts_folder
        self.commit = -1
        self.segments: dict[int, _Segment] = {}
        self.rows: dict[int, tuple[Any, ...]] = {}
        self.live: Bitmap | None = None
        self.version = -1

    def close(self) -> None:
        """Let go of the catalog and the mapped files."""
        self.catalog.close()
        self.segments.clear()

    # ---- following -----------------------------------------------------------------

    def follow(self) -> None:
        """Take over what changed since the last query (inside the caller's read)."""
        db = self.catalog.db
        version = db.value("PRAGMA data_version")
        head = self.catalog.head()
        if version == self.version and self.live is not None:
            return
        if self.live is not None and self.commit < int(self.catalog.meta("oldest") or 0):
            # asleep past the retention: what came back meanwhile is on record no more
            self.live, self.rows = None, {}
            self.segments.clear()
        rows = {
            r[0]: r
            for r in db.all(
                "SELECT id,first,last,vectors_sha,texts_sha,vectors_stamp,texts_stamp FROM segment ORDER BY first"
            )
        }
        for gone in self.rows.keys() - rows.keys():
            self.segments.pop(gone, None)
        fresh = [r for i, r in rows.items() if i not in self.rows]
        self.rows = rows
        self._liveness(head, fresh)
        self.commit, self.version = head, version

    def _liveness(self, head: int, fresh: Sequence[tuple[Any, ...]]) -> None:
        import numpy as np

        db = self.catalog.db
        top = max((r[2] for r in self.rows.values()), default=0)
        first = self.live is None
        live = self.live = self.live or Bitmap(top)
        live.grow(top)
        for row in fresh:
            live.set_range(row[1], row[2])
        # a fresh segment may be a merge of older ones, so all of its dead ids count, not only the new
        since = -1 if first or fresh else self.commit
        dead = [p for (p,) in db.all("SELECT id FROM passage WHERE dead>?", (since,))]
        live.clear(np.array(dead, dtype=np.int64))
        if not first:
            back = [
                p
                for (p,) in db.all(
                    "SELECT passage FROM revival JOIN passage ON id=passage WHERE at>? AND dead IS NULL", (self.commit,)
                )
            ]
            live.set(np.array(back, dtype=np.int64))

    def _segment(self, segment: int) -> _Segment | None:
        if segment not in self.segments:
            row = self.rows[segment]
            vector_path, text_path = (
                f / f"{segment:06d}{s}" for f, s in zip(self.folders, (".faiss", ".texts"), strict=True)
            )
            try:
                self._prove(vector_path, row[3], row[5])
                self._prove(text_path, row[4], row[6])
                self.segments[segment] = _Segment(vectors.open_segment(vector_path), Texts(text_path))
            except StoreDamaged as e:
                self.warn(str(e))
                return None
        return self.segments[segment]

    def _prove(self, path: Path, sha: bytes, known: str) -> None:
        if stamp(path) != known and disk.sha256(path) != sha:
            raise StoreDamaged("The segment {path} is damaged; run `indexer repair`.", path=str(path))

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
                    self.follow()
                    at = self.commit_of(as_of) if as_of else None
                    return self._hits(vector, k, at, inside, only(self, at) if only else None)
            except FileNotFoundError as e:
                self.version = -1
                if last:
                    raise StoreDamaged("The segment {path} is missing; run `indexer repair`.", path=str(e)) from e
        return []

    def _hits(self, vector: NDArray[np.float32], k: int, at: int | None, inside: str, only: Bitmap | None) -> list[Hit]:
        if only is None:
            only = self._allowed(at, inside) if at is not None or inside or self.live is None else self.live
        want = k
        while True:
            found = self._nearest(vector, want, only)
            hits = self._resolve(found, at, inside)
            # a passage is shared by documents and a document filter may drop some of them
            if len(hits) >= k or len(found) < want:
                return hits[:k]
            want *= 4

    def _nearest(self, vector: NDArray[np.float32], k: int, allowed: Bitmap) -> list[tuple[float, int]]:
        selector = allowed.selector()
        found: list[tuple[float, int]] = []
        for segment in self.rows:
            if (opened := self._segment(segment)) is not None:
                found += vectors.search(opened.index, vector, k, selector)
        found.sort(key=lambda f: (-f[0], f[1]))
        return found[:k]

    def _allowed(self, at: int | None, inside: str) -> Bitmap:
        """Passages of the documents visible at a commit and matching a pattern."""
        import numpy as np

        allowed = Bitmap(max((r[2] for r in self.rows.values()), default=0))
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
            text = self._text(passage)
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
        start, end, headings, page = unpacked.spans[unpack_ids(ids).index(passage)]
        return Hit(
            Key(source, unraw(path)), text, score, unpacked.headings[headings], page or None, start, end, title or "",
            self.commit if at is None else at, sha[:32].hex(), passage, self._metadata(details),
        )  # fmt: skip

    @staticmethod
    def _metadata(details: str | None) -> Mapping[str, Any]:
        from .store.handmade import metadata_of

        return metadata_of(details)

    def _text(self, passage: int) -> str:
        for segment, row in self.rows.items():
            if row[1] <= passage <= row[2] and (opened := self._segment(segment)) is not None:
                return opened.texts.get(passage)
        raise KeyError(passage)

    # ---- times and lists -----------------------------------------------------------

    def commit_of(self, as_of: str) -> int:
        """The commit that a number or an ISO time names; raises UsageError."""
        db = self.catalog.db
        oldest, head = int(self.catalog.meta("oldest") or 0), self.catalog.head()
        if as_of.isdigit():
            n = int(as_of)
        else:
            n = int(db.value("SELECT max(n) FROM log WHERE at<=?", (_time_ns(as_of),)) or 0)
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


def _time_ns(text: str) -> int:
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
        catalog = Catalog.open(layout.metadata / generation, readonly=True)
    except StoreDamaged as e:
        if layout.served() != generation:
            return open_reader(layout, warn)  # not damaged: another generation took its place
        return _from_snapshot(layout, generation, e, warn), generation
    return Reader(catalog, layout.vectorstore / generation, layout.metadata / generation / "texts", warn), generation


def _from_snapshot(layout: Layout, generation: str, damage: StoreDamaged, warn: Warn) -> Reader:
    for snapshot in reversed(snapshots.listed(layout, generation)):
        try:
            catalog = Catalog.open(snapshot.folder, readonly=True)
        except StoreDamaged:
            continue
        warn(f"{damage} Answers come from the snapshot of commit {snapshot.commit}.")
        return Reader(catalog, snapshot.folder, snapshot.folder / "texts", warn)
    raise damage


__all__ = ["UTC", "Reader", "display", "matches", "open_reader"]
