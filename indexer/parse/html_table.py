"""Tables of a page: rows of data with their header, or a layout whose cells are read one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .html_blocks import Block, one_line

LONG_CELL = 400  # characters; a cell of several paragraphs beyond it is a column of a page
MAX_SPAN = 20  # wider or higher cells belong to layouts
BETWEEN = "\t"  # a blank to whoever searches for words that stand beside each other


@dataclass
class Cell:
    """A cell: its blocks, whether it is a header, how far it reaches."""

    blocks: list[Block]
    header: bool = False
    columns: int = 1
    rows: int = 1

    def is_layout(self) -> bool:
        """Whether its text does not fit on a line: tables and code inside, or paragraphs of an article."""
        if any(
            block.kind in ("table", "aside") or (block.kind == "code" and "\n" in block.text) for block in self.blocks
        ):
            return True
        return len(self.blocks) > 1 and sum(len(block.text) for block in self.blocks) > LONG_CELL


@dataclass
class Table:
    """A table being read."""

    rows: list[list[Cell]] = field(default_factory=list)
    headers: set[int] = field(default_factory=set)  # rows inside <thead>
    caption: list[Block] = field(default_factory=list)
    in_head: bool = False

    def row(self) -> list[Cell]:
        """Opens a row."""
        if self.in_head:
            self.headers.add(len(self.rows))
        self.rows.append([])
        return self.rows[-1]

    def blocks(self) -> Iterator[Block]:
        """The caption, then runs of data rows as tables and layout rows as what their cells hold."""
        yield from self.caption
        lines = self._lines()
        lead = self._lead(lines)
        held: list[str] = []
        for row, line in zip(self.rows, lines, strict=True):
            if line is not None:
                held += [line] if line else []
                continue
            yield from _table(held, lead)
            held = []
            yield from _laid_out(row)
        yield from _table(held, lead)

    def _lines(self) -> list[str | None]:
        """Each row as a line, "" for one without text, None for a row of a layout."""
        reaching: dict[int, int] = {}  # column to the rows still covered by a cell above
        single = all(sum(1 for cell in row if one_line(cell.blocks)) <= 1 for row in self.rows)
        made: list[str | None] = []
        for row in self.rows:
            texts = _placed(row, reaching)
            if any(cell.is_layout() for cell in row) or (single and any(len(cell.blocks) > 1 for cell in row)):
                made.append(None)
            else:
                while texts and not texts[-1]:
                    texts.pop()
                made.append(BETWEEN.join(texts) if any(texts) else "")
        return made

    def _lead(self, lines: list[str | None]) -> str:
        """The header rows: those of <thead>, else of header cells alone, else a full first row of three columns and more."""
        lead: list[str] = []
        for index, (row, line) in enumerate(zip(self.rows, lines, strict=True)):
            if not line or not (index in self.headers or all(cell.header for cell in row)):
                if line == "":
                    continue
                break
            lead.append(line)
        if not lead and lines and lines[0] and len(self.rows) > 2 and _is_header(self.rows[0]):
            lead.append(lines[0])
        return "".join(f"{line}\n" for line in lead) if len(lead) < len(lines) else ""


def _is_header(row: list[Cell]) -> bool:
    texts = [one_line(cell.blocks) for cell in row]
    return len(texts) > 2 and all(text and len(text) <= 40 and not text[0].isdigit() for text in texts)


def _placed(row: list[Cell], reaching: dict[int, int]) -> list[str]:
    """The texts of a row by column; places covered by a cell beside or above are empty."""
    texts: list[str] = []
    for cell in row:
        _skip_covered(texts, reaching)
        for column in range(len(texts), len(texts) + cell.columns):
            if cell.rows > 1:
                reaching[column] = cell.rows - 1
        texts += [one_line(cell.blocks), *[""] * (cell.columns - 1)]
    _skip_covered(texts, reaching)
    return texts


def _skip_covered(texts: list[str], reaching: dict[int, int]) -> None:
    while reaching.get(len(texts), 0) > 0:
        reaching[len(texts)] -= 1
        texts.append("")


def _table(lines: list[str], lead: str) -> Iterator[Block]:
    if not lines:
        return
    text = "\n".join(lines)
    if BETWEEN in text:
        yield Block("table", text, lead=lead)
    else:
        for line in lines:
            yield Block("text", line)


def _laid_out(row: list[Cell]) -> Iterator[Block]:
    """The blocks of the cells one after the other; short cells beside each other stay on a line."""
    short: list[str] = []
    for cell in row:
        if len(row) > 1 and not cell.is_layout():
            short.append(one_line(cell.blocks))
            continue
        if any(short):
            yield Block("text", BETWEEN.join(filter(None, short)), apart=True)
        short = []
        yield from cell.blocks
    if any(short):
        yield Block("text", BETWEEN.join(filter(None, short)), apart=True)
