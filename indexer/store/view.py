"""What a reader sees of the vectors: live passages and mapped segments, following the commits.

Segments are mapped; between queries only the difference is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import StoreDamaged
from ..tokens import contains, tokens
from . import bm25, disk, vectors
from .catalog import Catalog, stamp
from .texts import Texts
from .vectors import Bitmap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Warn = Callable[[str], None]


class _Segment(NamedTuple):
    index: Any
    texts: Texts


class View:
    """The segments and live passages of one generation as of the commit last followed to."""

    def __init__(self, catalog: Catalog, vectors_folder: Path, texts_folder: Path, warn: Warn) -> None:
        self.catalog, self.warn = catalog, warn
        self.folders = vectors_folder, texts_folder
        self.commit = -1
        self.segments: dict[int, _Segment] = {}
        self.rows: dict[int, tuple[Any, ...]] = {}
        self.live: Bitmap | None = None
        self.version = -1

    def close(self) -> None:
        """Let go of the mapped files."""
        self.segments.clear()

    def bitmap(self) -> Bitmap:
        """An empty one with room for every passage."""
        return Bitmap(max((r[2] for r in self.rows.values()), default=0))

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

    def nearest(self, vector: NDArray[np.float32], k: int, allowed: Bitmap) -> list[tuple[float, int]]:
        """(score, passage) of the best ``k`` of the allowed ones, best first, ties by passage."""
        selector = allowed.selector()
        found: list[tuple[float, int]] = []
        for segment in self.rows:
            if (opened := self._segment(segment)) is not None:
                found += vectors.search(opened.index, vector, k, selector)
        found.sort(key=lambda f: (-f[0], f[1]))
        return found[:k]

    def worded(self, text: str, k: int, allowed: Bitmap) -> list[tuple[float, int]]:
        """(score, passage) of the best ``k`` of the allowed ones by the words of a text, best first, ties by passage."""
        import numpy as np

        keys = np.unique(tokens([text]).keys)
        parts = []
        for segment in self._opened():
            try:
                if (words := segment.texts.words()) is not None:
                    ids = np.array(segment.texts.ids, dtype=np.int64)
                    parts.append(bm25.Part(ids, words, allowed.among(ids)))
            except StoreDamaged as e:
                self.warn(str(e))
        return bm25.best(parts, keys, k)

    def holding(self, phrases: Sequence[str], allowed: Bitmap) -> Bitmap:
        """Those of the allowed passages in which every phrase stands as it is."""
        import numpy as np

        keys = np.unique(tokens(phrases, codes=False).keys)
        found = self.bitmap()
        for segment in self._opened():
            ids = np.array(segment.texts.ids, dtype=np.int64)
            there = allowed.among(ids)
            if (words := segment.texts.words()) is not None:
                for rows, _ in words.postings(keys):
                    there &= np.isin(np.arange(len(ids)), rows, assume_unique=True)
            texts = (
                (int(ids[i]), segment.texts.at(i).decode("utf-8", "replace")) for i in np.flatnonzero(there).tolist()
            )
            kept = [i for i, text in texts if all(contains(text, phrase) for phrase in phrases)]
            found.set(np.array(kept, dtype=np.int64))
        return found

    def _opened(self) -> Iterator[_Segment]:
        return (opened for segment in self.rows if (opened := self._segment(segment)) is not None)

    def cosines(self, vector: NDArray[np.float32], passages: Sequence[int]) -> Mapping[int, float]:
        """How close passages are to a vector, to the last bit as :meth:`nearest` says it."""
        import numpy as np

        wanted = self.bitmap()
        wanted.set(np.array(passages, dtype=np.int64))
        return {passage: score for score, passage in self.nearest(vector, len(passages), wanted)}

    def text(self, passage: int) -> str:
        """A passage as it was embedded; raises KeyError."""
        return self._holding(passage).texts.get(passage)

    def vector(self, passage: int) -> NDArray[np.float32]:
        """A passage's vector, (dimension,) of norm 1; raises KeyError."""
        return vectors.row(self._holding(passage).index, passage)

    def _holding(self, passage: int) -> _Segment:
        for segment, row in self.rows.items():
            if row[1] <= passage <= row[2] and (opened := self._segment(segment)) is not None:
                return opened
        raise KeyError(passage)
