"""Rows of a sheet to sections: tables found by their empty rows, each row group with the header as its lead.

Rows come as a stream and leave as groups of at most 50 rows, so a sheet of any length costs the
memory of one group. Empty rows are never seen here; columns without text are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from indexer.core.errors import ParseRefused
from indexer.core.model import Kind, Section
from indexer.core.tables import ParseLimits

from .sheet_layout import Above, Hints, Row, data_columns, is_lone_header, only_titles, read_layout

BETWEEN = " | "
GROUP_ROWS = 50
GROUP_CHARS = 4000
HEADING = 60  # characters up to which a title is a heading
NO_HINTS = Hints()
DEFAULT_NAME = re.compile(r"(?i)(?:sheet|工作表|シート|tabelle|feuil|hoja|foglio|лист|planilha|blad|ark)\s?\d{0,3}")
"""Names that programs give to sheets by themselves."""


class Room:
    """How much text a file may still give; one for all its sheets."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limit = limits.output_chars
        self._used = 0

    def charge(self, size: int) -> None:
        """Counts characters of text. ParseRefused when they are more than the limit."""
        self._used += size
        if self._used > self._limit:
            raise ParseRefused(
                "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                limit=self._limit,
            )


def one_line(text: str) -> str:
    """A cell's text on one line."""
    if "\n" in text or "\t" in text or "\r" in text or "\v" in text or "\f" in text:
        return " ".join(text.split())
    return text.strip()


def column_name(column: int) -> str:
    """The letters of a column counted from 0."""
    name = ""
    column += 1
    while column:
        column, digit = divmod(column - 1, 26)
        name = chr(65 + digit) + name
    return name


def table_sections(rows: Iterable[Row], room: Room, name: str = "", hints: Hints = NO_HINTS) -> Iterator[Section]:
    """The sections of one sheet; ``name`` is its heading, "" for none. Rows have at least one cell each."""
    sheet = _Sheet(name, hints, room)
    region: list[Row] = []
    fresh = True
    last = 0
    for row in rows:
        if region and (row.number != last + 1 or len(region) == GROUP_ROWS):
            yield from sheet.take(region, fresh)
            region, fresh = [], row.number != last + 1
        elif row.number != last + 1:
            fresh = True
        last = row.number
        region.append(row)
    if region:
        yield from sheet.take(region, fresh)
    yield from sheet.end()


class _Sheet:
    """The table being written: its titles and header, its columns so far, the rows not yet given out."""

    def __init__(self, name: str, hints: Hints, room: Room) -> None:
        self._name = name
        self._said = False  # the sheet's name stands above its first table
        self._hints = hints
        self._room = room
        self._held: list[Row] = []  # lines that may be the title of the table to come
        self._titles: list[Row] = []
        self._top: list[Row] = []  # titles that still have to be written
        self._header: list[Row] = []
        self._columns: list[int] = []
        self._data: frozenset[int] = frozenset()
        self._rows: list[Row] = []
        self._size = 0
        self._begun = True  # whether the current table has given out a group
        self._kind: Kind = "table"

    def take(self, rows: list[Row], fresh: bool) -> Iterator[Section]:
        """Rows without a gap between them; ``fresh`` when an empty row was before."""
        if fresh:
            hinted = any(row.number in self._hints.headers for row in rows)
            if not hinted and (only_titles(rows) or is_lone_header(rows, self._above())):
                yield from self._hold(rows)
                return
            rows = self._under_held(rows)
            layout = read_layout(rows, self._hints, self._above())
            if layout is not None:
                yield from self._flush()
                yield from self._start(rows, layout.titles, layout.header, layout.body)
                rows = rows[layout.body :]
        for row in rows:
            yield from self._add(row)

    def _under_held(self, rows: list[Row]) -> list[Row]:
        """The rows with the header that stood above them on its own, if they have none and fit under it."""
        held = self._held
        columns = frozenset(held[-1].cells) if held else frozenset()
        if len(columns) < 2 or not all(columns.issuperset(row.cells) for row in rows):
            return rows
        own = read_layout(rows, self._hints, None)
        if own is not None and own.header < own.body:
            return rows
        self._held = []
        return [*held, *rows]

    def end(self) -> Iterator[Section]:
        """What is still held back."""
        yield from self._flush()
        held, self._held = self._held, []
        if held:
            yield from self._lines(held)

    def _hold(self, rows: list[Row]) -> Iterator[Section]:
        """Keeps what may belong to the table to come; a header on its own joins the title above it."""
        yield from self._flush()
        held, self._held = self._held, []
        if held and (len(rows[0].cells) == 1 or len(held[-1].cells) > 1):
            yield from self._lines(held)
            held = []
        self._held = [*held, *rows]

    def _lines(self, rows: list[Row]) -> Iterator[Section]:
        """Rows that are no table: words on their own."""
        yield from self._start(rows, 0, 0, 0)
        for row in rows:
            yield from self._add(row)
        yield from self._flush()

    def _above(self) -> Above | None:
        if not self._columns or self._held:
            return None
        return Above(frozenset(self._columns), self._data, bool(self._header))

    def _start(self, rows: list[Row], titles: int, header: int, body: int) -> Iterator[Section]:
        """A new table: its titles stand before every group, what is between them and the header once."""
        wide = any(len(row.cells) > 1 for row in self._held)
        if self._held and (wide or header == body):  # what was held is a text of its own
            held, self._held = self._held, []
            yield from self._lines(held)
        self._titles = self._top = [*self._held, *rows[:titles]]
        self._held = []
        self._header, self._rows, self._columns = [], [], []
        self._begun = False
        self._kind = "text" if header == body and all(len(row.cells) == 1 for row in rows) else "table"
        if titles < header:
            self._rows = rows[titles:header]
            yield from self._flush()
            self._top, self._columns, self._begun = [], [], False
        self._header = rows[header:body]
        self._learn(self._header)
        self._data = data_columns(rows[body:])

    def _add(self, row: Row) -> Iterator[Section]:
        self._rows.append(row)
        self._size += sum(map(len, row.cells.values()))
        if len(self._rows) >= GROUP_ROWS or self._size >= GROUP_CHARS:
            yield from self._flush()

    def _learn(self, rows: Sequence[Row]) -> None:
        known = set(self._columns)
        new = {column for row in rows for column in row.cells if column not in known}
        if new:
            self._columns = sorted(known | new)

    def _flush(self) -> Iterator[Section]:
        """One section of the rows so far; the first of a table begins with its lead."""
        shown = self._rows if self._begun else [*self._top, *self._header, *self._rows]
        if not shown:
            return
        self._learn(self._rows)
        names = [self._name] if self._name and (self._begun or not self._said) else []
        titles = map(_title, self._titles if self._begun else self._top)
        lead = [*names, *titles, *map(self._line, self._header)]
        text = [*([] if self._begun else lead), *map(self._line, self._rows)]
        section = _section(shown, text, lead, self._headings(), self._kind)
        self._room.charge(len(section.text))
        self._rows, self._size, self._begun, self._said = [], 0, True, True
        yield section

    def _headings(self) -> tuple[str, ...]:
        title = _title(self._titles[0]) if self._titles else ""
        return tuple(heading for heading in (self._name, title if len(title) <= HEADING else "") if heading)

    def _line(self, row: Row) -> str:
        cells = row.cells
        if len(cells) == len(self._columns):
            return BETWEEN.join(cells.values())
        line: list[str] = []
        filled = 0
        for column in self._columns:
            text = cells.get(column, "")
            line.append(text)
            if text:
                filled = len(line)
        return BETWEEN.join(line[:filled])


def _title(row: Row) -> str:
    return next(iter(row.cells.values()))


def _section(
    rows: Sequence[Row], text: Sequence[str], lead: Sequence[str], headings: tuple[str, ...], kind: Kind
) -> Section:
    first = min(next(iter(row.cells)) for row in rows)
    last = max(next(reversed(list(row.cells))) for row in rows)
    place = f"{column_name(first)}{rows[0].number}:{column_name(last)}{rows[-1].number}"
    front = "".join(f"{line}\n" for line in lead)
    return Section("".join(f"{line}\n" for line in text), headings, None, kind, place, front)


def first_title(sections: Sequence[Section], names: set[str]) -> str:
    """The title above the first table, for a document without a title of its own; ``names`` are those of its sheets."""
    headings = [heading for section in sections[:1] for heading in section.headings if heading not in names]
    return headings[0] if headings else ""
