"""Pages without text that are pictures: rendered by pdfium and read by `ocr`, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from indexer.core.model import Message

from . import ocr, progress
from .pdf_chars import Line
from .pdf_furniture import Leaf
from .pdf_text import unlike_words

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

    from .pdf_read import Found

DPI = 200
MOST_PIXELS = 12_000_000  # an A3 page at 250 dpi
DOUBTFUL = 0.8  # mean score below which a person should look


def recognise(document: PdfDocument | None, leaves: list[Leaf], found: Found) -> list[Message]:
    """Gives pages that are pictures, or whose fonts say nothing, the text that is seen on them.

    ``found`` keeps only what could not be read; returns what a person should know.
    """
    wanted = sorted({*found.scans, *found.unreadable, *(n for n, leaf in enumerate(leaves, 1) if leaf.picture)})
    if not wanted or document is None or not ocr.available():
        return []
    granted = progress.announce(len(wanted))
    doubtful = []
    for number in wanted[:granted]:
        reading = ocr.read(_image(document, number - 1))
        if number in found.scans:
            found.scans.remove(number)
        if not leaves[number - 1].lines and not reading.text:
            found.pictures.append(number)
        elif _adds(leaves[number - 1], reading.text):
            leaves[number - 1] = Leaf(list(_lines(leaves[number - 1], reading.text)))
            if number in found.unreadable:
                found.unreadable.remove(number)
            if reading.score < DOUBTFUL:
                doubtful.append(number)
    return list(_said(doubtful, granted, len(wanted)))


def _said(doubtful: list[int], granted: int, wanted: int) -> Iterator[Message]:
    from .pdf import ranges

    if doubtful:
        pages = {"pages": ranges(doubtful)}
        yield Message("The picture is hard to read, its text may be wrong (page {pages})", pages)
    if granted < wanted:
        values = {"count": granted, "pages": wanted}
        yield Message("Only the first {count} of {pages} pages were read: raise limits.pages", values)


def _adds(leaf: Leaf, text: str) -> bool:
    """Whether a picture says more than the page; a font that says nothing may be drawn as nonsense too."""
    if unlike_words(text, doubtful=True):
        return False
    return len(text) > 1.2 * sum(len(line.text) for line in leaf.lines)


def _lines(leaf: Leaf, text: str) -> Iterator[Line]:
    """The recognised text; what the page said itself is kept where it is not on the picture."""
    seen = "".join(text.split())
    for line in leaf.lines:
        if leaf.picture and "".join(line.text.split()) not in seen:
            yield Line(line.text)
    for line_text in text.removesuffix("\n").split("\n"):
        yield Line(line_text)


def _image(document: PdfDocument, index: int) -> ocr.Image:
    """A page as red, green and blue, at 200 dpi or what fits into the bound on pixels."""
    from pypdfium2.raw import FPDFBitmap_BGR

    with closing(document[index]) as page:
        width, height = page.get_size()
        scale = min(DPI / 72, (MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
        bitmap = page.render(scale=scale, force_bitmap_format=FPDFBitmap_BGR, rev_byteorder=True)
        with closing(bitmap):
            image: ocr.Image = bitmap.to_numpy().copy()
            return image
