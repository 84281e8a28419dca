"""OpenDocument spreadsheets (.ods, .ots): each sheet as a person sees it, its rows as a stream.

Hidden sheets, rows and columns are not text, and the notes say so; a filter or a collapsed group
hides nothing. After each sheet stand its comments, texts of shapes and titles of charts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

from .odf_package import CHART, TEXT
from .odf_package import Package as Properties
from .ods_rows import OdsRows, OdsSheet, inline_text
from .sheet_layout import Row
from .sheet_notes import Notes
from .sheet_stream import Damaged, Package
from .sheet_table import DEFAULT_NAME, Room, first_title, one_line, table_sections

VERSION = "1"
_TABLE = re.compile(rb"<(?:\w{1,20}:)?table[\s>]")


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sheets in their order.

    Raises ParseRefused for a file that is none, protected by a password, damaged or hostile.
    What is lost or left out makes it WARNED, each with a note.
    """
    try:
        return _Spreadsheet(data, limits).parsed()
    except MemoryError as error:
        raise ParseRefused(
            "The file needs more memory than the limit of {limit} MB; split it, or raise memory_mb",
            limit=limits.memory_mb,
        ) from error


class _Spreadsheet:
    """One file being read."""

    def __init__(self, data: bytes, limits: ParseLimits) -> None:
        self._properties = Properties(data, limits)
        self._package = Package(data, limits)
        self._rows = OdsRows()
        self._room = Room(limits)
        self._alone = self._tables() < 2
        self._damaged: list[str] = []

    def parsed(self) -> Parsed:
        """Sections, notes and properties."""
        sections = tuple(self._sections())
        sheets = self._rows.sheets
        notes = self._notes(sheets).messages([*self._damaged, *self._properties.damaged])
        title, label = self._properties.properties()
        title = title or first_title(sections, {sheet.name for sheet in sheets})
        details = {"sheets": len(sheets)}
        if not sections:
            nothing = Message("The workbook has no text")
            return Parsed((), State.NO_TEXT, (*notes, nothing), "ods", title, details, label)
        return Parsed(sections, State.WARNED if notes else State.INDEXED, notes, "ods", title, details, label)

    def _tables(self) -> int:
        """How many tables there are; they are not known in a stream."""
        try:
            return sum(len(_TABLE.findall(block)) for block in self._package.blocks("content.xml"))
        except Damaged:
            return 2

    def _sections(self) -> Iterator[Section]:
        told: list[OdsSheet] = []
        for sheet, pairs in groupby(self._stream(), key=lambda pair: pair[0]):
            yield from self._after(told[-1:])
            told.append(sheet)
            if not sheet.hidden:
                rows = (row for _, row in pairs)
                yield from table_sections(rows, self._room, self._heading(sheet), sheet.hints)
        yield from self._after([*told[-1:], *(sheet for sheet in self._rows.sheets if sheet not in told)])

    def _stream(self) -> Iterator[tuple[OdsSheet, Row]]:
        try:
            yield from self._rows.read(self._package.blocks("content.xml"))
        except Damaged as error:
            if not self._rows.sheets:
                raise ParseRefused(
                    "The file is damaged: {detail}. Restore it from a good copy", detail=str(error)
                ) from error
            self._damaged.append("content.xml")

    def _heading(self, sheet: OdsSheet) -> str:
        return "" if self._alone and DEFAULT_NAME.fullmatch(sheet.name) else sheet.name

    def _after(self, sheets: list[OdsSheet]) -> Iterator[Section]:
        """Comments, shapes and chart titles of sheets whose rows have passed."""
        for sheet in sheets:
            charts = (line for name in sheet.objects[:200] for line in self._chart(name))
            lines = [] if sheet.hidden else [*sheet.lines, *charts]
            if lines:
                text = "".join(f"{line}\n" for line in lines)
                self._room.charge(len(text))
                name = self._heading(sheet)
                yield Section(text, (name,) if name else ())

    def _chart(self, name: str) -> Iterator[str]:
        root = self._properties.object(name)
        for title in () if root is None else root.iter(CHART + "title", CHART + "subtitle"):
            for paragraph in title.iter(TEXT + "p"):
                if text := one_line(inline_text(paragraph)):
                    yield text

    def _notes(self, sheets: list[OdsSheet]) -> Notes:
        notes = Notes()
        for sheet in sheets:
            if sheet.hidden:
                notes.hidden_sheets.append(sheet.name)
            else:
                notes.add(sheet.name, sheet.uncomputed, sheet.first_uncomputed, sheet.left_out)
        return notes
