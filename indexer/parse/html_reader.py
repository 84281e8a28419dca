"""The walk over a page's tree: what a reader sees, as blocks in reading order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .html_blocks import Block
from .html_elements import (
    APART,
    BLOCKS,
    CODE,
    HEADINGS,
    PARTS,
    SILENT,
    TOUCHING,
    Attributes,
    is_block,
    is_hidden,
    keeps_lines,
)
from .html_flow import Flow, Writer
from .html_lists import Lists
from .html_table import MAX_SPAN, Cell, Table
from .html_tree import walk

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


class Reader(Writer):
    """Reads a page. ``hidden`` counts the characters that its styles hide."""

    def __init__(self, show_hidden: bool) -> None:
        super().__init__()
        self._show_hidden = show_hidden
        self._tables: list[tuple[Table, Flow, Lists, int]] = []
        self._parts = 0

    def read(self, root: LexborNode) -> list[Block]:
        """The blocks of the page."""
        for event, node in walk(root, SILENT):
            if event == "text":
                self._text(node.text_content or "")
            elif event == "open":
                self._open(node)
            else:
                self._close(node)
        self._flush()
        return self._flow.blocks

    def _open(self, node: LexborNode) -> None:
        attributes: Attributes = node.attributes
        if self._dark or (not self._show_hidden and is_hidden(attributes)):
            self._dark += 1
            return
        tag = node.tag or ""
        self._keep.append(keeps_lines(tag, attributes))
        if tag in HEADINGS or is_block(tag, attributes):
            self._flush()
        if "-" in tag or (tag in TOUCHING and self._touching):
            self._flow.pieces.append(" ")
        opener = _OPEN.get(tag)
        if opener is not None:
            opener(self, tag, attributes)

    def _close(self, node: LexborNode) -> None:
        if self._dark:
            self._dark -= 1
            return
        self._keep.pop()
        tag = node.tag or ""
        if tag in HEADINGS:
            self._flush(HEADINGS[tag])
        elif tag in BLOCKS or is_block(tag, node.attributes):
            self._flush()
        if "-" in tag:
            self._flow.pieces.append(" ")
        closer = _CLOSE.get(tag)
        if closer is not None:
            closer(self, tag)
        if tag in APART:
            self._flow.space_below()
        self._touching = tag in TOUCHING

    def _open_list(self, tag: str, attributes: Attributes) -> None:
        self._lists.open(tag, attributes)

    def _close_list(self, tag: str) -> None:
        self._lists.close()
        if not self._lists.depth:
            self._flow.space_below()

    def _item(self, tag: str, attributes: Attributes) -> None:
        self._lists.item(attributes)

    def _definition(self, tag: str, attributes: Attributes) -> None:
        self._lists.definition()

    def _open_aside(self, tag: str, attributes: Attributes) -> None:
        self._parts += tag in PARTS
        if tag == "nav" or (tag == "footer" and not self._parts):
            self._flow.blocks.append(Block("aside"))

    def _close_aside(self, tag: str) -> None:
        if tag == "nav" or (tag == "footer" and not self._parts):
            self._flow.blocks.append(Block("back"))
        self._parts -= tag in PARTS

    def _open_table(self, tag: str, attributes: Attributes) -> None:
        self._end_code() if self._code else self._flush()
        self._tables.append((Table(), self._flow, self._lists, self._code))
        self._code = 0

    def _close_table(self, tag: str) -> None:
        self._flush()
        table, self._flow, self._lists, self._code = self._tables.pop()
        self._flow.blocks += table.blocks()
        self._flow.space_below()

    def _open_head(self, tag: str, attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1][0].in_head = tag == "thead"

    def _open_row(self, tag: str, attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1][0].row()

    def _open_cell(self, tag: str, attributes: Attributes) -> None:
        if not self._tables:
            self._flush()
            return
        table = self._tables[-1][0]
        self._flow, self._lists = Flow(), Lists()
        if tag == "caption":
            table.caption = self._flow.blocks
            return
        row = table.rows[-1] if table.rows else table.row()
        spans = (_span(attributes.get(name)) for name in ("colspan", "rowspan"))
        row.append(Cell(self._flow.blocks, tag == "th", *spans))

    def _close_cell(self, tag: str) -> None:
        self._flush()
        if self._tables:
            _, self._flow, self._lists, _ = self._tables[-1]


def _span(value: str | None) -> int:
    """A colspan or rowspan; what is wider than data ever is counts as one."""
    number = int(value) if value and value.isascii() and value.isdigit() and len(value) < 4 else 1
    return number if 0 < number <= MAX_SPAN else 1


_OPEN: Mapping[str, Callable[[Reader, str, Attributes], None]] = {
    "br": Reader._break,
    "hr": Reader._rule,
    **dict.fromkeys(("img", "area"), Reader._picture),
    **dict.fromkeys(("input", "optgroup"), Reader._field),
    **dict.fromkeys(("button", "select", "option", "textarea"), Reader._blank),
    "q": Reader._quote,
    **dict.fromkeys(CODE, Reader._open_code),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), Reader._open_list),
    "li": Reader._item,
    "dd": Reader._definition,
    **dict.fromkeys(("nav", "footer", *PARTS), Reader._open_aside),
    "table": Reader._open_table,
    **dict.fromkeys(("thead", "tbody", "tfoot"), Reader._open_head),
    "tr": Reader._open_row,
    **dict.fromkeys(("td", "th", "caption"), Reader._open_cell),
    "ruby": Reader._open_ruby,
    **dict.fromkeys(("rt", "rtc"), Reader._open_reading),
}
_CLOSE: Mapping[str, Callable[[Reader, str], None]] = {
    **dict.fromkeys(("button", "select", "option", "textarea"), Reader._blank),
    "q": Reader._quote,
    **dict.fromkeys(CODE, Reader._close_code),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), Reader._close_list),
    **dict.fromkeys(("nav", "footer", *PARTS), Reader._close_aside),
    "table": Reader._close_table,
    **dict.fromkeys(("td", "th", "caption"), Reader._close_cell),
    "ruby": Reader._close_ruby,
    **dict.fromkeys(("rt", "rtc"), Reader._close_reading),
}
