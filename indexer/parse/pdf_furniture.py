"""Headers and footers that pages repeat: found once, on the first page that has them.

A line near the edge of the page is one if it is on most pages, word for word or but for a
number that counts the pages, or if it stands where most pages have such a line and returns on
another page (the chapter's name), and nothing else stands between it and the edge. A page never
loses all its lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from .pdf_chars import Line

MIN_PAGES = 3
MOST = 0.4  # left and right pages may differ, and chapters begin without
EDGE = 0.13  # of the height of the page
LINES = 3  # at each edge
APART = 1.7  # heights between a header and the text under it
SLOT = 0.6  # of the pages have a line in this place
STEP = 6.0  # points: lines so near each other are in the same place

_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"(?:(?<=^)|(?<=\s))(?:[ivxlc]{1,7}|[IVXLC]{1,7})(?=\s*$)|^(?:[ivxlc]{1,7}|[IVXLC]{1,7})(?=\s)")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class Leaf(NamedTuple):
    """A page as it is looked at: its lines, its height in points (0: unknown), whether it may be a scan."""

    lines: list[Line]
    height: float = 0.0
    picture: bool = False


class Edge(NamedTuple):
    """A line near an edge of its page."""

    page: int
    line: int
    key: str
    numbers: tuple[int, ...]
    apart: bool
    slot: tuple[bool, int]


def without_furniture(leaves: Sequence[Leaf]) -> list[list[Line]]:
    """The lines of each page without what other pages before it have said."""
    edges = [edge for page, leaf in enumerate(leaves) for edge in _edges(page, leaf)]
    pages = sum(bool(leaf.lines) for leaf in leaves)
    first: dict[tuple[bool, str], int] = {}
    for same in _repeated(edges, pages):
        first[same[0].slot[0], same[0].key] = min(edge.page for edge in same)
    drop: dict[int, set[int]] = defaultdict(set)
    for (page, top), ordered in groupby(edges, key=lambda edge: (edge.page, edge.slot[0])):
        for edge in takewhile(lambda edge: (top, edge.key) in first, ordered):  # noqa: B023 - used up at once
            if first[top, edge.key] != page:
                drop[page].add(edge.line)
    kept = []
    for page, leaf in enumerate(leaves):
        lines = [line for number, line in enumerate(leaf.lines) if number not in drop[page]]
        kept.append(lines or leaf.lines)
    return kept


def _edges(page: int, leaf: Leaf) -> Iterator[Edge]:
    placed = [(number, line) for number, line in enumerate(leaf.lines) if line.placed and line.turn == 0]
    if not leaf.height or len(placed) < 2:
        return
    from_top = sorted(placed, key=lambda item: -item[1].bottom)
    for top, ordered in ((True, from_top), (False, from_top[::-1])):
        for (number, line), (_, inner) in zip(ordered[:LINES], [*ordered[1:], ordered[-1]], strict=False):
            far = leaf.height - line.bottom - line.height if top else line.bottom
            if far > EDGE * leaf.height:
                break
            apart = abs(line.bottom - inner.bottom) > APART * max(line.height, inner.height) or inner is line
            text = _ROMAN.sub(_in_digits, unicodedata.normalize("NFKC", line.text).strip())
            numbers = tuple(int(found) for found in _NUMBER.findall(text) if len(found) < 7)
            key = _NUMBER.sub("#", "".join(text.split()))
            yield Edge(page, number, key, numbers, apart, (top, round(line.bottom / STEP)))


def _in_digits(roman: re.Match[str]) -> str:
    values = [_VALUES[letter] for letter in roman[0].casefold()]
    return str(sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True)))


def _repeated(edges: list[Edge], pages: int) -> Iterator[list[Edge]]:
    """Edges that say the same."""
    if pages < MIN_PAGES:
        return
    by_key: dict[tuple[bool, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        by_key[edge.slot[0], edge.key].append(edge)
    slots = Counter(edge.slot for edge in edges if edge.apart)
    for same in by_key.values():
        count = len({edge.page for edge in same})
        if (count >= max(MIN_PAGES, MOST * pages) and _alike(same)) or _in_slot(same, count, slots, pages):
            yield same


def _alike(same: list[Edge]) -> bool:
    """Whether they are equal, or differ in a number that counts the pages and stand apart from the text."""
    if len({edge.numbers for edge in same}) == 1 and same[0].key != "#":
        return True
    if not same[0].key.strip("#-–—./|第页共頁"):
        return True
    return _counts(same) and sum(edge.apart for edge in same) >= 0.6 * len(same)


def _counts(same: list[Edge]) -> bool:
    width = min(len(edge.numbers) for edge in same)
    for place in range(width):
        offsets = Counter(edge.numbers[place] - edge.page for edge in same)
        if offsets.most_common(1)[0][1] >= 0.6 * len(same):
            return True
    return False


def _in_slot(same: list[Edge], count: int, slots: Counter[tuple[bool, int]], pages: int) -> bool:
    if count < 2 or pages < 2 * MIN_PAGES or not all(edge.apart for edge in same):
        return False
    equal = len({edge.numbers for edge in same}) == 1 or _counts(same)
    return equal and all(slots[edge.slot] >= SLOT * pages for edge in same)
