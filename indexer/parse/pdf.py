"""PDF: one section a page, or finer where bookmarks cut it.

A page is read, cleaned and let go before the next, so memory does not grow with the page
count. The state says what a person may rely on: INDEXED only if every page was read.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, ParseLimits, Section, State

if TYPE_CHECKING:
    from pypdf import PageObject

    from .pdf_open import Opened
    from .pdf_outline import Outline

VERSION = "1"
# pypdf keeps every object it has read. They are let go after so much content or so many
# objects; sooner costs time, as objects in object streams must be unpacked again.
BYTES_KEPT = 24 << 20
OBJECTS_KEPT = 10_000
# A page without text that draws fewer paths than this is blank or a divider, not a drawing.
MIN_PATHS = 40


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of a PDF. Raises ParseRefused; MemoryError is left to the sandbox."""
    from .pdf_fonts import fonts_read_once
    from .pdf_open import REPAIRED, bounded, open_pdf

    with _quiet() as log, bounded(limits, len(data)), fonts_read_once():
        opened = open_pdf(data)
        if log.losses and not opened.notes:
            opened.notes.append(REPAIRED)
        return _Reading(opened, log, limits).parsed()


class _Log(logging.Handler):
    """Takes pypdf's warnings, and counts the objects and streams that came out short."""

    losses = 0

    def emit(self, record: logging.LogRecord) -> None:
        cut_short = record.name.startswith("pypdf.generic") and record.getMessage().startswith("Pdf")
        self.losses += cut_short or record.name == "pypdf.filters"


@contextmanager
def _quiet() -> Iterator[_Log]:
    """Nothing that pypdf logs is printed."""
    logger, log = logging.getLogger("pypdf"), _Log(logging.WARNING)
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(log)
    try:
        yield log
    finally:
        logger.removeHandler(log)
        logger.propagate = propagate


@dataclass(slots=True)
class _Found:
    """Page numbers from 1, by what is wrong with them."""

    scans: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    guessed: list[int] = field(default_factory=list)


class _Reading:
    """One PDF on its way to sections."""

    def __init__(self, opened: Opened, log: _Log, limits: ParseLimits) -> None:
        from .pdf_fonts import FontShelf
        from .pdf_open import hidden_layers

        self._opened = opened
        self._log = log
        self._limits = limits
        self._shelf = FontShelf()
        self._hidden = hidden_layers(opened.reader)
        self._found = _Found()
        self._read_bytes = 0

    def parsed(self) -> Parsed:
        """Reads all pages and says what came of it."""
        from .pdf_outline import Outline, bookmarks, title

        reader = self._opened.reader
        sections = tuple(self._sections(Outline(bookmarks(reader))))
        state, notes = judge(self._found, self._opened.notes, any_text=bool(sections))
        details: dict[str, object] = {"pages": len(self._opened.pages)}
        if reader.is_encrypted:
            details["encrypted"] = True
        return Parsed(sections if state is not State.NO_TEXT else (), state, notes, "pdf", title(reader), details)

    def _sections(self, outline: Outline) -> Iterator[Section]:
        length = 0
        for index, page in enumerate(self._opened.pages):
            text = self._page(index + 1, page)
            length += len(text)
            if length > self._limits.output_chars:
                raise ParseRefused(
                    "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                    limit=self._limits.output_chars,
                )
            yield from outline.sections(index, text)
            self._let_go()

    def _let_go(self) -> None:
        kept = self._opened.reader.resolved_objects
        if self._read_bytes > BYTES_KEPT or len(kept) > OBJECTS_KEPT:
            kept.clear()
            self._read_bytes = 0

    def _page(self, number: int, page: PageObject) -> str:
        """The text of a page; whatever goes wrong costs this page only, and is said."""
        from .pdf_page import page_content

        losses_before = self._log.losses
        text = ""
        try:
            content, complete = page_content(page)
            text, read = self._read(number, page, content)
            complete = complete and read
        except (ParseRefused, MemoryError):
            raise
        except Exception:  # a hostile page makes pypdf raise nearly anything, RecursionError too
            complete = False
        if not complete or self._log.losses > losses_before:
            self._found.broken.append(number)
        return text

    def _read(self, number: int, page: PageObject, content: bytes) -> tuple[str, bool]:
        """The text of a page, and whether all of its content was looked at."""
        from .pdf_annots import add_annotations
        from .pdf_flatten import Flattener, PageTooComplex
        from .pdf_objects import as_dict
        from .pdf_page import layout
        from .pdf_text import tidy, unlike_words

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
        text = tidy("\n".join([layout(drawing), *values]))
        if text.guessed:
            self._found.guessed.append(number)
        if text.suspect or unlike_words(text.text, doubtful=2 * drawing.doubtful > drawing.shows):
            self._found.unreadable.append(number)
        elif not text.text and (drawing.images or drawing.paths >= MIN_PATHS):
            self._found.scans.append(number)
        return text.text, complete


def judge(found: _Found, notes: Iterable[Message], *, any_text: bool) -> tuple[State, tuple[Message, ...]]:
    """The state of the document and what a person should know of it.

    Raises ParseRefused where damage left no text: NO_TEXT would retire a good older version.
    """
    damage = tuple(notes)
    if not any_text and (found.broken or damage):
        raise ParseRefused("The PDF is damaged: no text can be read; copy or export it again")
    said = (*damage, *_pages_said(found))
    if not any_text:
        return State.NO_TEXT, said or (Message("The PDF has no text: all pages are blank"),)
    return (State.WARNED if said else State.INDEXED), said


def _pages_said(found: _Found) -> Iterator[Message]:
    if found.unreadable:
        yield Message(
            "Unreadable font on page(s) {pages}: it does not say which characters it shows;"
            " export the PDF again, or recognise its text (OCR)",
            {"pages": ranges(found.unreadable)},
        )
    if found.scans:
        yield Message(
            "No text on page(s) {pages}, only images (a scan?); recognise its text (OCR) to find it",
            {"pages": ranges(found.scans)},
        )
    if found.broken:
        yield Message(
            "Page(s) {pages} are damaged and could not be read completely; copy or export the PDF again",
            {"pages": ranges(found.broken)},
        )
    if found.guessed:
        yield Message(
            "The font on page(s) {pages} names Latin letters for Chinese ones; they were read as GB 2312, check them",
            {"pages": ranges(found.guessed)},
        )


def ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers as a person writes them: "1, 3-5, 9"; at most 12 stretches."""
    stretches: list[list[int]] = []
    for number in numbers:
        if stretches and number == stretches[-1][1] + 1:
            stretches[-1][1] = number
        else:
            stretches.append([number, number])
    shown = [f"{a}-{b}" if b > a else f"{a}" for a, b in stretches[:12]]
    return ", ".join(shown) + (", ..." if len(stretches) > 12 else "")
