"""Blocks to sections: cut at headings, tables and hard page breaks, never where a layout happened to break.

A section carries a page only when all of it lies on that page.
"""

from __future__ import annotations

from collections.abc import Iterable

from indexer.core.model import Kind, Section

from .docx_context import Block, Line
from .docx_document import Document, plain
from .docx_xml import PAGE_BREAK, PAGE_SEEN
from .office_outline import HEADING_CHARS, lead_of_rows


def assemble(document: Document) -> tuple[Section, ...]:
    """Headers, body, endnotes, footers; the sections' texts joined are the whole text."""
    cutter = _Cutter(document.pages is not None)
    cutter.take(document.body)
    body = cutter.end()
    rest = _Cutter(False)
    rest.take(document.endnotes)
    return (*_margin(document.headers), *body, *rest.end(), *_margin(document.footers))


def _margin(lines: tuple[str, ...]) -> list[Section]:
    text = "".join(f"{clean}\n" for line in lines if (clean := plain(line).strip()))
    return [Section(text)] if text else []


class _Cutter:
    def __init__(self, paged: bool) -> None:
        self._paged = paged
        self._sections: list[Section] = []
        self._path: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._only_headings = True
        self._page = 1  # where we are
        self._from: int | None = None  # page of the first line held

    def take(self, blocks: Iterable[Block]) -> None:
        """Adds blocks in reading order."""
        for block in blocks:
            if not isinstance(block, Line):
                self._flush()
                for row in block.rows:
                    self._line(row)
                self._flush("table", lead_of_rows(self._lines, block.marked))
            elif block.level is not None and len(block.text) <= HEADING_CHARS:
                self._heading(block.text, block.level)
            else:
                self._paragraph(block.text)

    def end(self) -> list[Section]:
        """The sections made."""
        self._flush()
        return self._sections

    def _paragraph(self, text: str) -> None:
        before, *after = text.split(PAGE_BREAK)
        self._line(before)
        for piece in after:
            self._flush()
            self._line(piece)

    def _heading(self, text: str, level: int) -> None:
        if PAGE_BREAK in text or not self._only_headings or (self._path and self._path[-1][0] >= level):
            self._flush()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        name = " ".join(plain(text).split())
        if name:
            self._path.append((level, name))
        self._line(text)
        self._only_headings = bool(self._lines)

    def _line(self, text: str) -> None:
        # A mark before the first character means that the line begins on the new page.
        lead = len(text) - len(text.lstrip(PAGE_SEEN + PAGE_BREAK + " \t\n"))
        self._page += text.count(PAGE_SEEN, 0, lead)
        clean = plain(text).strip()
        if clean:
            self._from = self._from or self._page
            self._lines.append(clean)
            self._only_headings = False
        self._page += text.count(PAGE_SEEN, lead)

    def _flush(self, kind: Kind = "text", lead: str = "") -> None:
        if self._lines:
            page = self._from if self._paged and self._from == self._page else None
            headings = tuple(name for _, name in self._path)
            text = "".join(f"{line}\n" for line in self._lines)
            self._sections.append(Section(text, headings, page, kind, lead=lead))
        self._lines, self._from, self._only_headings = [], None, True
