"""The rows of an OpenDocument spreadsheet as a stream, each with the sheet it belongs to.

A cell carries its value as it is shown, so no number format has to be read. Runs of equal cells
and rows are written once with a count; they are repeated here as a person sees them, up to a
limit that no person reads past.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .odf_package import OFFICE, STYLE, TABLE, TEXT
from .sheet_layout import Hints, Row
from .sheet_stream import elements
from .sheet_table import column_name, one_line

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MOST_COLUMNS = 16_384
REPEATED_CELLS, REPEATED_ROWS = 256, 100
_VALUES = ("value", "date-value", "time-value", "boolean-value", "string-value")
_BLANK = {TEXT + "s", TEXT + "tab", TEXT + "line-break"}
_SILENT = {OFFICE + "annotation", TEXT + "ruby-text", TEXT + "note"}


class OdsSheet:
    """One table; filled while its rows pass."""

    def __init__(self, table: Element, hidden: bool) -> None:
        self.name = table.get(TABLE + "name", "").strip()
        self.hidden = hidden
        self.headers: set[int] = set()
        self.reach: dict[int, int] = {}
        self.hints = Hints(self.headers, self.reach)
        self.lines: list[str] = []  # comments and texts of shapes
        self.objects: list[str] = []  # what is embedded, by its name in the package
        self.hidden_columns: list[tuple[int, int]] = []
        self.columns = 0
        self.rows = 0
        self.left_out = False  # hidden rows or columns with text
        self.uncomputed = 0
        self.first_uncomputed = ""


class OdsRows:
    """One pass over content.xml."""

    def __init__(self) -> None:
        self.sheets: list[OdsSheet] = []
        self._hidden_styles: set[str] = set()

    def read(self, blocks: Iterable[bytes]) -> Iterator[tuple[OdsSheet, Row]]:
        """Rows that show something, in order."""
        table: Element | None = None
        for element in elements(blocks, "style", "table-column", "table-row", "shapes"):
            if element.tag == STYLE + "style":
                self._style(element)
                continue
            if not str(element.tag).startswith(TABLE):
                continue
            owner = next(element.iterancestors(TABLE + "table"), None)
            if owner is None:
                continue
            if owner is not table:
                table = owner
                self.sheets.append(OdsSheet(owner, owner.get(TABLE + "style-name", "") in self._hidden_styles))
            sheet = self.sheets[-1]
            if element.tag == TABLE + "table-column":
                _column(sheet, element)
            elif element.tag == TABLE + "table-row":
                yield from ((sheet, row) for row in _rows(sheet, element))
            elif element.tag == TABLE + "shapes":
                _shapes(sheet, element)

    def _style(self, style: Element) -> None:
        for properties in style.iterchildren(STYLE + "table-properties"):
            if properties.get(TABLE + "display") == "false":
                self._hidden_styles.add(style.get(STYLE + "name", ""))


def _column(sheet: OdsSheet, column: Element) -> None:
    count = _count(column, "number-columns-repeated", MOST_COLUMNS)
    if _is_hidden(column, "table-column-group"):
        sheet.hidden_columns.append((sheet.columns, sheet.columns + count - 1))
    sheet.columns += count


def _rows(sheet: OdsSheet, element: Element) -> Iterator[Row]:
    number = sheet.rows + 1
    count = _count(element, "number-rows-repeated", 1 << 20)
    sheet.rows += count
    if element.getparent().tag == TABLE + "table-header-rows":  # type: ignore[union-attr]
        sheet.headers.add(number)
    cells = _cells(sheet, element, number)
    if cells and _is_hidden(element, "table-row-group"):
        sheet.left_out = True
    elif cells:
        for i in range(min(count, REPEATED_ROWS)):
            yield Row(number + i, cells)


def _cells(sheet: OdsSheet, row: Element, number: int) -> dict[int, str]:
    cells: dict[int, str] = {}
    column = 0
    for cell in row.iterchildren(TABLE + "table-cell", TABLE + "covered-table-cell"):
        count = _count(cell, "number-columns-repeated", MOST_COLUMNS)
        if len(cell) or cell.get(OFFICE + "value-type") or cell.get(TABLE + "formula"):
            text = _cell(sheet, cell, column, number) if cell.tag == TABLE + "table-cell" else ""
            for i in range(column, min(column + count, column + REPEATED_CELLS, MOST_COLUMNS) if text else 0):
                cells[i] = text
        column += count
        if column >= MOST_COLUMNS:
            break
    kept = {c: text for c, text in cells.items() if not any(a <= c <= b for a, b in sheet.hidden_columns)}
    sheet.left_out = sheet.left_out or len(kept) < len(cells)
    return kept


def _cell(sheet: OdsSheet, cell: Element, column: int, number: int) -> str:
    """What the cell shows; its comment and the shapes fastened to it go to the sheet's lines."""
    down, across = _count(cell, "number-rows-spanned", 1 << 20), _count(cell, "number-columns-spanned", MOST_COLUMNS)
    if down > 1 or across > 1:
        sheet.reach[number] = max(sheet.reach.get(number, 0), number + (down - 1 or 1))
    said = []
    for child in cell.iterchildren():
        if child.tag in (TEXT + "p", TEXT + "h"):
            said.append(inline_text(child))
        elif child.tag == OFFICE + "annotation":
            text = one_line(" ".join(inline_text(p) for p in child.iterchildren(TEXT + "p", TEXT + "list")))
            if text:
                sheet.lines.append(f"{column_name(column)}{number}: {text}")
        else:
            _shapes(sheet, child)
    if said:
        return one_line(" ".join(said))
    value = next((v for name in _VALUES if (v := cell.get(OFFICE + name))), "")
    if not value and cell.get(TABLE + "formula") and not cell.get(OFFICE + "value-type"):
        sheet.uncomputed += 1
        sheet.first_uncomputed = sheet.first_uncomputed or f"{column_name(column)}{number}"
    return one_line(value)


def _shapes(sheet: OdsSheet, shapes: Element) -> None:
    """Texts of drawn shapes, and the names of embedded objects such as charts."""
    for node in shapes.iter(TEXT + "p", "{*}object"):
        if node.tag == TEXT + "p":
            if text := one_line(inline_text(node)):
                sheet.lines.append(text)
        else:
            sheet.objects.extend(str(value) for key, value in node.attrib.items() if str(key).endswith("}href"))


def inline_text(paragraph: Element) -> str:
    """The characters of a paragraph, without comments and phonetic readings."""
    pieces = [paragraph.text or ""]
    for child in paragraph.iterchildren():
        if child.tag in _BLANK:
            pieces.append(" " * _count(child, "c", 100) if child.tag == TEXT + "s" else " ")
        elif child.tag not in _SILENT:
            pieces.append(inline_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def _is_hidden(element: Element, group: str) -> bool:
    """Hidden by hand; "filter" and collapsed groups are views."""
    return element.get(TABLE + "visibility") == "collapse" and next(element.iterancestors(TABLE + group), None) is None


def _count(element: Element, name: str, most: int) -> int:
    text = element.get((TEXT if name == "c" else TABLE) + name, "1")
    return max(1, min(int(text), most)) if text.isdecimal() and len(text) < 10 else 1
