"""Tables: one row a line, cells between " | ", every cell once, nested tables in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from .docx_context import Block, Line, Table
from .docx_drawing import pick
from .docx_xml import MC, W, number, toggle, val

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

BETWEEN = " | "
LONG_ROW = 600  # characters from which a cell's paragraphs stand on lines of their own
_WRAPPERS = frozenset({W + "sdt", W + "sdtContent", W + "customXml", W + "smartTag", W + "ins", W + "moveTo"})

ReadCell = Callable[["Element"], list[Block]]
"""Blocks of a cell."""


def rows_of(table: Element, keep: bool) -> list[list[Element]]:
    """The cells of each row that is still there once all tracked changes are accepted; all with ``keep``."""
    return [
        [cell for cell in unwrap(row, W + "tc") if keep or not _gone(cell.find(W + "tcPr"), "cellDel")]
        for row in unwrap(table, W + "tr")
        if keep or not _gone(row.find(W + "trPr"), "del")
    ]


def held_tables(root: Element) -> frozenset[Element]:
    """Tables deleted whole by a change nobody has accepted, where that would take most of the text.

    Accepting is the rule; but as with files (a mass deletion is held until a person confirms
    it), a pending change must not empty the document in the index.
    """
    tables = [table for table in root.iter(W + "tbl") if _deleted_whole(table)]
    if not tables:
        return frozenset()
    removed = sum(len((node.text or "").strip()) for node in root.iter(W + "delText"))
    left = sum(len((node.text or "").strip()) for node in root.iter(W + "t"))
    return frozenset(tables) if removed > left else frozenset()


def _deleted_whole(table: Element) -> bool:
    rows = list(unwrap(table, W + "tr"))
    return bool(rows) and all(_gone(row.find(W + "trPr"), "del") for row in rows)


def is_frame(rows: Sequence[Sequence[Element]]) -> bool:
    """A table of one column is a box around text: it is read as text, with its headings."""
    return all(len(cells) <= 1 for cells in rows)


def write_rows(rows: Sequence[Sequence[Element]], read: ReadCell) -> Table:
    """The lines of a table. Cells swallowed by a merge are not read: Word does not show them."""
    open_merges: set[int] = set()
    lines: list[str] = []
    marked = 0
    for cells in rows:
        open_merges, shown = _merge(cells, open_merges)
        heads = marked == len(lines) and _is_header(cells)
        lines += _write_row([read(cell) if visible else [] for cell, visible in zip(cells, shown, strict=True)])
        marked = len(lines) if heads else marked
    return Table(tuple(lines), marked)


def _is_header(cells: Sequence[Element]) -> bool:
    """Whether Word repeats the row at the top of each page."""
    row = cells[0].getparent() if cells else None
    while row is not None and row.tag != W + "tr":  # a cell may stand in a content control
        row = row.getparent()
    return row is not None and bool(toggle(row.find(W + "trPr"), W + "tblHeader"))


def unwrap(parent: Element, wanted: str) -> Iterator[Element]:
    """The children of this name, looked for through content controls and other wrappers."""
    for child in parent.iterchildren():
        if child.tag == wanted:
            yield child
        elif child.tag in _WRAPPERS:
            yield from unwrap(child, wanted)
        elif child.tag == MC + "AlternateContent" and (branch := pick(child)) is not None:
            yield from unwrap(branch, wanted)


def _gone(properties: Element | None, mark: str) -> bool:
    return properties is not None and properties.find(W + mark) is not None


def _merge(cells: Sequence[Element], above: set[int]) -> tuple[set[int], list[bool]]:
    """Which cells of a row show their content, and at which grid columns a vertical merge goes on."""
    merges: set[int] = set()
    shown: list[bool] = []
    row = cells[0].getparent() if cells else None
    column = number(val(None if row is None else row.find(W + "trPr"), W + "gridBefore"), 0)
    for cell in cells:
        properties = cell.find(W + "tcPr")
        vertical = _merge_state(properties, "vMerge")
        continued = vertical == "continue" and column in above
        if vertical:
            merges.add(column)
        shown.append(not continued and _merge_state(properties, "hMerge") != "continue")
        column += max(1, number(val(properties, W + "gridSpan"), 1))
    return merges, shown


def _merge_state(properties: Element | None, name: str) -> str:
    merge = None if properties is None else properties.find(W + name)
    return "" if merge is None else merge.get(W + "val", "continue")


def _write_row(cells: Sequence[Sequence[Block]]) -> Iterator[str]:
    """One line; several where a cell holds a table, or where the row is really a page layout."""
    size = sum(len(block.text) for cell in cells for block in cell if isinstance(block, Line))
    if size > LONG_ROW and any(len(cell) > 1 for cell in cells):
        for cell in cells:
            for block in cell:
                yield from block.rows if isinstance(block, Table) else [_one_line(block.text)]
        return
    line: list[str] = []
    for cell in cells:
        texts: list[str] = []
        for block in cell:
            if isinstance(block, Line):
                texts.append(_one_line(block.text))
                continue
            yield from _joined([*line, " ".join(texts)])
            yield from block.rows
            line, texts = [], []
        line.append(" ".join(texts))
    yield from _joined(line)


def _joined(cells: list[str]) -> Iterator[str]:
    while cells and not cells[-1].strip():
        cells.pop()
    if cells:
        yield BETWEEN.join(cells)


def _one_line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text or "\t" in text else text
