"""The rows of one sheet as a stream: cells as a person sees them, covered and hidden ones left out."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .sheet_layout import Row
from .sheet_numfmt import Format
from .sheet_table import one_line
from .xlsx_frame import Area, Frame, column_number
from .xlsx_pieces import Found, Piece, pieces
from .xlsx_styles import Styles
from .xlsx_texts import item_text, unescape

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MOST_OPEN = 400  # merged ranges over one row; more make every row slow, and no person merges like that
_DIGITS = "0123456789"
_TRUTH = {"0": "FALSE", "1": "TRUE"}


class Rows:
    """One pass over a sheet. After it, the counters say what a person should know."""

    def __init__(self, frame: Frame, strings: Sequence[str], styles: Styles) -> None:
        self.uncomputed = 0  # formulas without a stored value
        self.first_uncomputed = ""
        self.lost = 0  # texts that the package does not have
        self.hidden_rows = 0
        self.hidden_columns = 0
        self._frame = frame
        self._strings = strings
        self._styles = styles
        self._covers = _Covers(frame.merges)
        self._columns: dict[str, int] = {}
        self._shown: dict[tuple[str, str], str] = {}
        self._formats: dict[str, Format] = {}

    def read(self, blocks: Iterable[bytes]) -> Iterator[Row]:
        """Rows that show something, in order."""
        last = 0
        for piece in pieces(blocks, self._frame.plain):
            number = piece.attributes.get("r", "")
            last = int(number) if number.isdecimal() and last < int(number[:8]) else last + 1
            if self._is_hidden(piece.attributes):
                self.hidden_rows += 1 if piece.found or piece.element is not None else 0
                continue
            cells, bold = self._cells(piece, last)
            if cells and self._frame.hidden:
                cells = self._without_hidden(cells)
            if cells and self._covers.pending:
                cells = self._covers.uncovered(cells, last)
            if cells:
                yield Row(last, cells, bold)

    def _is_hidden(self, row: Mapping[str, str]) -> bool:
        """Hidden by hand; a filter or a collapsed group is a view, its rows are one click away."""
        return (
            row.get("hidden", "0").lower() in ("1", "true")
            and not self._frame.filtered
            and row.get("outlineLevel", "0") == "0"
        )

    def _cells(self, piece: Piece, number: int) -> tuple[dict[int, str], bool]:
        """Text by column, in order, and whether the first cell is bold."""
        row = piece.element
        cells, style = self._quickly(piece.found) if row is None else self._slowly(row, number)
        columns = list(cells)
        if columns != sorted(columns):
            cells = dict(sorted(cells.items()))
        return cells, self._bold(style)

    def _quickly(self, found: Iterable[Found]) -> tuple[dict[int, str], str]:
        """Cells that show something, and the style of the first, of a row that holds nothing unusual."""
        columns, numbers = self._columns, self._shown
        cells: dict[int, str] = {}
        first = ""
        for letters, early, kind, late, value, inline in found:
            style = early or late
            if inline:
                text = self._text(one_line(unescape(_plain(inline))), style)
            elif not value:
                continue
            elif kind == "s":
                text = self._shared(value, style)
            elif kind == "n" or not kind:
                text = numbers.get((value, style)) or self._number(value, style)
            else:
                text = self._other(_plain(value), kind, style)
            if text:
                first = first if cells else style
                column = columns.get(letters, -1)
                cells[self._column(letters, -1) if column < 0 else column] = text
        return cells, first

    def _slowly(self, row: Element, number: int) -> tuple[dict[int, str], str]:
        """The same for any row, element by element."""
        column = -1
        cells: dict[int, str] = {}
        first = ""
        for cell in row:
            if not str(cell.tag).endswith("}c"):
                continue
            reference = cell.get("r")
            column = column + 1 if reference is None else self._column(reference.rstrip(_DIGITS), column)
            text = self._value(cell, column, number) if len(cell) else ""
            if text:
                first = first if cells else cell.get("s", "0")
                cells[column] = text
        return cells, first

    def _column(self, letters: str, before: int) -> int:
        if letters in self._columns:
            return self._columns[letters]
        if letters.isascii() and letters.isalpha() and len(letters) <= 3:
            self._columns[letters] = column = column_number(letters.upper())
            return column
        return before + 1

    def _bold(self, style: str) -> bool:
        bold = self._styles.bold
        return style.isdecimal() and len(style) < 7 and int(style) < len(bold) and bold[int(style)]

    def _value(self, cell: Element, column: int, number: int) -> str:
        value = formula = None
        for child in cell:
            tag = child.tag
            if tag.endswith("}v"):
                value = child.text
            elif tag.endswith("}f"):
                formula = child
            elif tag.endswith("}is"):
                return self._text(one_line(item_text(child)), cell.get("s", "0"))
        kind, style = cell.get("t", "n"), cell.get("s", "0")
        if value is None:
            if formula is not None and kind != "str":
                self._uncomputed(column, number)
            return ""
        if kind == "s":
            return self._shared(value, style)
        return self._number(value, style) if kind == "n" else self._other(value, kind, style)

    def _other(self, value: str, kind: str, style: str) -> str:
        if kind == "b":
            return _TRUTH.get(value.strip(), value)
        if kind == "d":
            return value.strip().replace("T", " ").removesuffix(" 00:00:00")
        return self._text(one_line(unescape(value)), style)

    def _shared(self, value: str, style: str) -> str:
        try:
            text = self._strings[int(value)]
        except (ValueError, IndexError):
            self.lost += 1
            return ""
        return self._text(text, style) if text else ""

    def _text(self, text: str, style: str) -> str:
        if style in ("", "0"):
            return text
        form = self._format(style)
        return text if form.plain else one_line(form.text(text))

    def _format(self, style: str) -> Format:
        form = self._formats.get(style)
        if form is None:
            formats = self._styles.formats
            i = int(style) if style.isdecimal() and len(style) < 7 else 0
            form = self._formats[style] = formats[i if i < len(formats) else 0]
        return form

    def _number(self, value: str, style: str) -> str:
        form = self._format(style)
        if form.cheap:
            return form.number(value)
        shown = one_line(form.number(value))
        if len(self._shown) >= 50_000:
            self._shown.clear()
        self._shown[value, style] = shown
        return shown

    def _uncomputed(self, column: int, number: int) -> None:
        from .sheet_table import column_name

        self.uncomputed += 1
        self.first_uncomputed = self.first_uncomputed or f"{column_name(column)}{number}"

    def _without_hidden(self, cells: dict[int, str]) -> dict[int, str]:
        kept = {c: text for c, text in cells.items() if not any(a <= c <= b for a, b in self._frame.hidden)}
        self.hidden_columns += len(cells) - len(kept)
        return kept


def _plain(text: str) -> str:
    return html.unescape(text) if "&" in text else text


class _Covers:
    """Which cells lie under a merged range and not at its corner; rows are asked for from top to bottom."""

    def __init__(self, merges: Sequence[Area]) -> None:
        self._waiting = sorted(merges, key=lambda area: area.top, reverse=True)
        self._open: list[Area] = []

    @property
    def pending(self) -> bool:
        """Whether any range is open or still to come."""
        return bool(self._waiting or self._open)

    def uncovered(self, cells: dict[int, str], row: int) -> dict[int, str]:
        """The cells of a row that are seen."""
        if self._open:
            self._open = [area for area in self._open if area.bottom >= row]
        while self._waiting and self._waiting[-1].top <= row:
            area = self._waiting.pop()
            if area.bottom >= row and len(self._open) < MOST_OPEN:
                self._open.append(area)
        for area in self._open:
            covered = [c for c in cells if area.left <= c <= area.right and (c, row) != (area.left, area.top)]
            for column in covered:
                del cells[column]
        return cells
