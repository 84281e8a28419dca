"""Lines found on a picture, put into reading order and joined to paragraphs.

straighten   a page scanned askew is turned back (only the corners, not the picture)
columns      the gutter that the fewest lines cross; what crosses it stands above or below
rows         pieces at one height are one line; cells of a table stay in their row
paragraphs   a line goes on in the next when the next one's first word had no room on it
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

Corner = tuple[float, float]
_ITEM = re.compile(
    r"[-–—•·●○■□◆◇▪➢✓*]|[（(]?(?:[0-9]{1,3}|[一二三四五六七八九十]{1,3}|[a-zA-Z])[、.．)）]|第[一二三四五六七八九十百零〇0-9]{1,6}[章节条款部编]"
)
_WIDE = re.compile(
    r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6“”‘’…—]"
)
_HYPHEN = re.compile(r"[a-z][-\u2010\u00ad]\Z")


class Line(NamedTuple):
    """A line as found: corners clockwise from the upper left one of its text, text, score."""

    corners: tuple[Corner, ...]
    text: str
    score: float


class Box(NamedTuple):
    """A straightened line."""

    x0: float
    y0: float
    x1: float
    y1: float
    text: str

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


Row = list[Box]


def text(lines: Sequence[Line]) -> str:
    """The text of a page: paragraphs apart by an empty line, "" without lines."""
    boxes = _straightened(lines)
    blocks = [block for column in _columns(boxes) for block in _paragraphs(_rows(column))]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _straightened(lines: Sequence[Line]) -> list[Box]:
    """Axis-parallel boxes after the median slope of the lines is taken out."""
    slopes = [math.atan2(b[1] - a[1], b[0] - a[0]) for a, b, *_ in (line.corners for line in lines) if b[0] - a[0] > 80]
    angle = median(slopes) if slopes else 0.0
    sin, cos = math.sin(-angle), math.cos(-angle)
    made = []
    for line in lines:
        points = [(x * cos - y * sin, x * sin + y * cos) for x, y in line.corners]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        upper, lower = sorted(ys)[:2], sorted(ys)[2:]
        made.append(Box(min(xs), sum(upper) / 2, max(xs), sum(lower) / 2, line.text))
    return made


# ---- columns ---------------------------------------------------------------------------


def _columns(boxes: list[Box], depth: int = 0) -> Iterator[list[Box]]:
    """Groups of boxes, each of one column, in reading order."""
    gutter = _gutter(boxes) if depth < 6 else None
    if gutter is None:
        if boxes:
            yield boxes
        return
    low, high = gutter
    band: list[Box] = []
    crossing: list[Box] = []
    for box in sorted(boxes, key=lambda b: b.middle):
        crosses = box.x0 < high and box.x1 > low
        if not crosses and crossing:
            yield from _columns(crossing, depth + 1)
            crossing = []
        if crosses and band:
            yield from _sides(band, low, depth)
            band = []
        (crossing if crosses else band).append(box)
    yield from _sides(band, low, depth) if band else _columns(crossing, depth + 1)


def _sides(band: list[Box], low: float, depth: int) -> Iterator[list[Box]]:
    yield from _columns([box for box in band if box.x1 <= low], depth + 1)
    yield from _columns([box for box in band if box.x1 > low], depth + 1)


def _gutter(boxes: list[Box]) -> tuple[float, float] | None:
    """The empty stripe between two columns of text, from x to x; None where there is one column."""
    if len(boxes) < 6:
        return None
    unit = median(box.height for box in boxes)
    best: tuple[float, tuple[float, float]] | None = None
    for start in {round(box.x1 / unit * 2) for box in boxes}:
        x = start * unit / 2 + unit / 4
        left, right = [b for b in boxes if b.x1 <= x], [b for b in boxes if b.x0 >= x]
        crossing = len(boxes) - len(left) - len(right)
        if min(len(left), len(right)) < 3 or crossing > len(boxes) * 0.3:
            continue
        stripe = max(b.x1 for b in left), min(b.x0 for b in right)
        value = min(len(left), len(right)) - 2 * crossing + min(3.0, (stripe[1] - stripe[0]) / unit)
        if (
            stripe[1] - stripe[0] >= 0.8 * unit
            and (best is None or value > best[0])
            and _text_columns(left, right, unit)
        ):
            best = value, stripe
    return best[1] if best else None


def _text_columns(left: list[Box], right: list[Box], unit: float) -> bool:
    """Whether two sides are read one after the other: full lines of text, not the cells of a table."""
    return all(_full(side, unit) for side in (left, right))


def _full(side: list[Box], unit: float) -> bool:
    rows = _rows(side)
    width = max(box.x1 for box in side) - min(box.x0 for box in side)
    full = sum(sum(box.x1 - box.x0 for box in row) > 0.75 * width for row in rows)
    return median(box.x1 - box.x0 for box in side) > 6 * unit and full >= max(2, 0.5 * len(rows))


# ---- rows and paragraphs ---------------------------------------------------------------


def _rows(boxes: Iterable[Box]) -> list[Row]:
    """Boxes at the same height in one row, from left to right."""
    rows: list[Row] = []
    for box in sorted(boxes, key=lambda b: b.middle):
        last = rows[-1] if rows else []
        if last and last[0].y0 < box.middle < last[0].y1 and box.y0 < last[0].middle < box.y1:
            last.append(box)
        else:
            rows.append([box])
    return [sorted(row, key=lambda b: b.x0) for row in rows]


def _paragraphs(rows: list[Row]) -> Iterator[str]:
    """The rows of one column: joined, one under the other, or apart."""
    gaps = [max(0.0, b[0].y0 - a[0].y1) for a, b in pairwise(rows)]
    usual = median(gaps) if gaps else 0.0
    edges = min(box.x0 for row in rows for box in row), max(box.x1 for row in rows for box in row)
    made = ""
    for number, row in enumerate(rows):
        line = " ".join(box.text for box in row)
        if number == 0:
            made = line
            continue
        before, height = rows[number - 1], row[0].height
        if gaps[number - 1] > max(0.5 * height, 1.5 * usual + 0.25 * height):
            yield made
            made = line
        elif _goes_on(before, row, edges):
            made = join(made, line)
        else:
            made += "\n" + line
    yield made


def _goes_on(before: Row, row: Row, edges: tuple[float, float]) -> bool:
    """Whether a row is the next line of the same paragraph."""
    if len(before) > 1 or len(row) > 1 or _ITEM.match(row[0].text):
        return False
    (a,), (b,) = before, row
    unit = min(a.height, b.height)
    if max(a.height, b.height) > 1.35 * unit or b.y0 - a.y1 > unit or edges[1] - edges[0] < 8 * unit:
        return False
    below = abs(b.x0 - a.x0) < 0.8 * unit or (b.x0 - edges[0] < 1.2 * unit and a.x0 - b.x0 < 5 * unit)
    return below and edges[1] - a.x1 < _first_word(b) + 0.6 * unit


def _first_word(box: Box) -> float:
    """About how wide the first word is; of Chinese, one character and the mark that must follow it."""
    head = box.text[:2] if _WIDE.match(box.text) else box.text.split(" ", 1)[0] + " "
    return (box.x1 - box.x0) * _units(head) / max(1, _units(box.text))


def _units(string: str) -> int:
    return sum(2 if _WIDE.match(c) else 1 for c in string)


def join(first: str, second: str) -> str:
    """Two lines of a paragraph as one: no space beside Chinese, a word cut by a hyphen made whole."""
    if not first or not second:
        return first + second
    if _WIDE.match(first[-1]) or _WIDE.match(second[0]):
        return first + second
    if _HYPHEN.search(first[-2:]) and second[0].islower():
        return first[:-1] + second
    return f"{first} {second}"
