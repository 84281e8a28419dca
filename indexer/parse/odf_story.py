"""One story of an OpenDocument text (body, header, box, cell, note) as blocks in reading order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .docx_xml import number
from .odf_inline import Inline, read_inline
from .odf_lists import Lists
from .odf_objects import object_blocks
from .odf_package import DRAW, LO_EXT, OFFICE, TABLE, TEXT, XLINK, Package
from .odf_styles import Styles
from .office_outline import Block, Grid, Paragraph
from .office_rows import row_lines

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_REPEAT = 100  # equal cells or rows written out; more are an empty rest of a sheet
OBJECTS = 4  # documents within documents


@dataclass(slots=True)
class Context:
    """What all stories of a document share."""

    package: Package
    styles: Styles
    embedded: list[str] = field(default_factory=list)
    pictures: int = 0
    endnotes: list[Block] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    depth: int = 0  # documents around this one


class Story:
    """Reads block content. ``margin``: page numbers are left out."""

    def __init__(self, context: Context, margin: bool = False) -> None:
        self.context = context
        self._lists = Lists(context.styles)
        self._margin = margin

    def blocks(self, parent: Element) -> list[Block]:
        """The blocks of everything inside the element."""
        out: list[Block] = []
        for child in parent.iterchildren():
            self.block(child, out)
        return out

    def block(self, element: Element, out: list[Block]) -> None:
        """The blocks of one element."""
        handler = _BLOCKS.get(element.tag)
        if handler is not None:
            handler(self, element, out)

    def _paragraph(self, element: Element, out: list[Block]) -> None:
        style = element.get(TEXT + "style-name", "")
        inline = Inline()
        if not self.context.styles.hidden("paragraph", style) and not _hidden_by_field(element):
            read_inline(element, self.context.styles, inline, self._margin)
        text = inline.text()
        level = self._level(element, style)
        if text:
            label = self._lists.take()
            if not label and element.tag == TEXT + "h" and level is not None:
                label = self._lists.heading(level + 1, element)
            if self.context.styles.is_title(style):
                self.context.titles.append(text)
            out.append(Paragraph(label + text, level))
        for shape in inline.shapes:
            self.block(shape, out)
        for note in inline.notes:
            self._note(note, out)

    def _level(self, element: Element, style: str) -> int | None:
        if element.tag == TEXT + "h":
            return max(0, number(element.get(TEXT + "outline-level"), 1) - 1)
        return self.context.styles.level(style)

    def _note(self, note: Element, out: list[Block]) -> None:
        body = note.find(TEXT + "note-body")
        if body is not None:
            blocks = [Paragraph(b.text) if isinstance(b, Paragraph) else b for b in Story(self.context).blocks(body)]
            (self.context.endnotes if note.get(TEXT + "note-class") == "endnote" else out).extend(blocks)

    def _list(self, element: Element, out: list[Block]) -> None:
        self._lists.begin(element)
        for item in element.iterchildren(TEXT + "list-item", TEXT + "list-header"):
            if item.tag == TEXT + "list-item":
                self._lists.item(item)
            out.extend(self.blocks(item))
        self._lists.end()

    def _inside(self, element: Element, out: list[Block]) -> None:
        shown = element.get(TEXT + "display", "true")
        if shown != "none" and not (shown == "condition" and element.get(TEXT + "is-hidden") == "true"):
            out.extend(self.blocks(element))

    def _table(self, element: Element, out: list[Block]) -> None:
        rows = list(_rows(element))
        if all(len(cells) <= 1 for _, cells in rows):  # a box around text: read as text, with its headings
            for _, cells in rows:
                for cell in cells:
                    out.extend(self.blocks(cell))
            return
        lines: list[str] = []
        marked = 0
        for header, cells in rows:
            written = list(row_lines([self._cell(cell) for cell in cells]))
            if header and marked == len(lines):
                marked += len(written)
            lines.extend(written)
        out.append(Grid(lines, marked))

    def _cell(self, cell: Element) -> list[Block]:
        return [] if cell.tag == TABLE + "covered-table-cell" else Story(self.context).blocks(cell)

    def _frame(self, element: Element, out: list[Block]) -> None:
        """One thing in several forms: the first that can be read."""
        for form in element.iterchildren():
            if form.tag == DRAW + "text-box" or form.tag == TABLE + "table":
                inside = Story(self.context, self._margin)
                blocks = inside.blocks(form) if form.tag == DRAW + "text-box" else []
                if form.tag == TABLE + "table":
                    inside.block(form, blocks)
                # A box stands beside the text: it cannot open a chapter of it.
                out.extend(Paragraph(b.text) if isinstance(b, Paragraph) else b for b in blocks)
                return
            if form.tag == DRAW + "object":
                self._object(form, out)
                return
            if form.tag == DRAW + "object-ole":
                self.context.embedded.append(element.get(DRAW + "name", "") or "OLE")
                return
            if form.tag == DRAW + "image":
                self.context.pictures += 1
                return

    def _object(self, element: Element, out: list[Block]) -> None:
        inner = next(element.iterchildren(), None)
        root = inner if inner is not None else self.context.package.object(element.get(XLINK + "href", ""))
        if root is None:
            return
        if (body := root.find(f"{OFFICE}body/{OFFICE}text")) is not None and self.context.depth < OBJECTS:
            context = Context(self.context.package, Styles([root]), depth=self.context.depth + 1)
            out.extend(Paragraph(b.text) if isinstance(b, Paragraph) else b for b in Story(context).blocks(body))
            return
        blocks = object_blocks(root)
        if blocks is None:
            self.context.embedded.append(element.get(XLINK + "href", "").removeprefix("./") or "object")
        else:
            out.extend(blocks)

    def _shape(self, element: Element, out: list[Block]) -> None:
        """A drawn shape: its text stands in it without a box."""
        out.extend(Paragraph(b.text) if isinstance(b, Paragraph) else b for b in Story(self.context).blocks(element))


def _hidden_by_field(paragraph: Element) -> bool:
    return any(mark.get(TEXT + "is-hidden") == "true" for mark in paragraph.iter(TEXT + "hidden-paragraph"))


def _rows(table: Element) -> Iterator[tuple[bool, list[Element]]]:
    """Whether a row is part of the header, and its cells; a repeated cell or row as often as it is shown."""
    for child in table.iterchildren():
        if child.tag == TABLE + "table-row":
            cells = list(child.iterchildren(TABLE + "table-cell", TABLE + "covered-table-cell"))
            shown = [c for cell in cells for c in _repeated(cell, "number-columns-repeated")]
            for _ in _repeated(child, "number-rows-repeated"):
                yield False, shown
        elif child.tag == TABLE + "table-header-rows":
            yield from ((True, cells) for _, cells in _rows(child))
        elif child.tag in (TABLE + "table-rows", TABLE + "table-row-group"):
            yield from _rows(child)


def _repeated(element: Element, name: str) -> Iterable[Element]:
    count = number(element.get(TABLE + name), 1)
    if count > 1 and next(element.iter(TEXT + "p", TEXT + "h"), None) is None:
        count = 1 if name == "number-rows-repeated" else min(count, MAX_REPEAT)
    return [element] * max(0, min(count, MAX_REPEAT))


_Handler = Callable[[Story, "Element", list[Block]], None]
_SHAPES = (
    "custom-shape",
    "rect",
    "ellipse",
    "circle",
    "line",
    "polyline",
    "polygon",
    "path",
    "connector",
    "caption",
    "regular-polygon",
)
_BLOCKS: dict[str, _Handler] = {
    **dict.fromkeys((TEXT + "p", TEXT + "h"), Story._paragraph),
    TEXT + "list": Story._list,
    TABLE + "table": Story._table,
    DRAW + "frame": Story._frame,
    **{DRAW + name: Story._shape for name in _SHAPES},
    **{DRAW + name: Story._inside for name in ("g", "a", "text-box")},
    **{
        TEXT + name: Story._inside
        for name in (
            *("section", "index-body", "index-title", "table-of-content", "illustration-index", "table-index"),
            *("object-index", "user-index", "alphabetical-index", "bibliography", "numbered-paragraph", "list-item"),
        )
    },
    **{f"{LO_EXT}{name}": Story._inside for name in ("content-control",)},
}
