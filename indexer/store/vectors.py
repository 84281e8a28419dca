"""Immutable FAISS segments: made once, mapped by readers, never rewritten.

A segment is an ``IndexIDMap2`` over ``IndexFlatIP``; the ids are passage ids. Deletion is a
selector of live ids at search and a physical drop when segments are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import StoreDamaged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Ids = NDArray[np.int64]


def encode(ids: Sequence[int], vectors: Vectors) -> bytes:
    """The bytes of a segment file for (n,) ids and (n, dimension) float32 vectors."""
    import faiss
    import numpy as np

    index = faiss.IndexIDMap2(faiss.IndexFlatIP(vectors.shape[1]))
    index.add_with_ids(np.ascontiguousarray(vectors, dtype=np.float32), np.asarray(ids, dtype=np.int64))
    data: bytes = faiss.serialize_index(index).tobytes()
    return data


def open_segment(path: Path) -> Any:
    """Map a segment: no copy in memory where the platform can map it."""
    import faiss

    try:
        try:
            return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        except UnicodeEncodeError:
            return _read(path)
    except (RuntimeError, OSError) as e:
        if not path.exists():
            raise FileNotFoundError(path) from e
        if not str(path).isascii():
            try:
                return _read(path)  # FAISS opens no non-ASCII path on Windows
            except (RuntimeError, OSError):
                pass
        raise StoreDamaged("The segment {path} is damaged; run `indexer repair`.", path=str(path)) from e


def _read(path: Path) -> Any:
    import faiss
    import numpy as np

    return faiss.deserialize_index(np.frombuffer(path.read_bytes(), dtype=np.uint8))


def content_of(path: Path) -> tuple[Ids, Vectors]:
    """The (n,) ids and (n, dimension) vectors of a segment, copied."""
    import faiss
    import numpy as np

    index = open_segment(path)
    flat = faiss.downcast_index(index.index)
    n = int(index.ntotal)
    ids = np.array(faiss.vector_to_array(index.id_map), dtype=np.int64)
    return ids, np.array(flat.reconstruct_n(0, n), dtype=np.float32).reshape(n, flat.d)


def row(index: Any, passage: int) -> Vectors:
    """The (dimension,) vector under this id; raises KeyError."""
    try:
        found: Vectors = index.reconstruct(passage)
    except RuntimeError as e:  # FAISS' word for an id it does not hold
        raise KeyError(passage) from e
    return found


class Bitmap:
    """A set of passage ids as FAISS wants it: bit ``id & 7`` of byte ``id >> 3``."""

    def __init__(self, top: int) -> None:
        import numpy as np

        self.bits = np.zeros((top >> 3) + 1, dtype=np.uint8)

    def grow(self, top: int) -> None:
        """Make room for ids up to ``top``."""
        import numpy as np

        size = (top >> 3) + 1
        if size > len(self.bits):
            self.bits = np.concatenate([self.bits, np.zeros(size - len(self.bits), dtype=np.uint8)])

    def set(self, ids: Ids) -> None:
        """Add ids."""
        import numpy as np

        np.bitwise_or.at(self.bits, ids >> 3, np.left_shift(1, ids & 7).astype(np.uint8))

    def clear(self, ids: Ids) -> None:
        """Take ids out."""
        import numpy as np

        np.bitwise_and.at(self.bits, ids >> 3, (~np.left_shift(1, ids & 7)).astype(np.uint8))

    def set_range(self, first: int, last: int) -> None:
        """Add all ids of first..last."""
        import numpy as np

        self.set(np.arange(first, last + 1, dtype=np.int64))

    def among(self, ids: Ids) -> NDArray[np.bool_]:
        """Which of these ids are in."""
        import numpy as np

        at = np.minimum(ids >> 3, len(self.bits) - 1)
        found: NDArray[np.bool_] = ((self.bits[at] >> (ids & 7)) & 1).astype(np.bool_) & (ids >> 3 == at)
        return found

    def selector(self) -> Any:
        """A FAISS selector over the bits; keep the bitmap alive while it is used."""
        import faiss

        return faiss.IDSelectorBitmap(self.bits)  # type: ignore[call-arg,arg-type]  # the Python wrapper takes an array


def search(index: Any, vector: Vectors, k: int, selector: Any) -> list[tuple[float, int]]:
    """(score, passage id) of the best ``k`` selected rows, best first. One thread."""
    import faiss

    faiss.omp_set_num_threads(1)  # per thread, or pool threads spin a whole team each
    k = min(k, int(index.ntotal))
    if k < 1:
        return []
    scores, ids = index.search(vector.reshape(1, -1), k, params=faiss.SearchParameters(sel=selector))  # type: ignore[call-arg]  # the wrapper takes fields
    return [(float(s), int(i)) for s, i in zip(scores[0], ids[0], strict=True) if i >= 0]
