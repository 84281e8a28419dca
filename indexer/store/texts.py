"""The texts of a segment's passages and their lexical index: an immutable file beside the catalog.

Kept out of SQLite so that the catalog stays small enough to copy often (measured at 1 M
chunks: 1.55 s against 0.11 s). Layout, little endian: magic, count n, n int64 ids
(ascending), n + 1 uint64 offsets into the UTF-8 bytes that follow; then, from a multiple of
8, the lexical index (:mod:`.words`), which files of catalogs before format 3 do not have.
"""

from __future__ import annotations

import hashlib
import mmap
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import Struct
from struct import error as StructError

from ..core.errors import StoreDamaged
from . import words
from .words import Words

MAGIC = b"idxtext2"
_WITHOUT_WORDS = b"idxtext1"
_HEAD = Struct("<8sQ")
KEY_BYTES = 16


def key_of(text: str) -> bytes:
    """The key of a passage: the first 16 bytes of the SHA-256 of its UTF-8 text."""
    return hashlib.sha256(text.encode()).digest()[:KEY_BYTES]


def encode(ids: Sequence[int], texts: Sequence[bytes]) -> bytes:
    """The file's bytes for ascending ids and their texts."""
    offsets = array("Q", [0])
    at = 0
    for t in texts:
        at += len(t)
        offsets.append(at)
    index = words.encode([t.decode("utf-8", "replace") for t in texts])
    data = (_HEAD.pack(MAGIC, len(ids)), array("q", ids).tobytes(), offsets.tobytes(), *texts, bytes(-at % 8), index)
    return b"".join(data)


class Texts:
    """A mapped text file; look-ups are by binary search and never read the rest.

    Making one raises FileNotFoundError (a merge removed it), StoreDamaged when it is not whole.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open(path, "rb") as f:
                self.map = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
            self._index()
        except FileNotFoundError:
            raise  # merged away: look the segment up anew
        except (OSError, ValueError, TypeError, StructError) as e:
            raise StoreDamaged(
                "The text file {path} is damaged ({why}); run `indexer repair`.", path=str(path), why=str(e)
            ) from e

    def _index(self) -> None:
        view = memoryview(self.map)
        magic, n = _HEAD.unpack_from(view)
        ids_end = _HEAD.size + 8 * n
        self.start = ids_end + 8 * (n + 1)
        if magic not in (MAGIC, _WITHOUT_WORDS) or self.start > len(view):
            raise ValueError("no text file of ours")
        self.ids = view[_HEAD.size : ids_end].cast("q")
        self.offsets = view[ids_end : self.start].cast("Q")
        end = self.start + self.offsets[n]
        if end > len(view) or (magic == _WITHOUT_WORDS and end != len(view)):
            raise ValueError("cut short")
        self.view = view
        self._words_at = end + -end % 8 if magic == MAGIC else None

    def __len__(self) -> int:
        return len(self.ids)

    def at(self, i: int) -> bytes:
        """The i-th text's bytes."""
        return bytes(self.view[self.start + self.offsets[i] : self.start + self.offsets[i + 1]])

    def get(self, passage: int) -> str:
        """The text of one passage; raises KeyError when this segment has none."""
        i = bisect_left(self.ids, passage)
        if i == len(self.ids) or self.ids[i] != passage:
            raise KeyError(passage)
        return self.at(i).decode("utf-8", "replace")

    def words(self) -> Words | None:
        """The lexical index; None where there is none of this version's tokens. Raises StoreDamaged.

        What is returned must be let go of before :meth:`close`.
        """
        return None if self._words_at is None else words.decode(self.view[self._words_at :], len(self))

    def items(self) -> Iterator[tuple[int, bytes]]:
        """(id, text bytes) in order."""
        return ((self.ids[i], self.at(i)) for i in range(len(self.ids)))

    def close(self) -> None:
        """Unmap; views must not be used after."""
        for name in ("ids", "offsets", "view"):
            if (v := getattr(self, name, None)) is not None:
                v.release()
        self.map.close()
