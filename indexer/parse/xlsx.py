"""Excel workbooks (.xlsx, .xlsm, .xltx, .xltm): each sheet as a person sees it, its rows as a stream.

Read with lxml from the package, not with openpyxl: that library shows no number formats, does
not stream merged cells and comments, and takes three times as long. The stations:

    sheet_stream   parts of the package           xlsx_book    sheets, relations, properties
    xlsx_texts     strings                        xlsx_styles, sheet_numfmt   how values are shown
    xlsx_frame     merged cells, filter           xlsx_rows    rows as a stream
    xlsx_extras    comments, shapes, charts       sheet_layout, sheet_table   rows to sections

Hidden sheets, rows and columns are not text, and the notes say so; a filter or a collapsed group
hides nothing. After each sheet stand its comments, text boxes, titles of charts and page headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

from .sheet_layout import Hints, Row
from .sheet_notes import Notes
from .sheet_stream import Damaged
from .sheet_table import DEFAULT_NAME, Room, first_title, table_sections
from .xlsx_book import Book, Sheet
from .xlsx_extras import chart_titles, extra_lines
from .xlsx_frame import Frame, read_frame
from .xlsx_rows import Rows
from .xlsx_styles import Styles
from .xlsx_texts import shared_strings

VERSION = "1"
NO_TEXT = Message("The workbook has no text")


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sheets of a workbook in their order.

    Raises ParseRefused for a file that is none, damaged beyond reading or hostile. What is lost
    or left out makes it WARNED, each with a note.
    """
    if not data:
        return Parsed((), State.NO_TEXT, (Message("The file is empty"),), "xlsx")
    try:
        return _Workbook(data, limits).parsed()
    except MemoryError as error:
        raise ParseRefused(
            "The file needs more memory than the limit of {limit} MB; split it, or raise memory_mb",
            limit=limits.memory_mb,
        ) from error


class _Workbook:
    """One file being read."""

    def __init__(self, data: bytes, limits: ParseLimits) -> None:
        self._book = Book(data, limits)
        self._styles = Styles(self._book)
        self._strings = shared_strings(self._book)
        self._room = Room(limits)
        self._notes = Notes()

    def parsed(self) -> Parsed:
        """Sections, notes and properties."""
        sections = tuple(self._sections())
        notes = self._notes.messages(self._book.package.damaged)
        title, label = self._book.properties()
        title = title or first_title(sections, {sheet.name.strip() for sheet in self._book.sheets})
        details = {"sheets": len(self._book.sheets)}
        if not sections:
            return Parsed((), State.NO_TEXT, (*notes, NO_TEXT), "xlsx", title, details, label)
        return Parsed(sections, State.WARNED if notes else State.INDEXED, notes, "xlsx", title, details, label)

    def _sections(self) -> Iterator[Section]:
        seen: list[tuple[Sheet, Frame | None]] = []
        for sheet in self._book.sheets:
            if sheet.hidden:
                self._notes.hidden_sheets.append(sheet.name)
            elif sheet.part not in self._book.package:
                self._notes.lost_sheets.append(sheet.name)
            elif sheet.kind not in ("dialogsheet", "xlMacrosheet"):
                seen.append((sheet, self._frame(sheet)))
        filled = sum(frame is None or frame.filled for _, frame in seen)
        for sheet, frame in seen:
            name = "" if filled < 2 and DEFAULT_NAME.fullmatch(sheet.name) else sheet.name.strip()
            if frame is not None:
                yield from self._sheet(sheet, frame, name)
            yield from self._extras(sheet, frame, name)

    def _frame(self, sheet: Sheet) -> Frame | None:
        """None for a sheet that is a chart."""
        if sheet.kind == "chartsheet":
            return None
        try:
            return read_frame(self._book.package.blocks(sheet.part))
        except Damaged:
            return Frame((), (), None, False, (), True)

    def _sheet(self, sheet: Sheet, frame: Frame, name: str) -> Iterator[Section]:
        rows = Rows(frame, self._strings, self._styles)
        hints = Hints(frozenset(self._header_rows(sheet, frame)), frame.reach())
        stream = self._guarded(sheet, rows)
        yield from table_sections(stream, self._room, name, hints)
        hidden = bool(rows.hidden_rows or rows.hidden_columns)
        self._notes.add(sheet.name, rows.uncomputed, rows.first_uncomputed, hidden, rows.lost)

    def _guarded(self, sheet: Sheet, rows: Rows) -> Iterator[Row]:
        try:
            yield from rows.read(self._book.package.blocks(sheet.part))
        except Damaged:
            self._book.package.damaged.append(sheet.part)

    def _header_rows(self, sheet: Sheet, frame: Frame) -> Iterator[int]:
        if sheet.titles is not None:
            yield from range(sheet.titles[0], sheet.titles[1] + 1)
        if frame.filter is not None:
            yield frame.filter.top
        for part in self._book.related(sheet.part, "table"):
            root = self._book.xml(part)
            if root is not None and root.get("headerRowCount", "1") != "0":
                found = re.match(r"[A-Z]{1,3}(\d{1,7}):", root.get("ref", ""))
                if found:
                    yield int(found[1])

    def _extras(self, sheet: Sheet, frame: Frame | None, name: str) -> Iterator[Section]:
        if frame is None:
            drawings = self._book.related(sheet.part, "drawing")
            charts = [chart for drawing in drawings for chart in self._book.related(drawing, "chart")]
            lines = [line for chart in charts for line in chart_titles(self._book, chart)]
        else:
            lines = list(extra_lines(self._book, sheet.part, frame.margins))
        if lines:
            text = "".join(f"{line}\n" for line in lines)
            self._room.charge(len(text))
            yield Section(text, (name,) if name else ())
