"""The pages of an OpenDocument presentation or drawing, in reading order, with their notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .odf_package import DRAW, PRESENTATION, STYLE, SVG
from .odf_story import Context, Story
from .office_outline import Block, Grid, Outline, Paragraph
from .pptx_order import Box, reading_order

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_LENGTH = re.compile(r"(-?[0-9.]{1,20})(cm|mm|in|pt|pc|px)?$")
_UNITS = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "pc": 2.54 / 6, "px": 2.54 / 96, None: 1.0}
_MARGINS = frozenset(("footer", "header", "date-time", "page-number", "page"))
_FIELDS = (("footer", "use-footer-name"), ("header", "use-header-name"), ("date-time", "use-date-time-name"))


class Slides:
    """Writes page after page into the outline; ``fixed`` are the lines to give once, at the end."""

    def __init__(self, context: Context, outline: Outline, body: Element, masters: Iterable[Element]) -> None:
        self._context = context
        self._outline = outline
        self._body = body
        self._masters = {master.get(STYLE + "name", ""): master for master in masters}
        self._seen: set[str] = set()
        self.fixed: dict[str, None] = {}
        self.title = ""
        self.count = 0
        self.hidden: list[int] = []

    def read(self) -> None:
        """All pages."""
        for number, page in enumerate(self._body.iterchildren(DRAW + "page"), 1):
            self.count = number
            if self._context.styles.page_hidden(page.get(DRAW + "style-name", "")):
                self.hidden.append(number)
            self._outline.stand(number)
            self._outline.take(self._page(page))
            notes = page.find(PRESENTATION + "notes")
            if notes is not None:
                self._outline.stand(number, "notes", keep_path=True)
                self._outline.take(self._shapes([s for s in notes if s.get(PRESENTATION + "class") not in _MARGINS]))
            self._declared(page)
            self._master(page.get(DRAW + "master-page-name", ""))

    def _page(self, page: Element) -> Iterator[Block]:
        shapes = [shape for shape in page.iterchildren() if shape.tag != PRESENTATION + "notes"]
        shapes = [shape for shape in shapes if shape.get(PRESENTATION + "class") not in _MARGINS]
        titles = [shape for shape in shapes if shape.get(PRESENTATION + "class") == "title"]
        for shape in titles:
            text = " ".join(" ".join(_texts(self._shapes([shape]))).split())
            if text:
                self.title = self.title or text
                yield Paragraph(text, 0)
        yield from self._shapes([shape for shape in shapes if shape not in titles])

    def _shapes(self, shapes: list[Element]) -> Iterator[Block]:
        boxes = [Box(*_place(shape), index) for index, shape in enumerate(shapes)]
        for index in reading_order(boxes):
            shape = shapes[index]
            if shape.get(PRESENTATION + "placeholder", "false") == "true":
                continue  # a prompt: nobody has written there
            if shape.tag == DRAW + "g":
                yield from self._shapes(list(shape))
            else:
                out: list[Block] = []
                Story(self._context).block(shape, out)
                yield from (Paragraph(b.text) if isinstance(b, Paragraph) else b for b in out)

    def _declared(self, page: Element) -> None:
        """Footer, header and date that the page shows of those the document declares."""
        for kind, attribute in _FIELDS:
            name = page.get(PRESENTATION + attribute)
            for found in self._body.iterchildren(PRESENTATION + kind + "-decl") if name else ():
                text = " ".join((found.text or "").split())
                if found.get(PRESENTATION + "name") == name and text:
                    self.fixed[text] = None

    def _master(self, name: str) -> None:
        master = self._masters.get(name)
        if master is None or name in self._seen:
            return
        self._seen.add(name)
        shapes = [s for s in master if not s.get(PRESENTATION + "class") and s.tag != PRESENTATION + "notes"]
        self.fixed.update(dict.fromkeys(_texts(self._shapes(shapes))))


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield from block.rows if isinstance(block, Grid) else [block.text]


def _place(shape: Element) -> tuple[float, float, float, float]:
    if shape.tag == DRAW + "g":
        inner = [_place(child) for child in shape.iterchildren() if child.tag != SVG + "desc"] or [(0.0, 0.0, 0.0, 0.0)]
        lefts, tops, rights, bottoms = zip(*inner, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)
    left, top = _length(shape, "x", "x1"), _length(shape, "y", "y1")
    return left, top, left + _length(shape, "width"), top + _length(shape, "height")


def _length(shape: Element, *names: str) -> float:
    for name in names:
        match = _LENGTH.match(shape.get(SVG + name, ""))
        if match:
            try:
                return float(match[1]) * _UNITS[match[2]]
            except ValueError:
                return 0.0
    return 0.0
