"""Blocks of an office document to sections: cut at headings, tables, pages and places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from indexer.core.errors import ParseRefused
from indexer.core.model import Kind, Section
from indexer.core.tables import ParseLimits

BETWEEN = " | "
HEADING_CHARS = 200  # a longer "heading" is a paragraph in the wrong style
HEADER_FROM = 3  # rows from which the first one of a table is taken for its header


class Paragraph(NamedTuple):
    """A paragraph; ``level`` makes it a heading, 0 the highest."""

    text: str
    level: int | None = None


class Grid(NamedTuple):
    """A table as lines; ``marked`` is how many of them the document itself calls its header."""

    rows: Sequence[str]
    marked: int = 0


Block = Paragraph | Grid


class Outline:
    """Collects blocks in reading order; the sections' texts joined are the whole text."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limit = limits.output_chars
        self._written = 0
        self._made: list[Section] = []
        self._path: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._only_headings = True
        self._page: int | None = None
        self._place = ""

    @property
    def empty(self) -> bool:
        """Whether no text was collected yet."""
        return not self._made and not self._lines

    def stand(self, page: int | None, place: str = "", keep_path: bool = False) -> None:
        """What follows stands on this page and at this place; headings begin anew unless kept."""
        self._flush()
        self._page, self._place = page, place
        if not keep_path:
            self._path.clear()

    def take(self, blocks: Iterable[Block]) -> None:
        """Adds blocks."""
        for block in blocks:
            if isinstance(block, Grid):
                self.table(block.rows, block.marked)
            elif block.level is None:
                self.line(block.text)
            else:
                self.heading(block.text, block.level)

    def line(self, text: str) -> None:
        """A paragraph; blank ones leave no trace."""
        text = text.strip()
        if text:
            self._charge(text)
            self._lines.append(text)
            self._only_headings = False

    def heading(self, text: str, level: int) -> None:
        """A heading, 0 the highest; it opens a section and is its first line."""
        text = text.strip()
        if not text or len(text) > HEADING_CHARS:
            self.line(text)
            return
        if not self._only_headings or (self._path and self._path[-1][0] >= level):
            self._flush()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, " ".join(text.split())))
        self.line(text)
        self._only_headings = True

    def table(self, rows: Sequence[str], marked: int = 0) -> None:
        """A table of these lines; empty ones leave no trace."""
        rows = [row for row in rows if row]
        if not rows:
            return
        self._flush()
        for row in rows:
            self._charge(row)
        self._lines = list(rows)
        self._flush("table", lead_of_rows(rows, marked))

    def sections(self) -> tuple[Section, ...]:
        """Everything collected so far."""
        self._flush()
        return tuple(self._made)

    def _charge(self, text: str) -> None:
        self._written += len(text) + 1
        if self._written > self._limit:
            raise ParseRefused(
                "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                limit=self._limit,
            )

    def _flush(self, kind: Kind = "text", lead: str = "") -> None:
        if self._lines:
            text = "".join(f"{line}\n" for line in self._lines)
            headings = tuple(name for _, name in self._path)
            self._made.append(Section(text, headings, self._page, kind, self._place, lead))
        self._lines, self._only_headings = [], True


def lead_of_rows(rows: Sequence[str], marked: int = 0) -> str:
    """The header of a table: the rows marked so, else the first row of a table of at least three."""
    count = marked or (1 if len(rows) >= HEADER_FROM else 0)
    return "".join(f"{row}\n" for row in rows[:count]) if count < len(rows) else ""


def row_of(cells: Iterable[str]) -> str:
    """One row on one line; trailing empty cells are left out, an empty row is ""."""
    texts = [" ".join(cell.split()) for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return BETWEEN.join(texts).strip()
