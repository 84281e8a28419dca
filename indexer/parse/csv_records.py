"""Lines of a delimited text to records: which delimiter, and quotes that nobody closed."""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import islice

DELIMITERS = "\t,;|"
SAMPLED = 60  # records a delimiter is judged by
LONGEST_RECORD = 1000  # lines; a longer one has a quote that was never closed
_DECLARED = re.compile(r'"?sep=([^\r\n"])"?\r?\n?', re.I)


def sniff(start: str) -> tuple[str, bool]:
    """The delimiter of a text by its beginning, and whether its first line is only there to declare it."""
    if declared := _DECLARED.match(start):
        return declared[1], True
    # the last line of the sample may be cut off
    lines = start.splitlines(keepends=True)[: SAMPLED * 4]
    lines = lines[:-1] if len(lines) > 1 and len(start) > 1000 else lines
    scored = [(_score(lines, delimiter), -i, delimiter) for i, delimiter in enumerate(DELIMITERS)]
    best = max(scored)
    return (best[2] if best[0] > 0 else ","), False


def _score(lines: list[str], delimiter: str) -> float:
    """How alike the records are: the share that has the most frequent number of cells, if that is more than one."""
    try:
        widths = [len(record) for record in islice(_reader(lines, delimiter), SAMPLED) if record]
    except csv.Error:
        return 0.0
    if not widths:
        return 0.0
    width, count = max(Counter(widths).items(), key=lambda item: (item[1], item[0]))
    if width < 2:
        several = [w for w in widths if w > 1]
        return 0.3 * len(several) / len(widths) if widths[0] > 1 or len(several) * 2 >= len(widths) else 0.0
    return count / len(widths) + (0.5 if widths[0] == width else 0) + min(width, 50) / 1000


def records(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The records of the text; an empty line is an empty record.

    A quote that is never closed would swallow all lines after it: its line is then read without quotes.
    """
    csv.field_size_limit((1 << 31) - 1)  # a cell of any length is still a cell
    watched = _Watched(iter(lines))
    while True:
        try:
            for record in _reader(watched, delimiter):
                if watched.open_at_end():
                    break
                watched.taken.clear()
                yield record
            else:
                return
        except _Runaway:
            pass
        yield next(csv.reader([watched.give_back()], delimiter=delimiter, quoting=csv.QUOTE_NONE), [])


def _reader(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


class _Runaway(Exception):
    """A record has more lines than any real one."""


class _Watched:
    """Hands lines to the reader and keeps those of the record it is at."""

    def __init__(self, source: Iterator[str]) -> None:
        self._source = source
        self._returned: deque[str] = deque()
        self._ended = False
        self.taken: list[str] = []

    def __iter__(self) -> _Watched:
        return self

    def __next__(self) -> str:
        if len(self.taken) >= LONGEST_RECORD:
            raise _Runaway
        if self._returned:
            line = self._returned.popleft()
        else:
            try:
                line = next(self._source)
            except StopIteration:
                self._ended = True
                raise
        if line.startswith("\ufeff"):
            line = line.lstrip("\ufeff")
        self.taken.append(line)
        return line

    def open_at_end(self) -> bool:
        """Whether the text ended within quotes that began on an earlier line."""
        return self._ended and len(self.taken) > 1

    def give_back(self) -> str:
        """Puts all lines of the record back but the first, which it returns."""
        self._returned.extendleft(reversed(self.taken[1:]))
        first = self.taken[0]
        self.taken.clear()
        self._ended = False
        return first
