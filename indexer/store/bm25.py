"""How well passages match the words of a question: BM25 over the lexical indexes of the segments.

Counted over the passages that may be returned and no others, so the same folder gives the same
order whatever its history, and however its passages are parted into segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .words import Words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..tokens import Numbers

K1, B = 1.2, 0.75  # as everywhere (Lucene, SQLite); docs/decisions/012 has what others gave


class Part(NamedTuple):
    """One segment: its passage ids, its lexical index, and which of its rows may be returned."""

    ids: NDArray[np.int64]
    words: Words
    allowed: NDArray[np.bool_]


def best(parts: Sequence[Part], keys: Numbers, k: int) -> list[tuple[float, int]]:
    """(score, passage) of the best ``k`` that hold a token and of all that equal the last, best first, ties by passage.

    Which of equals come first is a matter of history, so none of them is left out.
    """
    import numpy as np

    count = sum(int(part.allowed.sum()) for part in parts)
    if not count or not len(keys) or k < 1:
        return []
    mean = sum(int(part.words.lengths[part.allowed].sum(dtype=np.int64)) for part in parts) / count
    mean = mean or 1.0  # marks alone are no tokens
    held = [_held(part, keys) for part in parts]
    frequencies = np.sum([h.counts for h in held], axis=0, dtype=np.float64)
    weights = np.log1p((count - frequencies + 0.5) / (frequencies + 0.5))
    found = [f for part, own in zip(parts, held, strict=True) for f in _scored(part, own, weights, mean, k)]
    found.sort(key=lambda f: (-f[0], f[1]))
    least = found[k - 1][0] if len(found) > k else 0.0
    return [f for f in found if f[0] >= least]


class _Held(NamedTuple):
    """The postings of the question's tokens in one segment, token after token."""

    rows: NDArray[np.intp]
    times: NDArray[np.uint8]
    counts: NDArray[np.intp]


def _held(part: Part, keys: Numbers) -> _Held:
    import numpy as np

    postings = part.words.postings(keys)
    rows = np.concatenate([rows for rows, _ in postings]).astype(np.intp)
    times = np.concatenate([times for _, times in postings])
    counts = np.array([len(rows) for rows, _ in postings])
    if len(rows) and int(rows.max()) >= len(part.allowed):  # a damaged file; `verify` says so, a search goes on
        return _Held(rows[:0], times[:0], np.zeros_like(counts))
    if not part.allowed.all():
        kept = part.allowed[rows]
        counts = np.bincount(np.repeat(np.arange(len(keys)), counts)[kept], minlength=len(keys))
        rows, times = rows[kept], times[kept]
    return _Held(rows, times, counts)


def _scored(part: Part, held: _Held, weights: Any, mean: float, k: int) -> list[tuple[float, int]]:
    """The best of one segment, and all that equal the last of them."""
    import numpy as np

    damping = K1 * (1 - B + B * part.words.lengths / mean)
    worth = np.repeat(weights, held.counts) * held.times * (K1 + 1) / (held.times + damping[held.rows])
    scores = np.bincount(held.rows, worth, minlength=len(part.ids))
    there = np.flatnonzero(scores)
    if len(there) > k:
        least = np.partition(scores[there], -k)[-k]
        there = there[scores[there] >= least]
    return list(zip(scores[there].tolist(), part.ids[there].tolist(), strict=True))
