"""Texts and vectors of passages by their ids, over every segment a catalog names.

For what is read outside a search: documents by id, vectors of hits, exports, carrying over.
Files are opened when first needed and stay open, so a merge that removes them takes nothing
away from a reading that has begun.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..core.errors import StoreDamaged
from . import disk, vectors
from .catalog import Catalog, stamp
from .texts import Texts

if TYPE_CHECKING:
    from .vectors import Vectors


class _Row(NamedTuple):
    first: int
    last: int
    segment: int
    vectors: tuple[bytes, str]
    texts: tuple[bytes, str]


class Passages:
    """Look-ups by passage id; make it inside the catalog's ``read()`` that named the ids.

    Every look-up raises KeyError for an id no segment holds, FileNotFoundError when a merge
    removed the segment before it was opened (read again), StoreDamaged for a damaged file.
    """

    def __init__(self, catalog: Catalog, vectors_folder: Path, texts_folder: Path) -> None:
        sql = "SELECT first,last,id,vectors_sha,vectors_stamp,texts_sha,texts_stamp FROM segment ORDER BY first"
        self._rows = [_Row(r[0], r[1], r[2], (r[3], r[4]), (r[5], r[6])) for r in catalog.db.all(sql)]
        self._firsts = [r.first for r in self._rows]
        self._folders = vectors_folder, texts_folder
        self._texts: dict[int, Texts] = {}
        self._vectors: dict[int, Any] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unmap everything."""
        self._vectors.clear()
        self._open.close()

    def open_all(self) -> None:
        """Open every segment now, so that nothing can be missing later."""
        for row in self._rows:
            self._text_file(row)
            self._vector_file(row)

    def text(self, passage: int) -> str:
        """The text of a passage."""
        return self._text_file(self._row(passage)).get(passage)

    def vector(self, passage: int) -> Vectors:
        """(dimension,) float32, a copy."""
        row = self._row(passage)
        ids = self._text_file(row).ids  # both files of a segment hold the same ids in the same order
        at = bisect_left(ids, passage)
        if at == len(ids) or ids[at] != passage:
            raise KeyError(passage)
        found: Vectors = self._vector_file(row).reconstruct(at)
        return found

    def _row(self, passage: int) -> _Row:
        at = bisect_right(self._firsts, passage) - 1
        if at < 0 or passage > self._rows[at].last:
            raise KeyError(passage)
        return self._rows[at]

    def _text_file(self, row: _Row) -> Texts:
        if row.segment not in self._texts:
            path = self._folders[1] / f"{row.segment:06d}.texts"
            _prove(path, *row.texts)
            texts = self._texts[row.segment] = Texts(path)
            self._open.callback(texts.close)
        return self._texts[row.segment]

    def _vector_file(self, row: _Row) -> Any:
        """The flat index inside a segment; the segment is kept alive with it."""
        if row.segment not in self._vectors:
            import faiss

            path = self._folders[0] / f"{row.segment:06d}.faiss"
            _prove(path, *row.vectors)
            segment = vectors.open_segment(path)
            flat = faiss.downcast_index(segment.index)
            if int(flat.ntotal) != len(self._text_file(row)):
                raise StoreDamaged("The segment {path} is damaged; run `indexer repair`.", path=str(path))
            self._vectors[row.segment] = _Flat(segment, flat)
        return self._vectors[row.segment]


class _Flat(NamedTuple):
    segment: Any
    flat: Any

    @property
    def ntotal(self) -> int:
        return int(self.flat.ntotal)

    def reconstruct(self, at: int) -> Any:
        return self.flat.reconstruct(at)


def _prove(path: Path, sha: bytes, known: str) -> None:
    if stamp(path) != known and disk.sha256(path) != sha:
        raise StoreDamaged("The segment {path} is damaged; run `indexer repair`.", path=str(path))
