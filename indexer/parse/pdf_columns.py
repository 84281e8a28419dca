"""Columns that a file draws line by line across the page, put one after the other.

Most files draw a column to its end before the next: their order is left alone. Where the lines
of two columns come in pairs, a stripe that no line of the pairs crosses parts them, and both
sides are full lines of running text; the cells of a table are short, or begin anew in each row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from .pdf_chars import Cell, Line

MIN_PAIRS = 5
MIN_LETTERS = 14  # of a side of a pair, in the median; a Chinese character counts twice
MAX_DEPTH = 3  # up to four columns and a little more

_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]")
_GOES_ON = re.compile("[a-zß-ÿ\u2e80-\ua4cf\uac00-\ud7a3]")


def in_reading_order(lines: list[Line], depth: int = 0) -> list[Line]:
    """The lines of a page; columns drawn side by side come one after the other."""
    stripe = _stripe(lines) if depth < MAX_DEPTH else None
    if stripe is None:
        return lines
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in lines:
        sides = _sides(line, stripe) if line.turn == 0 else None
        if sides is None:  # a heading over both columns, or a label at the side
            ordered += [*in_reading_order(left, depth + 1), *in_reading_order(right, depth + 1), line]
            left, right = [], []
            continue
        for side, cells in ((left, sides[0]), (right, sides[1])):
            if cells:
                side.append(_of(line, cells))
    return [*ordered, *in_reading_order(left, depth + 1), *in_reading_order(right, depth + 1)]


def _stripe(lines: list[Line]) -> float | None:
    """Where a column ends and the next begins; None where no text runs in columns side by side."""
    pairs = [(line, gap) for line in lines if line.turn == 0 for gap in _gaps(line)]
    if len(pairs) < MIN_PAIRS:
        return None
    unit = median(line.height for line, _ in pairs)
    middles = {round((low + high) / 2 / unit) * unit for _, (low, high) in pairs}
    best = max(middles, key=lambda x: (sum(low < x < high for _, (low, high) in pairs), -x))
    halves = [sides for line in lines if line.turn == 0 and (sides := _sides(line, best)) and all(sides)]
    crossing = sum(line.turn == 0 and _sides(line, best) is None for line in lines)
    if len(halves) < MIN_PAIRS or crossing > len(halves):
        return None
    return best if all(_running([half[side] for half in halves]) for side in (0, 1)) else None


def _gaps(line: Line) -> Iterator[tuple[float, float]]:
    for first, second in pairwise(line.cells):
        yield first.right, second.left


def _sides(line: Line, x: float) -> tuple[list[Cell], list[Cell]] | None:
    """The cells on both sides of a stripe; None where one crosses it."""
    cells = line.cells or (Cell(line.text, line.left, line.right),)
    if any(cell.left < x < cell.right for cell in cells):
        return None
    return [cell for cell in cells if cell.right <= x], [cell for cell in cells if cell.left >= x]


def _running(side: list[list[Cell]]) -> bool:
    """Whether one side of the pairs is running text: full lines that go on in the next."""
    texts = [" ".join(cell.text for cell in cells) for cells in side]
    if median(len(text) + len(_WIDE.findall(text)) for text in texts) < MIN_LETTERS:
        return False
    start, end = min(cells[0].left for cells in side), max(cells[-1].right for cells in side)
    full = sum(cells[-1].right - cells[0].left > 0.8 * (end - start) for cells in side)
    going_on = sum(_GOES_ON.match(text) is not None for text in texts)
    return full >= 0.6 * len(side) and going_on >= 0.45 * len(side)


def _of(line: Line, cells: list[Cell]) -> Line:
    text = " ".join(cell.text for cell in cells)
    return line._replace(
        text=text, left=cells[0].left, right=cells[-1].right, cells=tuple(cells) if len(cells) > 1 else ()
    )
