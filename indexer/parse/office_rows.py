"""A row of cells as lines: one, or several where a cell holds a table or the row is really a page layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .office_outline import Block, Paragraph, row_of

LONG_ROW = 600  # characters from which a cell's paragraphs stand on lines of their own


def row_lines(cells: Sequence[Sequence[Block]]) -> Iterator[str]:
    """The lines of one row; rows of a table in a cell stand in their place."""
    size = sum(len(block.text) for cell in cells for block in cell if isinstance(block, Paragraph))
    if size > LONG_ROW and any(len(cell) > 1 for cell in cells):
        for cell in cells:
            for block in cell:
                yield from [row_of([block.text])] if isinstance(block, Paragraph) else block.rows
        return
    line: list[str] = []
    for cell in cells:
        texts: list[str] = []
        for block in cell:
            if isinstance(block, Paragraph):
                texts.append(block.text)
                continue
            if above := row_of([*line, " ".join(texts)]):
                yield above
            yield from block.rows
            line, texts = [], []
        line.append(" ".join(texts))
    if last := row_of(line):
        yield last
