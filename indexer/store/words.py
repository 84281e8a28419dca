"""The lexical index of a segment: for each token the passages that hold it. A part of the segment's text file.

Written once with the texts it is made of and proved by the same hash, so it can be neither ahead of
them nor behind (docs/decisions/012 says why it is not a table of the catalog). Layout, little endian,
from a multiple of 8: magic, tokeniser's version, width of a row, counts of tokens and postings; then
lengths (n uint32), tokens (uint64, ascending), offsets (uint32), rows (uint16 or uint32), times (uint8).
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import StoreDamaged
from ..tokens import VERSION, tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..tokens import Numbers

    Found = NDArray[np.intp]

MAGIC = b"idxword1"
_HEAD = Struct("<8sIIQQ")
_SLICE = 2048  # texts made into tokens at once: what a commit needs of memory stays small
_MOST = 255  # times a token counts in one passage


class Words(NamedTuple):
    """The arrays of one segment, mapped."""

    lengths: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    offsets: NDArray[np.uint32]
    rows: NDArray[np.unsignedinteger[Any]]
    times: NDArray[np.uint8]

    def postings(self, keys: Numbers) -> list[tuple[NDArray[Any], NDArray[np.uint8]]]:
        """(rows, times) of each token in the order given; empty for one that does not occur."""
        import numpy as np

        at = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        found = self.keys[at] == keys if len(self.keys) else np.zeros(len(keys), dtype=np.bool_)
        spans = [
            (int(self.offsets[i]), int(self.offsets[i + 1])) if yes else (0, 0)
            for i, yes in zip(at, found, strict=True)
        ]
        return [(self.rows[a:b], self.times[a:b]) for a, b in spans]


def encode(texts: Sequence[str]) -> bytes:
    """The lexical index of a segment's texts, in their order."""
    import numpy as np

    slices = [_slice(texts[i : i + _SLICE], i) for i in range(0, len(texts), _SLICE)]
    keys, rows, times = (np.concatenate(part) for part in zip(*(s[:3] for s in slices), strict=True))
    bits = len(texts).bit_length()
    keys, low = in_order(keys, rows.astype(np.uint64) << np.uint64(8) | times, bits + 8)
    rows, times = low >> np.uint64(8), low.astype(np.uint8)
    starts = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
    width = 2 if len(texts) <= 1 << 16 else 4
    head = _HEAD.pack(MAGIC, VERSION, width, len(starts), len(rows))
    lengths = np.concatenate([s[3] for s in slices])
    parts = (
        lengths.astype("<u4"), keys[starts].astype("<u8"), np.append(starts, len(rows)).astype("<u4"),
        rows.astype(f"<u{width}"), times,
    )  # fmt: skip
    return b"".join((head, *(_padded(p.tobytes()) for p in parts)))


def _slice(texts: Sequence[str], base: int) -> tuple[Any, Any, Any, Any]:
    """(tokens, rows, times) of some texts, each pair once, by token; and the texts' lengths in tokens."""
    import numpy as np

    keys, rows = tokens(texts)
    lengths = np.bincount(rows, minlength=len(texts))
    keys, rows = in_order(keys, rows.astype(np.uint64), len(texts).bit_length())
    first = np.ones(len(keys), dtype=np.bool_)
    first[1:] = (np.diff(keys) != 0) | (np.diff(rows) != 0)
    starts = np.flatnonzero(first)
    times = np.minimum(np.diff(starts, append=len(keys)), _MOST).astype(np.uint8)
    return keys[starts], (rows[starts] + base).astype(np.uint32), times, lengths


def in_order(keys: NDArray[np.uint64], low: NDArray[np.uint64], bits: int) -> tuple[Any, Any]:
    """The pairs (key, low) in their order; ``low`` < 2**bits.

    Numbers are sorted ten times as fast as the positions of numbers, so both go into one where they fit; where
    they do not, the key's rank does.
    """
    import numpy as np

    by, mask = np.uint64(bits), np.uint64((1 << bits) - 1)
    fits = keys >> np.uint64(64 - bits) == 0
    packed = np.sort(keys[fits] << by | low[fits])
    large, rest = keys[~fits], low[~fits]
    order = np.argsort(large)
    large = large[order]
    changes = np.diff(large, prepend=large[:1]) != 0
    ranked = np.sort(np.cumsum(changes, dtype=np.uint64) << by | rest[order])
    distinct = np.concatenate([large[:1], large[changes]])
    found = np.concatenate([packed >> by, distinct[ranked >> by]])
    return found, np.concatenate([packed & mask, ranked & mask])


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def decode(view: memoryview, n: int) -> Words | None:
    """The index at the end of a text file of ``n`` texts; None for another tokeniser's; raises StoreDamaged."""
    import numpy as np

    try:
        magic, version, width, tokens_, postings = _HEAD.unpack_from(view)
        if magic != MAGIC or width not in (2, 4):
            raise ValueError("no lexical index of ours")
        at, arrays = _HEAD.size, []
        for count, kind in (
            (n, "<u4"),
            (tokens_, "<u8"),
            (tokens_ + 1, "<u4"),
            (postings, f"<u{width}"),
            (postings, "u1"),
        ):
            array = np.frombuffer(view, dtype=kind, count=count, offset=at)
            arrays.append(array)
            at += array.nbytes + -array.nbytes % 8
    except (StructError, ValueError, OverflowError, MemoryError) as e:
        raise StoreDamaged("A lexical index is damaged ({why}); run `indexer repair`.", why=str(e)) from e
    return Words(*arrays) if version == VERSION else None
