"""Tables as text (.csv, .tsv): any encoding, the delimiter found by counting, row groups with their header.

The text is decoded twice: once as a whole, to know the encoding, and then block by block, because
one character outside the basic plane would make a text of 60 MB take four bytes a character.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits

from .csv_records import records, sniff
from .sheet_layout import Row
from .sheet_table import Room, one_line, table_sections

VERSION = "1"
SAMPLE = 1 << 16  # characters in which the delimiter is looked for


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """Row groups of one table, or of several with empty lines between them."""
    from .text import read

    found = read(data)
    if not found.text:
        return Parsed((), found.state, found.notes, "csv", details=found.details)
    start = found.text[:SAMPLE]
    data, encoding = (found.text.encode(), "utf-8") if found.notes else (data, str(found.details["encoding"]))
    state, notes, details = found.state, found.notes, found.details
    del found
    delimiter, declared = sniff(start)
    stream = io.TextIOWrapper(io.BytesIO(data), encoding, newline="")
    if declared:
        stream.readline()
    sections = tuple(table_sections(_rows(stream, delimiter), Room(limits)))
    return Parsed(sections, state, notes, "csv", details=details | {"delimiter": delimiter})


def _rows(stream: io.TextIOWrapper, delimiter: str) -> Iterator[Row]:
    """Rows with text, numbered as a spreadsheet program numbers them."""
    for number, record in enumerate(records(stream, delimiter), 1):
        cells = {i: text for i, cell in enumerate(record) if (text := one_line(cell))}
        if cells:
            yield Row(number, cells)
