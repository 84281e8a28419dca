"""One order out of two: reciprocal rank fusion, room for several documents, quoted words. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from .tokens import normal

DEPTH = 100
"""So many passages of each order take part; docs/decisions/012 has the measurements behind these."""
DAMPING = 20.0
IN_A_ROW = 3
"""No more than so many neighbours in the order are of one document, while there are others."""

VECTOR_NAME, LEXICAL_NAME = "vector", "lexical"
T = TypeVar("T")
Scored = tuple[float, int]


class Found(NamedTuple):
    """One passage: its cosine, what it is ordered by, and who found it."""

    passage: int
    score: float
    fused: float = 0.0
    found_by: tuple[str, ...] = ()


def fuse(
    vector: Sequence[Scored], lexical: Sequence[Scored], cosines: Callable[[Sequence[int]], Mapping[int, float]]
) -> list[Found]:
    """Both orders (best first) as one, best first; ``cosines`` gives those of passages only words found.

    Reciprocal ranks; that of the words counts by the root of its share of the best score: one passage that holds
    the code asked for, and a hundred that hold a common word, are not a hundred and one neighbours.
    """
    score = {passage: cosine for cosine, passage in vector}
    by_words = [passage for _, passage in lexical]
    score.update(cosines([p for p in by_words if p not in score]))
    fused: dict[int, float] = {}
    named: dict[int, tuple[str, ...]] = {}
    best = lexical[0][0] if lexical else 1.0
    orders = ((VECTOR_NAME, vector, lambda s: 1.0), (LEXICAL_NAME, lexical, lambda s: (s / best) ** 0.5))
    for name, order, weight in orders:
        for rank, passage, own in _ranks(order):
            fused[passage] = fused.get(passage, 0.0) + weight(own) / (DAMPING + rank)
            named[passage] = (*named.get(passage, ()), name)
    found = [Found(p, score.get(p, 0.0), value, named[p]) for p, value in fused.items()]
    return sorted(found, key=lambda f: (-f.fused, -f.score, f.passage))


def _ranks(order: Sequence[Scored]) -> Iterator[tuple[int, int, float]]:
    """(rank, passage, score) from 1; equals share a rank: which of them stands first is a matter of history."""
    rank, last = 0, None
    for i, (score, passage) in enumerate(order, 1):
        rank, last = (rank if score == last else i), score
        yield rank, passage, score


def spread(items: Iterable[T], of: Callable[[T], Hashable], most: int) -> list[T]:
    """At most so many of each document first, in their order; then the others, in theirs. 0: as they are."""
    first: list[T] = []
    later: list[T] = []
    seen: dict[Hashable, int] = {}
    for item in items:
        document = of(item)
        seen[document] = seen.get(document, 0) + 1
        (first if not most or seen[document] <= most else later).append(item)
    return first + later


def mixed(items: Iterable[T], of: Callable[[T], Hashable]) -> list[T]:
    """The same items, never more than IN_A_ROW of one document while there is another: the next best goes first."""
    waiting, out = [(of(item), item) for item in items], list[T]()
    last: Hashable = None
    length = 0
    while waiting:
        full = length == IN_A_ROW
        at = next((i for i, (document, _) in enumerate(waiting) if document != last), 0) if full else 0
        document, item = waiting.pop(at)
        length = length + 1 if out and document == last else 1
        last = document
        out.append(item)
    return out


# A mark in front of a letter of a word, or behind one, opens or closes nothing: 5" is five inches.
_QUOTED = re.compile(r'(?<![0-9A-Za-z])"([^"]*)"(?![0-9A-Za-z])')
_SAYS = re.compile(r"\w")


def quoted(question: str) -> tuple[str, ...]:
    """What stands in straight quotation marks and says something: it must be found exactly."""
    return tuple(dict.fromkeys(p for p in map(normal, _QUOTED.findall(question)) if _SAYS.search(p.replace("_", ""))))
