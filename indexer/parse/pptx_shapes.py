"""The shapes of a slide as blocks in reading order: texts, tables, charts, diagrams, groups in one piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .docx_context import Line, Table
from .docx_drawing import pick
from .docx_drawn import drawn_blocks
from .docx_xml import CX, DGM, MC, A, C, R, number
from .office_outline import Block, Grid, Paragraph, row_of
from .pptx_deck import Deck, P, Slide
from .pptx_order import Box, reading_order
from .pptx_text import paragraphs

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MARGINS = frozenset({"ftr", "dt", "hdr", "sldNum"})
TITLES = frozenset({"title", "ctrTitle"})
_REFERENCES = (DGM + "relIds", C + "chart", CX + "chart")
_SHAPES = frozenset({P + "sp", P + "grpSp", P + "graphicFrame", P + "pic", P + "cxnSp"})


@dataclass(slots=True)
class Shapes:
    """Reads the shapes of one slide, layout or notes page."""

    deck: Deck
    slide: Slide
    margins: list[str] = field(default_factory=list)  # footers and dates
    embedded: list[str] = field(default_factory=list)  # ProgIDs of objects that are files of their own
    pictures: int = 0

    def blocks(self, root: Element) -> Iterator[Block]:
        """The title first, then everything else by its place on the slide."""
        tree = root.find(f"{P}cSld/{P}spTree")
        if tree is None:
            return
        shapes = list(self._unfolded(tree))
        titles = [shape for shape in shapes if placeholder(shape) in TITLES]
        for shape in titles:
            body = shape.find(P + "txBody")
            text = " ".join(" ".join(paragraphs(body)).split()) if body is not None else ""
            if text:
                yield Paragraph(text, 0)
        yield from self._ordered([shape for shape in shapes if placeholder(shape) not in TITLES])

    def fixed(self, root: Element) -> Iterator[Block]:
        """What a layout or master shows on each of its slides: everything but placeholders."""
        tree = root.find(f"{P}cSld/{P}spTree")
        if tree is not None:
            yield from self._ordered([shape for shape in self._unfolded(tree) if placeholder(shape) is None])

    def _unfolded(self, parent: Element) -> Iterator[Element]:
        """The visible shapes, each compatibility pair replaced by the branch that is shown."""
        for child in parent.iterchildren():
            if child.tag == MC + "AlternateContent":
                branch = pick(child)
                if branch is not None:
                    yield from self._unfolded(branch)
            elif child.tag in _SHAPES:
                properties = child.find(f"*/{P}cNvPr")
                if properties is None or properties.get("hidden", "0") not in ("1", "true"):
                    yield child

    def _ordered(self, shapes: list[Element]) -> Iterator[Block]:
        boxes = [Box(*self._place(shape), index) for index, shape in enumerate(shapes)]
        for index in reading_order(boxes):
            yield from self._shape(shapes[index])

    def _shape(self, shape: Element) -> Iterator[Block]:
        if shape.tag == P + "grpSp":
            yield from self._ordered(list(self._unfolded(shape)))
        elif shape.tag == P + "graphicFrame":
            yield from self._frame(shape)
        elif shape.tag == P + "pic":
            self.pictures += 1
        elif (body := shape.find(P + "txBody")) is not None:
            if placeholder(shape) in MARGINS:
                self.margins.extend(paragraphs(body))
            else:
                yield from map(Paragraph, paragraphs(body))

    def _frame(self, frame: Element) -> Iterator[Block]:
        for node in frame.iter(A + "tbl", P + "oleObj", *_REFERENCES):
            if node.tag == A + "tbl":
                yield _grid(node)
            elif node.tag == P + "oleObj":
                self.embedded.append(node.get("progId", ""))
                return
            else:
                yield from self._part(node)

    def _part(self, reference: Element) -> Iterator[Block]:
        relation = self.deck.relations(self.slide.part).get(
            reference.get(R + ("dm" if reference.tag == DGM + "relIds" else "id"), "")
        )
        root = None if relation is None or relation.external else self.deck.xml(relation.target)
        for block in () if root is None else drawn_blocks(root):
            if isinstance(block, Table):
                yield Grid(block.rows, marked=1)
            elif isinstance(block, Line):
                yield Paragraph(block.text)

    def _place(self, shape: Element) -> tuple[float, float, float, float]:
        """Left, top, right, bottom; a placeholder without a place has that of its layout or master."""
        found = _extent(shape)
        kind = placeholder(shape)
        if found is None and kind is not None:
            mark = shape.find(f"*/{P}nvPr/{P}ph")
            index = "0" if mark is None else mark.get("idx", "0")
            for root in (self.slide.layout, self.slide.master):
                found = found or _inherited(root, kind, index)
        return found or (0, 0, 0, 0)


def placeholder(shape: Element) -> str | None:
    """The type of a placeholder ("obj" when it says none); None for any other shape."""
    mark = shape.find(f"*/{P}nvPr/{P}ph")
    return None if mark is None else mark.get("type", "obj")


def _extent(shape: Element) -> tuple[float, float, float, float] | None:
    for path in (f"{P}spPr/{A}xfrm", f"{P}grpSpPr/{A}xfrm", f"{P}xfrm"):
        frame = shape.find(path)
        offset, size = (None, None) if frame is None else (frame.find(A + "off"), frame.find(A + "ext"))
        if offset is not None and size is not None:
            left, top = number(offset.get("x"), 0), number(offset.get("y"), 0)
            return left, top, left + number(size.get("cx"), 0), top + number(size.get("cy"), 0)
    return None


def _inherited(root: Element | None, kind: str, index: str) -> tuple[float, float, float, float] | None:
    """Layouts are matched by index, masters by type; "obj" stands for the body."""
    by_type = None
    for shape in () if root is None else root.iter(P + "sp"):
        mark = shape.find(f"*/{P}nvPr/{P}ph")
        if mark is None:
            continue
        if mark.get("idx", "0") == index and mark.get("type", "obj") == kind:
            return _extent(shape)
        if by_type is None and mark.get("type", "obj") in (kind, {"obj": "body", "subTitle": "body"}.get(kind)):
            by_type = _extent(shape)
    return by_type


def _grid(table: Element) -> Grid:
    """Cells swallowed by a merge are not shown, each other one once."""
    rows = [
        row_of(
            "" if "1" in (cell.get("hMerge"), cell.get("vMerge")) or body is None else " ".join(paragraphs(body))
            for cell in row.iterchildren(A + "tc")
            for body in [cell.find(A + "txBody")]
        )
        for row in table.iterchildren(A + "tr")
    ]
    properties = table.find(A + "tblPr")
    first = properties is not None and properties.get("firstRow", "0") in ("1", "true")
    return Grid(rows, marked=1 if first and len(rows) > 1 else 0)
