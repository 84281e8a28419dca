"""Laws of the splitter, on random documents."""

from __future__ import annotations

import itertools
import unicodedata

from hypothesis import given
from hypothesis import settings as rounds
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter
from texts import SIZES, SNIPPETS, TEXTS, documents, settings

from indexer.core.model import Chunk, Parsed, Section
from indexer.core.tables import SplitSettings
from indexer.separators import NO_START, patterns, separators
from indexer.split import make_splitter


def split(parsed: Parsed, size: int, overlap: int) -> list[Chunk]:
    return list(make_splitter(SplitSettings(size, overlap))(parsed))


def squeezed(text: str) -> str:
    return "".join(text.split())


@rounds(max_examples=400, deadline=None)
@given(TEXTS, settings())
def test_cuts_are_langchains(text: str, size_overlap: tuple[int, int]) -> None:
    """A text section is cut exactly where RecursiveCharacterTextSplitter cuts it."""
    size, overlap = size_overlap
    reference = RecursiveCharacterTextSplitter(
        separators=list(separators(size)),
        is_separator_regex=True,
        keep_separator="end",
        chunk_size=size,
        chunk_overlap=overlap,
    )
    expected = [piece for piece in reference.split_text(text) if piece.strip()]
    assert [chunk.text for chunk in split(Parsed((Section(text),)), size, overlap)] == expected


@rounds(max_examples=300, deadline=None)
@given(documents(), settings())
def test_spans_sizes_and_losslessness(parsed: Parsed, size_overlap: tuple[int, int]) -> None:
    """Spans are exact and trimmed, no chunk is too long or blank, and every character is in one."""
    size, overlap = size_overlap
    text = parsed.text
    covered = bytearray(len(text))
    last = 0
    for chunk in split(parsed, size, overlap):
        assert chunk.text == text[chunk.start : chunk.end] == chunk.text.strip() != ""
        assert len(chunk.text) <= size
        assert last <= chunk.start
        last = chunk.start
        covered[chunk.start : chunk.end] = b"\1" * len(chunk.text)
    assert all(c.isspace() or seen for c, seen in zip(text, covered, strict=True))


@rounds(max_examples=200, deadline=None)
@given(documents(), SIZES)
def test_without_overlap_the_chunks_joined_are_the_text(parsed: Parsed, size: int) -> None:
    """Overlap 0: nothing is lost and nothing is twice."""
    chunks = split(parsed, size, 0)
    assert squeezed("".join(chunk.text for chunk in chunks)) == squeezed(parsed.text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(chunks))


@rounds(max_examples=200, deadline=None)
@given(documents(), settings())
def test_locators_are_those_of_the_text(parsed: Parsed, size_overlap: tuple[int, int]) -> None:
    """A chunk's page is the page of its characters; its path is theirs, or leads on from it."""
    owners = [section for section in parsed.sections for _ in section.text]
    for chunk in split(parsed, *size_overlap):
        own = {(s.headings, s.page) for s in owners[chunk.start : chunk.end]}
        assert {page for _, page in own} == {chunk.page}
        assert all(chunk.headings[: len(headings)] == headings for headings, _ in own)


@rounds(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([s for s in SNIPPETS if s not in ("\x0c",)]), max_size=100), SIZES)
def test_no_chunk_begins_with_closing_punctuation(snippets: list[str], size: int) -> None:
    """Closing marks stay with the words before them (in runs of fewer than three)."""
    kept: list[str] = []
    for snippet in snippets:
        if not (snippet in NO_START and sum(s in NO_START or s.isspace() for s in kept[-2:]) == 2):
            kept.append(snippet)
    text = "条" + "".join(kept)
    for chunk in split(Parsed((Section(text),)), max(size, 64), 0)[1:]:
        assert chunk.text[0] not in NO_START


@rounds(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["👨‍👩‍👧‍👦", "🇨🇳", "👍🏽", "e\u0301", "❤️", "字"]), max_size=200))
def test_emoji_and_marks_are_never_cut(clusters: list[str]) -> None:
    """A cut never falls inside a flag, a joined emoji, a skin tone or an accented letter."""
    text = "".join(clusters)
    edges = {0}
    for cluster in clusters:
        edges.add(max(edges) + len(cluster))
    for chunk in split(Parsed((Section(text),)), 64, 20):
        assert chunk.start in edges
        assert chunk.end in edges
        assert not unicodedata.combining(chunk.text[0])


@rounds(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), settings(), st.sampled_from(("table", "code")))
def test_rows_are_never_cut(widths: list[int], size_overlap: tuple[int, int], kind: str) -> None:
    """A table or code section is cut between lines only, unless a line alone is too long."""
    size, overlap = size_overlap
    rows = [f"{number}|" + "w " * (width // 2) + "|" for number, width in enumerate(widths)]
    text = "\n".join(rows) + "\n"
    parsed = Parsed((Section("前文。\n\n"), Section(text, kind=kind), Section("后文。\n")))  # type: ignore[arg-type]
    chunks = split(parsed, size, overlap)
    for row in rows:
        if len(row) < size:
            assert any(row in chunk.text.split("\n") for chunk in chunks)


@rounds(max_examples=200, deadline=None)
@given(TEXTS, SIZES)
def test_units_cover_everything_and_stay_short(text: str, size: int) -> None:
    """The last resort matches every character in pieces shorter than the size, so the cap is hard."""
    unit = patterns(size)[-1]
    pieces = [match[0] for match in unit.finditer(text)]
    assert "".join(pieces) == text
    assert all(len(piece) < size for piece in pieces)
