"""Sections to blocks: neighbours under one heading and on one page, with the header that pieces of a table lack."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from indexer.core.model import Section

Span = tuple[int, int]


class Block(NamedTuple):
    """Neighbouring sections under one heading and on one page; no chunk crosses its edges."""

    text: str
    start: int
    headings: tuple[str, ...]
    page: int | None
    place: str
    whole: list[Span]  # tables and code: cut between lines only
    leads: dict[int, str]  # by the start of the table: its header


class Leads:
    """Which header a chunk of the block lacks."""

    def __init__(self, block: Block) -> None:
        self._text, self.by_start = block.text, block.leads
        self._tables = [(start, end, block.leads[start]) for start, end in block.whole if start in block.leads]
        self._starts = [start for start, _, _ in self._tables]

    def before(self, start: int, end: int) -> str:
        """What to put in front of the chunk of this span (in the block), which begins with no white space."""
        i = bisect_right(self._starts, start) - 1
        if i < 0 or start >= self._tables[i][1] or self._text.startswith(self._tables[i][2].strip(), start, end):
            return ""
        return self._tables[i][2]

    def lacking(self, at: int, size: int) -> int:
        """Characters of the header that a chunk from ``at`` on needs room for, the white space left out."""
        head = self._text[at : at + size]
        return len(self.before(at + len(head) - len(head.lstrip()), len(self._text)))


def lead_of(section: Section, size: int) -> str:
    """The lead as it is put before chunks: one that would fill half of them is cut, at a cell's edge if it has any."""
    if not section.lead or len(section.lead) < size // 2:
        return section.lead
    if size < 16:
        return ""
    room = section.lead[: max(1, size // 2 - 1)]
    edge = max(room.rfind(" | "), room.rfind("\t"))
    return room[: edge if edge > 0 else len(room)].rstrip() + "\n"


def blocks(sections: Iterable[Section], size: int) -> Iterator[Block]:
    """Groups sections; a heading without text of its own goes with the first one under it."""
    at = 0
    held: Block | None = None
    for (headings, page, place), group in groupby(sections, key=lambda s: (s.headings, s.page, s.place)):
        start = at
        pieces: list[str] = []
        whole: list[Span] = []
        leads: dict[int, str] = {}
        for section in group:
            if section.kind != "text":
                whole.append((at - start, at - start + len(section.text)))
                if section.lead and section.text:
                    leads[at - start] = lead_of(section, size)
            pieces.append(section.text)
            at += len(section.text)
        if at == start:
            continue
        block = Block("".join(pieces), start, headings, page, place, whole, leads)
        if held is not None:
            block = _joined(held, block) if _leads(held, block, size) else (yield held) or block
        held = block
    if held is not None:
        yield held


def _leads(block: Block, following: Block, size: int) -> bool:
    """Whether a block is only a heading line above its first sub-section: too little to find."""
    depth = len(block.headings)
    return (
        0 < depth < len(following.headings)
        and following.headings[:depth] == block.headings
        and block.page == following.page
        and len(block.text) < size
        and "\n" not in block.text.strip()
        and not block.whole
        and not following.text.isspace()
    )


def _joined(first: Block, second: Block) -> Block:
    shift = len(first.text)
    whole = [(start + shift, end + shift) for start, end in second.whole]
    leads = {start + shift: lead for start, lead in second.leads.items()}
    return Block(first.text + second.text, first.start, second.headings, second.page, second.place, whole, leads)
