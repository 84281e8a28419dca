"""Sections to chunks, exactly as LangChain's RecursiveCharacterTextSplitter would cut them.

Own code because it is asked for spans, which LangChain finds again by searching for the text
(wrong for repeated passages), and because importing LangChain costs 0.24 s, more than all the
rest of a small update. `tests/split` proves the cuts equal to LangChain's.

Laws, held by property tests: ``chunk.text == parsed.text[chunk.start:chunk.end]``, with its
section's ``lead`` in front where it has one and does not begin with it, or the first words of the
provision from whose middle it is (:mod:`.provisions`); every
character that is no white space is in some chunk; no chunk is longer than ``size`` (of numbered
provisions: ``provisions_factor`` times the size); none is white space only; with overlap 0 the chunks joined are the text but for white space.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from indexer.core.model import Chunk, Parsed, Section
from indexer.core.ports import Splitter
from indexer.core.tables import SplitSettings
from indexer.provisions import Provisions, is_numbered
from indexer.separators import patterns

VERSION = "3"
SENTENCES = 2  # the level below line ends
ROW_END = re.compile(r"\n|(?<=[^\n])\Z")
NONE: Mapping[int, int] = {}
Span = tuple[int, int]


def fingerprint(settings: SplitSettings) -> Mapping[str, object]:
    """JSON-able facts that decide the cuts; part of the profile."""
    return {"splitter": VERSION, **settings._asdict()}


def make_splitter(settings: SplitSettings) -> Splitter:
    """A function from Parsed to its chunks in reading order."""
    cutter = _cutter(settings.size, settings.overlap)
    larger = _cutter(settings.size * settings.provisions_factor, settings.overlap)

    def split(parsed: Parsed) -> Sequence[Chunk]:
        numbered = is_numbered(section.text for section in parsed.sections if section.kind == "text")
        blocks = _blocks(parsed.sections, settings.size)
        return [chunk for block in blocks for chunk in _chunks(block, cutter, larger if numbered else None)]

    return split


def _chunks(block: _Block, cutter: _Cutter, larger: _Cutter | None) -> Iterator[Chunk]:
    """The block's chunks without the white space around them; of white space alone there is none.

    With a larger cutter, that of a document of numbered provisions, these are cut by it.
    """
    text, base, headings, page, place = block.text, block.start, block.headings, block.page, block.place
    leads = _Leads(block) if block.leads else None
    provisions = Provisions(text, larger.size) if larger and not block.whole else None  # a table has its own header
    if provisions and larger:
        cutter = larger
    known = 0  # all before it is in the chunks so far
    for start, end in cutter.spans(block):
        if provisions:
            start = provisions.begin(start, known)
        piece = text[start:end]
        trimmed = piece.strip()
        if trimmed:
            if len(trimmed) != len(piece):
                start += len(piece) - len(piece.lstrip())
            until, lead = start + len(trimmed), ""
            if leads:
                lead = leads.before(start, until)
            elif provisions:
                start, lead = provisions.lead(start, known, until)
            known = until
            yield Chunk(lead + text[start:until], base + start, base + until, headings, page, place)


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
        found: list[Span] = []
        leads = _Leads(block) if block.leads else None
        if len(block.text) <= self._room(leads, 0):
            found.append((0, len(block.text)))
        elif block.whole:
            self._merge(block.text, 0, self._with_whole(block), 1, found, dict(block.whole), leads)
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
        self, text: str, base: int, ends: Iterable[int], deeper: int, found: list[Span],
        whole: Mapping[int, int] = NONE, leads: _Leads | None = None,
    ) -> None:  # fmt: skip
        """Joins neighbouring pieces up to ``size`` and cuts longer ones at a deeper level."""
        size, overlap, last = self.size, self.overlap, self.last
        starts: list[int] = []  # of the pieces in the chunk being filled, if they may overlap
        begin = at = 0
        room = self._room(leads, 0)  # of the chunk being filled
        for end in ends:
            if end - at >= (size if leads is None else self._room(leads, at)) and deeper <= last:
                found.append((base + begin, base + at))
                self._cut_long(text[at:end], base + at, deeper, found, at in whole, leads)
                starts, begin = [], end
                room = self._room(leads, begin)
            else:
                if end - begin > room:
                    found.append((base + begin, base + at))
                    begin = self._overlapping(starts, begin, at, end, leads) if overlap else at
                    room = self._room(leads, begin)
                if overlap:
                    starts.append(at)
            at = end
        found.append((base + begin, base + at))

    def _room(self, leads: _Leads | None, begin: int) -> int:
        """For a chunk from ``begin`` on: one that begins in a table without its header gets it in front."""
        return self.size if leads is None else self.size - leads.lacking(begin, self.size)

    def _overlapping(self, starts: list[int], begin: int, at: int, end: int, leads: _Leads | None) -> int:
        """Where the next chunk begins: at most ``overlap`` before ``at``, and not too long with the piece to come."""
        first = 0
        while at - begin > self.overlap or (begin < at and end - begin > self._room(leads, begin)):
            first += 1
            begin = starts[first] if first < len(starts) else at
        del starts[:first]
        return begin

    def _cut_long(
        self, text: str, base: int, deeper: int, found: list[Span], whole: bool, leads: _Leads | None
    ) -> None:
        if not whole:
            self._split(text, base, deeper, found)
        elif len(text.strip()) <= self._room(leads, base):
            found.append((base, base + len(text)))
        else:
            size = self.size - (len(leads.by_start.get(base, "")) if leads else 0)
            cutter = self if size == self.size else _cutter(size, min(self.overlap, size // 2))
            cutter._merge(text, base, (row.end() for row in ROW_END.finditer(text)), SENTENCES, found)
