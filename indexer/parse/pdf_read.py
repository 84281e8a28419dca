"""The lines of each page: by pdfium where it reads right, else by our own reader on pypdf."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from indexer.core.errors import ParseRefused

from .pdf_chars import Line, Page, read_page
from .pdf_columns import in_reading_order
from .pdf_furniture import Leaf
from .pdf_text import PageText, tidy, unlike_words

if TYPE_CHECKING:
    from pypdf import PageObject
    from pypdfium2 import PdfDocument

    from .pdf_open import Opened

# pypdf keeps every object it has read. They are let go after so much content or so many
# objects; sooner costs time, as objects in object streams must be unpacked again.
BYTES_KEPT = 24 << 20
OBJECTS_KEPT = 10_000
# A page without text that draws fewer paths than this is blank or a divider, not a drawing.
MIN_PATHS = 40
# pdfium gives up on damaged operands: where it made fewer objects of what the content shows, it lost some.
TAKEN = 0.9

_SHOWN = re.compile(rb"[\])>][\x00\t\n\x0c\r ]*T[jJ]\b")


class Log(logging.Handler):
    """Takes pypdf's warnings, and counts the objects and streams that came out short."""

    losses = 0

    def emit(self, record: logging.LogRecord) -> None:
        cut_short = record.name.startswith("pypdf.generic") and record.getMessage().startswith("Pdf")
        self.losses += cut_short or record.name == "pypdf.filters"


@contextmanager
def quiet() -> Iterator[Log]:
    """Nothing that pypdf logs is printed."""
    logger, log = logging.getLogger("pypdf"), Log(logging.WARNING)
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(log)
    try:
        yield log
    finally:
        logger.removeHandler(log)
        logger.propagate = propagate


@contextmanager
def rendered(data: bytes, opened: Opened) -> Iterator[PdfDocument | None]:
    """The file as pdfium opens it; None where it sees another file than pypdf does."""
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(data)
    except PdfiumError:
        yield None
        return
    try:
        yield document if len(document) == len(opened.pages) and not opened.notes else None
    finally:
        document.close()


@dataclass(slots=True)
class Found:
    """Page numbers from 1, by what is wrong with them."""

    scans: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    guessed: list[int] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)  # in which OCR finds no text


class _Read(NamedTuple):
    """What one reader made of a page."""

    lines: list[Line]
    tidied: PageText
    unlike: bool = False
    scan: bool = False
    complete: bool = True
    height: float = 0.0
    picture: bool = False


class Reader:
    """Reads pages one after the other; ``found`` says what is wrong with them."""

    def __init__(self, opened: Opened, document: PdfDocument | None, log: Log) -> None:
        from .pdf_fonts import FontShelf
        from .pdf_open import hidden_layers
        from .pdf_survey import Surveyor

        self.found = Found()
        self._opened = opened
        self._log = log
        self._shelf = FontShelf()
        self._surveyor = Surveyor()
        self._hidden = hidden_layers(opened.reader)
        self._document = None if self._hidden else document
        self._read_bytes = 0

    def leaves(self) -> Iterator[Leaf]:
        """The lines of each page; whatever goes wrong costs its page only, and is said."""
        for index in range(len(self._opened.pages)):
            yield self._leaf(index)

    def _leaf(self, index: int) -> Leaf:
        from .pdf_page import page_content

        losses_before = self._log.losses
        read = _Read([], tidy(""), complete=False)
        page = self._opened.pages[index]
        try:
            content, complete = page_content(page)
            read = self._by_pdfium(index, page, content) if complete else self._by_us(page, content)
            read = read._replace(complete=complete and read.complete)
        except (ParseRefused, MemoryError):
            raise
        except Exception:  # a hostile page makes pypdf raise nearly anything, RecursionError too
            read = read._replace(complete=False)
        self._note(index + 1, read, self._log.losses > losses_before)
        self._let_go()
        return Leaf(read.lines, read.height, read.picture)

    def _by_pdfium(self, index: int, page: PageObject, content: bytes) -> _Read:
        """pdfium's reading, unless our own knows more of the characters or pdfium may not read the page."""
        seen = self._seen(index, page, content)
        if seen is None or not seen.lines:
            return self._by_us(page, content)
        self._read_bytes += len(content)
        lines = in_reading_order(seen.lines)
        tidied = tidy("\n".join(line.text for line in lines), keep_lines=True)
        if tidied.unreadable:
            ours = self._by_us(page, content)
            if ours.tidied.text and (ours.tidied.unreadable < tidied.unreadable or ours.unlike):
                return ours
        texts = (text.strip() for text in tidied.text.split("\n"))
        lines = [line._replace(text=text) for line, text in zip(lines, texts, strict=True) if text]
        unlike = unlike_words(tidied.text, doubtful=False)
        return _Read(lines, tidied, unlike, height=seen.height, picture=seen.picture)

    def _seen(self, index: int, page: PageObject, content: bytes) -> Page | None:
        with suppress(Exception):  # a font or form in ruins: our own reader knows what to make of it
            if self._document is not None and self._surveyor.plain(page, content):
                seen = read_page(self._document, index)
                return seen if seen.objects >= TAKEN * len(_SHOWN.findall(content)) else None
        return None

    def _by_us(self, page: PageObject, content: bytes) -> _Read:
        """What our own reader makes of a page."""
        from .pdf_annots import add_annotations
        from .pdf_flatten import Flattener, PageTooComplex
        from .pdf_objects import as_dict
        from .pdf_page import layout

        flattener = Flattener(self._shelf, self._hidden)
        values: list[str] = []
        complete = True
        try:
            flattener.run(content, as_dict(page.get_inherited("/Resources")))
            values = add_annotations(page, flattener)
        except PageTooComplex:
            complete = False
        drawing = flattener.drawing
        self._read_bytes += flattener.read_bytes
        tidied = tidy("\n".join([layout(drawing), *values]))
        scan = bool(drawing.images or drawing.paths >= MIN_PATHS)
        unlike = unlike_words(tidied.text, doubtful=2 * drawing.doubtful > drawing.shows)
        lines = [Line(text) for text in tidied.text.removesuffix("\n").split("\n")] if tidied.text else []
        return _Read(lines, tidied, unlike, scan, complete)

    def _note(self, number: int, read: _Read, losses: bool) -> None:
        if read.tidied.guessed:
            self.found.guessed.append(number)
        if read.tidied.suspect or read.unlike:
            self.found.unreadable.append(number)
        elif not read.lines and read.scan:
            self.found.scans.append(number)
        if not read.complete or losses:
            self.found.broken.append(number)

    def _let_go(self) -> None:
        kept = self._opened.reader.resolved_objects
        if self._read_bytes > BYTES_KEPT or len(kept) > OBJECTS_KEPT:
            kept.clear()
            self._read_bytes = 0
