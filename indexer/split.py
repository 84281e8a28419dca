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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from indexer.blocks import Block, Leads, Span, blocks
from indexer.core.model import Chunk, Parsed
from indexer.core.ports import Splitter
from indexer.core.tables import SplitSettings
from indexer.provisions import Provisions, is_numbered
from indexer.separators import patterns

VERSION = "4"
SENTENCES = 2  # the level below line ends
ROW_END = re.compile(r"\n|(?<=[^\n])\Z")
NONE: Mapping[int, int] = {}


def fingerprint(settings: SplitSettings) -> Mapping[str, object]:
    """JSON-able facts that decide the cuts; part of the profile."""
    return {"splitter": VERSION, **settings._asdict()}


def make_splitter(settings: SplitSettings) -> Splitter:
    """A function from Parsed to its chunks in reading order."""
    cutter = _cutter(settings.size, settings.overlap)
    larger = _cutter(settings.size * settings.provisions_factor, settings.overlap)

    def split(parsed: Parsed) -> Sequence[Chunk]:
        numbered = is_numbered(section.text for section in parsed.sections if section.kind == "text")
        chunks: list[Chunk] = []
        known: Block | None = None  # the block before, and its provisions
        provisions: Provisions | None = None
        for block in blocks(parsed.sections, settings.size):
            before = provisions.going_on() if provisions and known and _on_the_next_page(known, block) else ""
            # a table has its own header
            provisions = Provisions(block.text, larger.size, before) if numbered and not block.whole else None
            chunks += _chunks(block, larger if provisions else cutter, provisions)
            known = block
        return chunks

    return split


def _on_the_next_page(known: Block, block: Block) -> bool:
    """Whether a text goes on from one page to the next."""
    return known.headings == block.headings and block.page is not None and known.page != block.page


def _chunks(block: Block, cutter: _Cutter, provisions: Provisions | None) -> Iterator[Chunk]:
    """The block's chunks without the white space around them; of white space alone there is none."""
    text, base, headings, page, place = block.text, block.start, block.headings, block.page, block.place
    leads = Leads(block) if block.leads else None
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

    def spans(self, block: Block) -> list[Span]:
        """Spans of a block's chunks, with the white space around them."""
        found: list[Span] = []
        leads = Leads(block) if block.leads else None
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

    def _with_whole(self, block: Block) -> Iterator[int]:
        """Ends of paragraphs, tables and code blocks."""
        at = 0
        for start, end in [*block.whole, (len(block.text), len(block.text))]:
            yield from (match.end() for match in self.patterns[0].finditer(block.text, at, start))
            yield start
            yield end
            at = end

    def _merge(
        self, text: str, base: int, ends: Iterable[int], deeper: int, found: list[Span],
        whole: Mapping[int, int] = NONE, leads: Leads | None = None,
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

    def _room(self, leads: Leads | None, begin: int) -> int:
        """For a chunk from ``begin`` on: one that begins in a table without its header gets it in front."""
        return self.size if leads is None else self.size - leads.lacking(begin, self.size)

    def _overlapping(self, starts: list[int], begin: int, at: int, end: int, leads: Leads | None) -> int:
        """Where the next chunk begins: at most ``overlap`` before ``at``, and not too long with the piece to come."""
        first = 0
        while at - begin > self.overlap or (begin < at and end - begin > self._room(leads, begin)):
            first += 1
            begin = starts[first] if first < len(starts) else at
        del starts[:first]
        return begin

    def _cut_long(self, text: str, base: int, deeper: int, found: list[Span], whole: bool, leads: Leads | None) -> None:
        if not whole:
            self._split(text, base, deeper, found)
        elif len(text.strip()) <= self._room(leads, base):
            found.append((base, base + len(text)))
        else:
            size = self.size - (len(leads.by_start.get(base, "")) if leads else 0)
            cutter = self if size == self.size else _cutter(size, min(self.overlap, size // 2))
            cutter._merge(text, base, (row.end() for row in ROW_END.finditer(text)), SENTENCES, found)
