"""Reading order of boxes on a page: cut along the widest white gap, again and again (XY-cut).

The order in the file is the order of drawing, back to front: in real slides a box added last
and moved to the top comes at the end of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

SIMPLE_FROM = 200  # boxes from which only the position decides
DEEPEST = 40


class Box(NamedTuple):
    """A place on the slide (any unit) and the number of the shape that stands there."""

    left: float
    top: float
    right: float
    bottom: float
    shape: int


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """The shapes' numbers, columns read one after the other, rows from top to bottom."""
    if len(boxes) > SIMPLE_FROM:
        return [box.shape for box in sorted(boxes, key=_position)]
    return list(_cut(boxes, 0))


def _position(box: Box) -> tuple[float, float, int]:
    return box.top, box.left, box.shape


def _cut(boxes: Sequence[Box], depth: int) -> Iterator[int]:
    if len(boxes) < 2 or depth > DEEPEST:
        yield from (box.shape for box in sorted(boxes, key=_position))
        return
    rows, row_gap = _groups(boxes, 1)
    columns, column_gap = _groups(boxes, 0)
    if len(rows) == 1 and len(columns) == 1:
        yield from (box.shape for box in sorted(boxes, key=_position))
        return
    # Equal gaps are a grid, which is read like a table.
    by_columns = len(rows) == 1 or (len(columns) > 1 and column_gap > row_gap)
    for group in columns if by_columns else _joined(rows):
        yield from _cut(group, depth + 1)


def _joined(rows: list[list[Box]]) -> Iterator[list[Box]]:
    """Rows that form columns together stay together: a banner above two columns is no row of a table."""
    held = rows[0]
    for row in rows[1:]:
        both = [*held, *row]
        columns, gap = _groups(both, 0)
        between = min(box.top for box in row) - max(box.bottom for box in held)
        # Something must be left to cut off, or the same boxes would come back.
        if len(columns) > 1 and gap > between and len(_groups(held, 0)[0]) > 1 and len(both) < sum(map(len, rows)):
            held = both
        else:
            yield held
            held = row
    yield held


def _groups(boxes: Sequence[Box], axis: int) -> tuple[list[list[Box]], float]:
    """Boxes parted where no box lies along the axis (0 across, 1 down), and the widest gap between them.

    Boxes may touch and overlap by a tenth: text boxes have margins that hold nothing.
    """
    groups: list[list[Box]] = []
    widest, reach, edge = float("-inf"), float("-inf"), float("-inf")
    for box in sorted(boxes, key=lambda b: (b[axis], b.shape)):
        slack = (box[axis + 2] - box[axis]) * 0.1
        if groups and box[axis] + slack < reach:
            groups[-1].append(box)
        else:
            if groups:
                widest = max(widest, box[axis] - edge)
            groups.append([box])
        reach, edge = max(reach, box[axis + 2] - slack), max(edge, box[axis + 2])
    return groups, widest
