"""What stands around the rows of a sheet: hidden columns before them; merged cells, filter and the like after them.

These are looked for in the bytes before the rows are read, since a row cannot be written before
it is known which of its cells are covered, and where a header ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .sheet_layout import MOST_HEADERS

MOST_FRAME = 32 << 20  # bytes kept before and after the rows
MOST_MERGES = 200_000
_END = re.compile(rb"</(?:\w+:)?sheetData\s*>|<(?:\w+:)?sheetData\s*/>")
_USUAL = re.compile(
    rb"(?i)(?:\xef\xbb\xbf)?\s*(?:<\?xml(?![^>]*encoding=)[^>]*>|<\?xml[^>]*encoding=.utf-8.[^>]*>)?\s*<[a-z]"
)
_OVERLAP = 40  # bytes in which the end may be cut by the edge of a block
_REF = rb'ref\s*=\s*["\']\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?["\']'
_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?" + _REF)
_FILTER = re.compile(rb"<(?:\w+:)?autoFilter\s[^<>]*?" + _REF)
_COLUMN = re.compile(rb"<(?:\w+:)?col\s([^<>]*+)>")
_ATTRIBUTE = re.compile(rb'(\w+)\s*=\s*["\']([^"\'<>]*)["\']')
_HEADER_FOOTER = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)\b[^<>]*>([^<>]*+)<")


class Area(NamedTuple):
    """A rectangle of cells; rows from 1, columns from 0, both ends included."""

    left: int
    top: int
    right: int
    bottom: int


class Frame(NamedTuple):
    """``filtered``: rows may be hidden by a filter, which is a view and no deletion."""

    hidden: tuple[tuple[int, int], ...]
    merges: tuple[Area, ...]
    filter: Area | None
    filtered: bool
    margins: tuple[str, ...]  # header and footer codes
    filled: bool  # whether there are rows at all
    plain: bool = False  # UTF-8 without comments, CDATA and document types: see `xlsx_pieces`

    def reach(self) -> Mapping[int, int]:
        """For each row in which merged cells begin, the last row of a header that begins there."""
        reach: dict[int, int] = {}
        for area in self.merges:
            last = area.bottom if area.bottom > area.top else area.top + (area.right > area.left)
            if last < area.top + MOST_HEADERS:
                reach[area.top] = max(last, reach.get(area.top, 0))
        return reach


def read_frame(blocks: Iterable[bytes]) -> Frame:
    """The frame of a sheet part, whose rows pass by unread."""
    head, tail, size, ended = b"", b"", 0, False
    plain, edge = True, b""
    for block in blocks:
        plain = plain and b"<!" not in block and edge + block[:1] != b"<!"
        edge = block[-1:]
        if len(head) < 1 << 20 and b"<row" not in head:
            head += block
        size += len(block)
        tail += block
        if not ended:
            found = _END.search(tail, max(0, tail.find(b"sheetData") - 12)) if b"sheetData" in tail else None
            ended = found is not None
            tail = tail[found.start() if found else -_OVERLAP :]
        tail = tail[:MOST_FRAME]
    start = head.find(b"sheetData")
    filled = re.search(rb"<(?:\w+:)?(?:row|c)[\s>/]", head[start:]) is not None or size > len(head)
    frame = _frame(head[: start if start >= 0 else len(head)], tail if ended else b"", filled)
    return frame._replace(plain=plain and _USUAL.match(head) is not None and b"<sheetData>" in head)


def _frame(head: bytes, tail: bytes, filled: bool) -> Frame:
    merges: list[Area] = []
    for found in _MERGE.finditer(tail):
        if (area := _area(found)) is not None and len(merges) < MOST_MERGES:
            merges.append(area)
    filters = _FILTER.search(tail)
    return Frame(
        tuple(_hidden(head)),
        tuple(merges),
        _area(filters) if filters else None,
        b"filterColumn" in tail or b"filterMode=" in head,
        tuple(dict.fromkeys(_text(found[1]) for found in _HEADER_FOOTER.finditer(tail))),
        filled,
    )


def _hidden(head: bytes) -> Iterable[tuple[int, int]]:
    """Ranges of columns that are hidden; a collapsed outline is a view and no deletion."""
    for found in _COLUMN.finditer(head):
        attributes = {key: value.decode() for key, value in _ATTRIBUTE.findall(found[1]) if value.isascii()}
        first, last = attributes.get(b"min", ""), attributes.get(b"max", "")
        if attributes.get(b"hidden", "0").lower() not in ("1", "true") or attributes.get(b"outlineLevel", "0") != "0":
            continue
        if first.isdecimal() and last.isdecimal() and len(first) < 7 and len(last) < 7:
            yield int(first) - 1, int(last) - 1


def _area(found: re.Match[bytes]) -> Area | None:
    left, top, right, bottom = found.groups()
    if right is None:
        return None
    area = Area(column_number(left.decode()), int(top), column_number(right.decode()), int(bottom))
    return area if area.left <= area.right and area.top <= area.bottom else None


def column_number(letters: str) -> int:
    """The number, from 0, of a column named by letters."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _text(raw: bytes) -> str:
    from html import unescape  # the five entities of XML are among HTML's

    return unescape(raw.decode("utf-8", "replace"))
