"""Lines to sections of about a passage, cut at blank lines, with line numbers as their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from indexer.core.model import Section

PASSAGE = 256  # characters: a group that has so many ends at the next blank line
MOST = 4096  # characters: one without blank lines ends at the next line
_LINE = re.compile(r"[^\n]*+\n|[^\n]++\Z")


def split_lines(text: str) -> list[str]:
    """The lines with their ends; only \\n ends one."""
    return _LINE.findall(text)


def placed(lines: Sequence[str], at: int) -> str:
    """The place of these lines, the first of which is number ``at`` (from 0): ``L10-L42``, without blank edges."""
    filled = [i for i, line in enumerate(lines) if not line.isspace()]
    if not filled:
        return ""
    first, last = at + filled[0] + 1, at + filled[-1] + 1
    return f"L{first}" if first == last else f"L{first}-L{last}"


def grouped(lines: Sequence[str], at: int, headings: tuple[str, ...] = ()) -> Iterator[Section]:
    """Sections of kind "code", which is cut between lines only, each of at least a passage but the last."""
    begin = size = 0
    for i, line in enumerate(lines):
        size += len(line)
        blank = line.isspace()
        following = i + 1 < len(lines) and not lines[i + 1].isspace()
        if (blank and following and size >= PASSAGE) or size >= MOST:
            yield _section(lines[begin : i + 1], at + begin, headings)
            begin, size = i + 1, 0
    if begin < len(lines):
        yield _section(lines[begin:], at + begin, headings)


def _section(lines: Sequence[str], at: int, headings: tuple[str, ...]) -> Section:
    return Section("".join(lines), headings, kind="code", place=placed(lines, at))
