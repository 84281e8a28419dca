"""Paragraphs and tables of one story (body, header, note, box), put together from a stream of characters."""

from __future__ import annotations

from dataclasses import dataclass, field

from .office_outline import Block, Grid, Paragraph, row_of

MAX_NESTED = 8  # tables within tables


@dataclass(slots=True)
class Look:
    """Properties of the paragraph being read; ``\\pard`` makes them new."""

    level: int | None = None
    title: bool = False
    in_table: bool = False
    depth: int = 1  # \itap

    def nest(self, depth: int) -> None:
        """``\\itap``: 0 is outside of tables, 2 inside a table within a table."""
        self.in_table = depth > 0
        self.depth = max(1, depth)


@dataclass(slots=True)
class _Row:
    """A row being filled: texts of its cells, the paragraphs of the open one, rows of tables in it."""

    cells: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)


class Story:
    """Takes text and the ends of paragraphs, cells and rows; ``blocks`` is what came out."""

    def __init__(self, kind: str = "body") -> None:
        self.kind = kind
        self.blocks: list[Block] = []
        self.title = ""
        self._text: list[str] = []
        self._floats: list[Block] = []  # boxes and notes, given after the paragraph or table they belong to
        self._rows: list[str] = []
        self._marked = 0
        self._row = _Row()
        self._nested = [_Row() for _ in range(MAX_NESTED)]
        self._header_row = False
        self._row_begun = False

    def begin_row(self) -> None:
        """``\\trowd``: a row is defined, before its cells or (again) after them."""
        self._row_begun = True
        self._header_row = False

    def mark_row(self) -> None:
        """``\\trhdr``: the row is part of the header."""
        self._header_row = True

    def say(self, text: str) -> None:
        """Characters of the open paragraph."""
        self._text.append(text)

    def add(self, blocks: list[Block]) -> None:
        """Blocks of a note or box, to follow what is being read."""
        self._floats.extend(blocks)

    def paragraph(self, look: Look) -> None:
        """The end of a paragraph."""
        text = self._take()
        inside = look.in_table or (self._row_begun and bool(self._row.cells))
        if inside:
            self._open(look).append(text)
            return
        if self._row.open:  # text of a row that never ended
            self.row()
        if text or self._rows:
            self._end_table()
        if text:
            if look.title and not self.title:
                self.title = " ".join(text.split())
            self.blocks.append(Paragraph(text, look.level))
        self._give()

    def cell(self) -> None:
        """The end of a cell."""
        self._row.open.append(self._take())
        self._row.cells.append(" ".join(filter(None, self._row.open)))
        self._row.open = []

    def row(self) -> None:
        """The end of a row."""
        if self._row.open:
            self.cell()
        line = row_of(self._row.cells)
        lines = [*self._row.before, line] if line else self._row.before
        if self._header_row and self._marked == len(self._rows):
            self._marked += len(lines)
        self._rows.extend(lines)
        self._row = _Row()
        self._header_row = self._row_begun = False

    def nested_cell(self, look: Look) -> None:
        """The end of a cell in a table within a table."""
        row = self._nested[_place(look)]
        row.open.append(self._take())
        row.cells.append(" ".join(filter(None, row.open)))
        row.open = []

    def nested_row(self, look: Look) -> None:
        """The end of a row in a table within a table: a line before the rest of the outer row."""
        place = _place(look)
        row, self._nested[place] = self._nested[place], _Row()
        outer = self._row
        if outer.open or outer.cells:  # what stands before the inner table comes before it
            outer.before.append(row_of([*outer.cells, " ".join(filter(None, outer.open))]))
            outer.cells, outer.open = [], []
        outer.before.extend(filter(None, [*row.before, row_of(row.cells)]))

    def end(self, look: Look) -> list[Block]:
        """The blocks, when the story is over."""
        if look.in_table and not (self._row.cells or self._row.open):
            look = Look()
        self.paragraph(look)
        if self._row.open or self._row.cells:
            self.row()
        self._end_table()
        self._give()
        return self.blocks

    def _open(self, look: Look) -> list[str]:
        return self._row.open if look.depth < 2 else self._nested[_place(look)].open

    def _take(self) -> str:
        text, self._text = "".join(self._text), []
        # \u writes astral characters as two halves.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip()

    def _end_table(self) -> None:
        if self._rows:
            self.blocks.append(Grid(self._rows, self._marked))
            self._rows, self._marked = [], 0

    def _give(self) -> None:
        if not self._rows:
            self.blocks.extend(self._floats)
            self._floats = []


def _place(look: Look) -> int:
    return min(max(look.depth - 2, 0), MAX_NESTED - 1)
