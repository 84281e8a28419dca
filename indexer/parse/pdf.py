"""PDF: one section a page, or finer where bookmarks cut it.

pypdf opens, repairs and checks the file and knows its outline; pdfium reads the characters where
it reads them right, our own reader on pypdf the rest (`pdf_read`). Lines become text in four steps,
each on its own: columns, headers and footers, bookmarks, paragraphs. The state says what a person
may rely on: INDEXED only if every page was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

if TYPE_CHECKING:
    from .pdf_furniture import Leaf
    from .pdf_open import Opened
    from .pdf_read import Found

VERSION = "2"


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of a PDF. Raises ParseRefused; MemoryError is left to the sandbox."""
    from .pdf_fonts import fonts_read_once
    from .pdf_open import REPAIRED, bounded, open_pdf
    from .pdf_outline import title
    from .pdf_read import Reader, quiet, rendered
    from .pdf_scans import recognise

    with quiet() as log, bounded(limits, len(data)), fonts_read_once():
        opened = open_pdf(data)
        if log.losses and not opened.notes:
            opened.notes.append(REPAIRED)
        with rendered(data, opened) as document:
            reader = Reader(opened, document, log)
            leaves = list(_bounded(reader.leaves(), limits))
            scans = recognise(document, leaves, reader.found)
        sections = tuple(_sections(opened, leaves))
        state, notes = judge(reader.found, [*opened.notes, *scans], any_text=bool(sections))
        details: dict[str, object] = {"pages": len(opened.pages)}
        if opened.reader.is_encrypted:
            details["encrypted"] = True
        return Parsed(
            sections if state is not State.NO_TEXT else (), state, notes, "pdf", title(opened.reader), details
        )


def _bounded(leaves: Iterable[Leaf], limits: ParseLimits) -> Iterator[Leaf]:
    length = 0
    for leaf in leaves:
        length += sum(len(line.text) + 1 for line in leaf.lines)
        if length > limits.output_chars:
            raise ParseRefused(
                "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                limit=limits.output_chars,
            )
        yield leaf


def _sections(opened: Opened, leaves: list[Leaf]) -> Iterator[Section]:
    from .pdf_flow import text_of, words
    from .pdf_furniture import without_furniture
    from .pdf_outline import Outline, bookmarks, labels

    outline, printed = Outline(bookmarks(opened.reader)), labels(opened.reader)
    pages = without_furniture(leaves)
    known = words(line for lines in pages for line in lines)
    for index, lines in enumerate(pages):
        text = text_of(lines, outline.breaks(index, [line.text for line in lines]), known)
        for section in outline.sections(index, text):
            yield section._replace(place=printed.get(index, ""))


def judge(found: Found, notes: Iterable[Message], *, any_text: bool) -> tuple[State, tuple[Message, ...]]:
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


def _pages_said(found: Found) -> Iterator[Message]:
    from . import ocr

    if found.unreadable:
        yield Message(
            "Unreadable font on page(s) {pages}: it does not say which characters it shows;"
            " export the PDF again, or recognise its text (OCR)",
            {"pages": ranges(found.unreadable)},
        )
    if found.scans:
        pages: dict[str, object] = {"pages": ranges(found.scans)}
        if ocr.available():
            yield Message(
                "No text on page(s) {pages}, only images (a scan?); recognise its text (OCR) to find it", pages
            )
        else:
            yield Message("No text on page(s) {pages}, only images; OCR reads them: pip install 'indexer[ocr]'", pages)
    if found.pictures:
        yield Message(
            "Page(s) {pages} are images in which OCR finds no text; look at them, or scan them again",
            {"pages": ranges(found.pictures)},
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
