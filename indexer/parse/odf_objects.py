"""Objects within a document: charts as tables, formulas as lines, sheets as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .docx_xml import number
from .odf_package import CHART, MATH, OFFICE, TABLE, TEXT
from .office_outline import Block, Grid, Paragraph, row_of

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_COLUMNS = 200
MAX_ROWS = 5_000


def object_blocks(root: Element) -> list[Block] | None:
    """What the object shows; None for one that is not understood."""
    if root.tag == MATH + "math":
        text = _formula(root)
        return [Paragraph(text)] if text else []
    chart = root.find(f"{OFFICE}body/{OFFICE}chart")
    if chart is not None:
        return list(_chart(chart))
    sheet = root.find(f"{OFFICE}body/{OFFICE}spreadsheet")
    if sheet is not None:
        return [Grid(rows, 1) for table in sheet.iterchildren(TABLE + "table") if (rows := list(_rows(table)))]
    return None


def _formula(root: Element) -> str:
    """The characters of MathML; its annotation is the source, not the picture."""
    pieces = (
        str(t) for node in root.iter(MATH + "mi", MATH + "mn", MATH + "mo", MATH + "mtext") for t in node.itertext()
    )
    return " ".join(piece.strip() for piece in pieces if piece.strip())


def _chart(chart: Element) -> Iterator[Block]:
    for title in chart.iter(CHART + "title", CHART + "subtitle"):
        if text := " ".join(" ".join(str(t) for t in title.itertext()).split()):
            yield Paragraph(text)
    for table in chart.iter(TABLE + "table"):
        rows = list(_rows(table))
        if rows:
            yield Grid(rows, 1)


def _rows(table: Element) -> Iterator[str]:
    for index, row in enumerate(table.iter(TABLE + "table-row")):
        if index >= MAX_ROWS:
            return
        cells: list[str] = []
        for cell in row.iterchildren(TABLE + "table-cell", TABLE + "covered-table-cell"):
            text = " ".join(" ".join(str(t) for t in p.itertext()) for p in cell.iterchildren(TEXT + "p"))
            repeated = min(number(cell.get(TABLE + "number-columns-repeated"), 1), MAX_COLUMNS)
            cells.extend([text] * repeated)
        if line := row_of(cells):
            yield line
