"""What a table looks like: which of its first rows are titles, which are the header.

The same for every kind of sheet. A program that marks its tables says so in `Hints`; all others
are judged by their first rows, as a reader does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

LOOK = 12  # rows in which a header is looked for
LONGEST_TITLE = 80  # characters; a longer line is text
LONGEST_HEADER = 60  # characters of one header cell
MOST_HEADERS = 4  # rows of one header

_DATA = re.compile(
    r"[-+(<>~≈ ¥￥$€£]*+(?:[A-Z]{3} )?+\d[-+\d.,:/% ()‰E元年月日时分秒]*+(?: [AP]M)?+|TRUE|FALSE|#[A-Z/0]++[!?A]?+"
)
_NOTE = re.compile(
    r"(?i)(?:备注|附注|注|说明|来源|资料来源|数据来源|notes?|remarks?|sources?)\s{0,3}[0-9]{0,2}[:：.、]"
)
_PERIOD = re.compile(
    r"(?:19|20)\d\d(?: ?年度?)?|(?:(?:19|20)\d\d ?[-./年] ?)?(?:1[0-2]|0?[1-9]) ?月份?|(?:19|20)\d\d[-./](?:1[0-2]|0?[1-9])"
)


class Row(NamedTuple):
    """A row that shows something: number from 1, text by column (from 0, in order), and whether its type is bold."""

    number: int
    cells: Mapping[int, str]
    bold: bool = False


class Hints(NamedTuple):
    """What the file itself says: rows that are headers, and down to which row a header goes that begins in one."""

    headers: Set[int] = frozenset()
    reach: Mapping[int, int] = {}


class Layout(NamedTuple):
    """Where in the first rows of a table its parts begin: titles, then other lines, the header, the body."""

    titles: int
    header: int
    body: int


class Above(NamedTuple):
    """The table above, which rows after an empty one may go on with."""

    columns: frozenset[int]
    data: frozenset[int]  # columns that hold numbers, dates and the like
    header: bool


def is_data(text: str) -> bool:
    """Whether a cell holds a number, an amount, a date, a truth value or an error."""
    return len(text) < LONGEST_HEADER and _DATA.fullmatch(text) is not None


def data_columns(rows: Sequence[Row]) -> frozenset[int]:
    """The columns in which the rows hold data."""
    return frozenset(column for row in rows for column, text in row.cells.items() if is_data(text))


def read_layout(rows: Sequence[Row], hints: Hints, above: Above | None) -> Layout | None:
    """The parts of a table by its first rows; None when they go on with the table above."""
    header = _find_header(rows, hints, above)
    titles = _titles(rows[: len(rows) if header is None else header])
    if header is not None:
        return Layout(titles, header, _header_end(rows, header, hints))
    if above is not None and _goes_on(rows, above):
        return None
    start = titles if any(len(row.cells) > 1 for row in rows) else 0
    return Layout(start, start, start)


def only_titles(rows: Sequence[Row]) -> bool:
    """Whether the rows are at most three short lines, as stand above a table."""
    return len(rows) <= 3 and _titles(rows) == len(rows)


def is_lone_header(rows: Sequence[Row], above: Above | None) -> bool:
    """Whether a row on its own, with an empty one after it, may be the header of what follows."""
    if len(rows) != 1 or len(rows[0].cells) < 2 or not _looks_like_header(rows[0]):
        return False
    return above is None or not above.columns.issuperset(rows[0].cells) or bool(above.data.intersection(rows[0].cells))


def _titles(rows: Sequence[Row]) -> int:
    count = 0
    for row in rows[:LOOK]:
        text = next(iter(row.cells.values()))
        if (
            len(row.cells) > 1
            or len(text) > LONGEST_TITLE
            or is_data(text)
            or _NOTE.match(text)
            or text[-1] in "。.;；!！?？"
        ):
            break
        count += 1
    return count


def _find_header(rows: Sequence[Row], hints: Hints, above: Above | None) -> int | None:
    for i, row in enumerate(rows[:LOOK]):
        if row.number in hints.headers:
            return i
    widest = max(len(row.cells) for row in rows)
    if widest < 2 or len(rows) < 2:
        return None
    passed = False
    for i, row in enumerate(rows[: min(LOOK, len(rows) - 1)]):
        width = len(row.cells)
        if width < 2 or width * 5 < widest * 3 or (passed and width < widest):
            continue
        if _looks_like_header(row):
            return None if above is not None and _is_body_of(above, row, rows[i + 1]) else i
        if width == widest:
            return None
        passed = True
    return None


def _looks_like_header(row: Row) -> bool:
    data = [text for text in row.cells.values() if is_data(text) and not _PERIOD.fullmatch(text)]
    if any(len(text) > LONGEST_HEADER for text in row.cells.values()):
        return False
    return not data or (len(data) < len(row.cells) and _counts_up(data))


def _counts_up(texts: Sequence[str]) -> bool:
    """Days of a month or numbers of columns: 1, 2, 3 ..."""
    if len(texts) < 3 or not all(text.isdecimal() and len(text) < 4 for text in texts):
        return False
    return all(int(b) == int(a) + 1 for a, b in pairwise(texts))


def _is_body_of(above: Above, row: Row, following: Row) -> bool:
    """Whether a row of words only goes on with the table above: its columns hold words there, and it looks like the rest."""
    if not above.header or not above.columns.issuperset(row.cells) or above.data.intersection(row.cells):
        return False
    return row.bold == following.bold


def _header_end(rows: Sequence[Row], header: int, hints: Hints) -> int:
    """A header goes on where its own merged cells reach down, and in rows the file marks as header."""
    number = rows[header].number
    last = min(hints.reach.get(number, number), number + MOST_HEADERS - 1)
    end = header + 1
    while end < len(rows) and end - header < MOST_HEADERS:
        row = rows[end]
        if not (row.number <= last or row.number in hints.headers):
            break
        if row.number not in hints.headers and not _looks_like_header(row):
            break
        last = max(last, min(hints.reach.get(row.number, 0), number + MOST_HEADERS - 1))
        end += 1
    return end


def _goes_on(rows: Sequence[Row], above: Above) -> bool:
    widest = max(len(row.cells) for row in rows)
    return (widest > 1 or len(above.columns) == 1) and all(above.columns.issuperset(row.cells) for row in rows)
