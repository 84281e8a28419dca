"""Sections to chunks, exactly as LangChain's RecursiveCharacterTextSplitter would cut them.

Own code because it is asked for spans, which LangChain finds again by searching for the text
(wrong for repeated passages), and because importing LangChain costs 0.24 s, more than all the
rest of a small update. `tests/split` proves the cuts equal to LangChain's.

Laws, held by property tests: ``chunk.text == parsed.text[chunk.start:chunk.end]``, with its
section's ``lead`` in front where it has one and does not begin with it; every
character that is no white space is in some chunk; no chunk is longer than ``size``; none is
white space only; with overlap 0 the chunks joined are the text but for white space.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from indexer.core.model import Chunk, Parsed, Section, SplitSettings
from indexer.core.ports import Splitter
from indexer.separators import patterns

VERSION = "2"
SENTENCES = 2  # the level below line ends
ROW_END = re.compile(r"\n|(?<=[^\n])\Z")
NONE: Mapping[int, int] = {}

Span = tuple[int, int]


def fingerprint(settings: SplitSettings) -> Mapping[str, object]:
    """JSON-able facts that decide the cuts; part of the profile."""
    return {"splitter": VERSION, "size": settings.size, "overlap": settings.overlap}


def make_splitter(settings: SplitSettings) -> Splitter:
    """A function from Parsed to its chunks in reading order."""
    cutter = _cutter(settings.size, settings.overlap)

    def split(parsed: Parsed) -> Sequence[Chunk]:
        return [chunk for block in _blocks(parsed.sections, settings.size) for chunk in _chunks(block, cutter)]

    return split


def _chunks(block: _Block, cutter: _Cutter) -> Iterator[Chunk]:
    """The block's chunks without the white space around them; of white space alone there is none."""
    text, base, headings, page, place = block.text, block.start, block.headings, block.page, block.place
    leads = _Leads(block) if block.leads else None
    for start, end in cutter.spans(block):
        piece = text[start:end]
        trimmed = piece.strip()
        if trimmed:
            if len(trimmed) != len(piece):
                start += len(piece) - len(piece.lstrip())
            at = base + start
            shown = leads.before(start, trimmed) + trimmed if leads else trimmed
            yield Chunk(shown, at, at + len(trimmed), headings, page, place)


class _Block(NamedTuple):
    """Neighbouring sections under one heading and on one page; no chunk crosses its edges."""

    text: str
    start: int
    headings: tuple[str, ...]
    page: int | None
    place: str
    whole: list[Span]  # tables and code: cut between lines only
    leads: dict[int, str]  # by the start of the table: its header


class _Leads:
    """Which header a chunk of the block lacks."""

    def __init__(self, block: _Block) -> None:
        self._tables = [(start, end, block.leads[start]) for start, end in block.whole if start in block.leads]
        self._starts = [start for start, _, _ in self._tables]

    def before(self, start: int, text: str) -> str:
        """What to put in front of the chunk that begins at ``start`` (in the block)."""
        i = bisect_right(self._starts, start) - 1
        if i < 0 or start >= self._tables[i][1] or text.startswith(self._tables[i][2].strip()):
            return ""
        return self._tables[i][2]


def lead_of(section: Section, size: int) -> str:
    """The lead as it is put before chunks: one that would fill half of them is cut, at a cell's edge if it has any."""
    if not section.lead or len(section.lead) < size // 2:
        return section.lead
    if size < 16:
        return ""
    room = section.lead[: max(1, size // 2 - 1)]
    edge = max(room.rfind(" | "), room.rfind("\t"))
    return room[: edge if edge > 0 else len(room)].rstrip() + "\n"


def _blocks(sections: Iterable[Section], size: int) -> Iterator[_Block]:
    """Groups sections; a heading without text of its own goes with the first one under it."""
    at = 0
    held: _Block | None = None
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
        block = _Block("".join(pieces), start, headings, page, place, whole, leads)
        if held is not None:
            block = _joined(held, block) if _leads(held, block, size) else (yield held) or block
        held = block
    if held is not None:
        yield held


def _leads(block: _Block, following: _Block, size: int) -> bool:
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


def _joined(first: _Block, second: _Block) -> _Block:
    shift = len(first.text)
    whole = [(start + shift, end + shift) for start, end in second.whole]
    leads = {start + shift: lead for start, lead in second.leads.items()}
    return _Block(first.text + second.text, first.start, second.headings, second.page, second.place, whole, leads)


@lru_cache(maxsize=256)
def _cutter(size: int, overlap: int) -> _Cutter:
    """One cutter a size: tables are cut shorter by the length of their header."""
    return _Cutter(size, overlap)


class _Cutter:
    """The recursive cutting for one size and overlap (characters)."""

    def __init__(self, size: int, overlap: int) -> None:
        self.size = size
        self.overlap = overlap
        self.patterns = patterns(size)
        self.last = len(self.patterns) - 1

    def spans(self, block: _Block) -> list[Span]:
        """Spans of a block's chunks, with the white space around them."""
        lacking = max((len(v) for at, v in block.leads.items() if not block.text.startswith(v.strip(), at)), default=0)
        if lacking:  # a table that goes on from another section: its chunks need room for the header
            return self._shorter(lacking)._spans(block)
        return self._spans(block)

    def _spans(self, block: _Block) -> list[Span]:
        found: list[Span] = []
        if len(block.text) <= self.size:
            found.append((0, len(block.text)))
        elif block.whole:
            self._merge(block.text, 0, self._with_whole(block), 1, found, block)
        else:
            self._split(block.text, 0, 0, found)
        return found

    def _split(self, text: str, base: int, level: int, found: list[Span]) -> None:
        """Cuts at the first separator that occurs in the text; ``base`` is its offset."""
        while level < self.last:
            ends = [match.end() for match in self.patterns[level].finditer(text)]
            level += 1
            if ends and ends[0] != len(text):  # one at the very end parts nothing
                if ends[-1] != len(text):
                    ends.append(len(text))
                return self._merge(text, base, ends, level, found)
        units = (match.end() for match in self.patterns[self.last].finditer(text))
        self._merge(text, base, units, self.last + 1, found)

    def _with_whole(self, block: _Block) -> Iterator[int]:
        """Ends of paragraphs, tables and code blocks."""
        at = 0
        for start, end in [*block.whole, (len(block.text), len(block.text))]:
            yield from (match.end() for match in self.patterns[0].finditer(block.text, at, start))
            yield start
            yield end
            at = end

    def _merge(
        self, text: str, base: int, ends: Iterable[int], deeper: int, found: list[Span], block: _Block | None = None
    ) -> None:
        """Joins neighbouring pieces up to ``size`` and cuts longer ones at a deeper level."""
        size, overlap, last = self.size, self.overlap, self.last
        whole = dict(block.whole) if block is not None else NONE
        starts: list[int] = []  # of the pieces in the chunk being filled, if they may overlap
        begin = at = 0
        for end in ends:
            if end - at >= size and deeper <= last:
                found.append((base + begin, base + at))
                lead = len(block.leads.get(at, "")) if block is not None else 0
                self._cut_long(text[at:end], base + at, deeper, found, at in whole, lead)
                starts, begin = [], end
            else:
                if end - begin > size:
                    found.append((base + begin, base + at))
                    begin = self._overlapping(starts, begin, at, end) if overlap else at
                if overlap:
                    starts.append(at)
            at = end
        found.append((base + begin, base + at))

    def _overlapping(self, starts: list[int], begin: int, at: int, end: int) -> int:
        """Where the next chunk begins: at most ``overlap`` before ``at``, and not too long with the piece to come."""
        first = 0
        while at - begin > self.overlap or (end - begin > self.size and begin < at):
            first += 1
            begin = starts[first] if first < len(starts) else at
        del starts[:first]
        return begin

    def _cut_long(self, text: str, base: int, deeper: int, found: list[Span], whole: bool, lead: int) -> None:
        if not whole:
            self._split(text, base, deeper, found)
        elif len(text.strip()) <= self.size:
            found.append((base, base + len(text)))
        else:
            rows = [match.end() for match in ROW_END.finditer(text)]
            self._shorter(lead)._merge(text, base, rows, SENTENCES, found)

    def _shorter(self, by: int) -> _Cutter:
        size = self.size - by
        return _cutter(size, min(self.overlap, size // 2)) if by else self
