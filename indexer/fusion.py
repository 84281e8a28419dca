"""One order out of two: reciprocal rank fusion, room for several documents, quoted words. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from .tokens import normal

DEPTH = 100
"""So many passages of each order take part; docs/decisions/012 has the measurements behind these three."""
DAMPING = 60.0
LEXICAL = 1.0  # the weight of the words against the meaning's 1

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
    """Both orders (best first) as one, best first; ``cosines`` gives those of passages only words found."""
    score = {passage: cosine for cosine, passage in vector}
    by_words = [passage for _, passage in lexical]
    score.update(cosines([p for p in by_words if p not in score]))
    fused: dict[int, float] = {}
    named: dict[int, tuple[str, ...]] = {}
    for weight, name, order in ((1.0, VECTOR_NAME, [p for _, p in vector]), (LEXICAL, LEXICAL_NAME, by_words)):
        for rank, passage in enumerate(order, 1):
            fused[passage] = fused.get(passage, 0.0) + weight / (DAMPING + rank)
            named[passage] = (*named.get(passage, ()), name)
    found = [Found(p, score.get(p, 0.0), value, named[p]) for p, value in fused.items()]
    return sorted(found, key=lambda f: (-f.fused, -f.score, f.passage))


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


# A mark in front of a letter of a word, or behind one, opens or closes nothing: 5" is five inches.
_QUOTED = re.compile(r'(?<![0-9A-Za-z])"([^"]*)"(?![0-9A-Za-z])')
_SAYS = re.compile(r"\w")


def quoted(question: str) -> tuple[str, ...]:
    """What stands in straight quotation marks and says something: it must be found exactly."""
    return tuple(dict.fromkeys(p for p in map(normal, _QUOTED.findall(question)) if _SAYS.search(p.replace("_", ""))))
