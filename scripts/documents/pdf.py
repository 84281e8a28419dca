"""Blocks to a PDF with bookmarks, tables, a running header and page numbers.

Only fonts that every reader brings are used (Helvetica; STSong-Light with UniGB-UCS2-H for
Chinese), so nothing is embedded. The same blocks give the same bytes: fixed dates and ids,
and no compression, because two builds of zlib may compress alike text differently.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Table

from .blocks import Block, Rows, Text

SONG = "STSong-Light"
DATE = "SOURCE_DATE_EPOCH"
MARGIN = 2.3 * cm
WIDTH = A4[0] - 2 * MARGIN
SIZES = {"title": (20, 26, 0), "h1": (14, 20, 12), "h2": (11.5, 16, 8), "p": (10.5, 15, 0), "cell": (9, 12, 0)}
GRID = [
    ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
    ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
]


def pdf(text: Text) -> bytes:
    """The bytes of the .pdf file."""
    if text.chinese:
        pdfmetrics.registerFont(UnicodeCIDFont(SONG))
    made = io.BytesIO()
    with _dated(text):
        _Template(made, text).build(list(_flowables(text)))
    return made.getvalue()


@contextmanager
def _dated(text: Text) -> Iterator[None]:
    """The document's date as the PDF's: reportlab takes it from this variable only."""
    before = os.environ.get(DATE)
    os.environ[DATE] = str(int(text.when.timestamp()))
    try:
        yield
    finally:
        del os.environ[DATE]
        if before is not None:
            os.environ[DATE] = before


class _Template(BaseDocTemplate):  # type: ignore[misc]  # reportlab has no types
    """A4 pages with header and footer; headings become bookmarks."""

    def __init__(self, file: io.BytesIO, text: Text) -> None:
        facts = text.facts
        super().__init__(
            file,
            pagesize=A4,
            title=facts["title"],
            subject=facts["number"],
            author="Lanwan Instruments",
            creator="Lanwan Instruments",
            lang="zh-CN" if text.chinese else "en-US",
            invariant=1,
            pageCompression=0,
        )
        self.text = text
        frame = Frame(MARGIN, MARGIN, WIDTH, A4[1] - 2 * MARGIN, 0, 0, 0, 0)
        self.addPageTemplates(PageTemplate("page", [frame], onPage=self.edges))

    def edges(self, canvas: Any, _: BaseDocTemplate) -> None:
        """Header and footer of a page."""
        canvas.setFont(_font("p", self.text), 8)
        canvas.drawString(MARGIN, A4[1] - 1.4 * cm, self.text.facts["header"])
        canvas.drawString(MARGIN, 1.2 * cm, self.text.facts["footer"])
        page = f"第 {canvas.getPageNumber()} 页" if self.text.chinese else f"Page {canvas.getPageNumber()}"
        canvas.drawRightString(A4[0] - MARGIN, 1.2 * cm, page)

    def afterFlowable(self, flowable: Flowable) -> None:  # reportlab's name
        """Called when a flowable has found its place: the bookmark of a heading is set there."""
        if (level := getattr(flowable, "outline", None)) is not None:
            key = f"h{self.seq.nextf('heading')}"
            self.canv.bookmarkHorizontal(key, 0, self.frame._y + flowable.height)
            self.canv.addOutlineEntry(flowable.getPlainText(), key, level)


def _flowables(text: Text) -> Iterator[Flowable]:
    yield Paragraph(escape(text.facts["title"]), _style("title", text))
    yield Paragraph(escape(text.facts["subtitle"]), _style("cell", text))
    yield from (_flowable(block, text) for block in text.blocks)


def _flowable(block: Block, text: Text) -> Flowable:
    if block.kind == "table":
        return _table(block.rows, text)
    made = Paragraph(escape(block.text), _style(block.kind, text))
    if block.kind in ("h1", "h2"):
        made.outline = int(block.kind[1]) - 1
    return made


def _table(rows: Rows, text: Text) -> Table:
    """Columns as wide as their longest cell asks for, within the page."""
    style = _style("cell", text)
    wanted = [
        max(pdfmetrics.stringWidth(cell, style.fontName, style.fontSize) for cell in column)
        for column in zip(*rows, strict=True)
    ]
    padding = 14
    scale = min(1.0, (WIDTH - padding * len(wanted)) / sum(wanted))
    cells = [[Paragraph(escape(cell), style) for cell in row] for row in rows]
    widths = [width * scale + padding for width in wanted]
    return Table(cells, widths, repeatRows=1, style=GRID, hAlign="LEFT", spaceBefore=3, spaceAfter=10)


def _style(kind: str, text: Text) -> ParagraphStyle:
    size, leading, before = SIZES[kind]
    wrap = {"wordWrap": "CJK"} if text.chinese else {}
    return ParagraphStyle(
        kind,
        fontName=_font(kind, text),
        fontSize=size,
        leading=leading,
        spaceBefore=before,
        spaceAfter=0 if kind == "cell" else 5,
        keepWithNext=kind in ("h1", "h2"),
        **wrap,
    )


def _font(kind: str, text: Text) -> str:
    if text.chinese:
        return SONG
    return "Helvetica-Bold" if kind in ("title", "h1", "h2") else "Helvetica"
