"""Tables that repeat their header: a chunk from the middle of one is understood alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as rounds
from hypothesis import strategies as st
from texts import SIZES, TEXTS, documents, settings

from indexer.blocks import lead_of
from indexer.core.model import Chunk, Parsed, Section
from indexer.core.tables import SplitSettings
from indexer.split import make_splitter

LEADS = (
    "",
    "姓名 | 天数\n",
    "Name | Days | Note\n",
    "| a | b |\n| - | - |\n",
    "列" * 90 + " | 尾\n",
    "a | " * 60 + "z\n",
)
ROWS = st.lists(st.sampled_from(("张三 | 5\n", "Li | 12 | ok\n", "\n", "x" * 60 + " | y\n", "王 | " + "长" * 300 + "\n")), max_size=30)  # fmt: skip


def split(parsed: Parsed, size: int, overlap: int) -> list[Chunk]:
    return list(make_splitter(SplitSettings(size, overlap))(parsed))


@st.composite
def tables(draw: st.DrawFn) -> Section:
    """A table with or without a lead, from its beginning or from its middle on."""
    lead = draw(st.sampled_from(LEADS))
    text = "".join(draw(ROWS))
    begins = draw(st.booleans())
    path = draw(st.sampled_from(((), ("A",), ("A", "B"))))
    kind = draw(st.sampled_from(("table", "code")))
    return Section(lead + text if begins else text, path, None, kind, draw(st.sampled_from(("", "A2:F51"))), lead)  # type: ignore[arg-type]


@st.composite
def with_tables(draw: st.DrawFn) -> Parsed:
    """Texts and tables in any order, often under one heading and at one place."""
    text = st.builds(lambda text, path: Section(text, path), TEXTS, st.sampled_from(((), ("A",), ("A", "B"))))
    return Parsed(tuple(draw(st.lists(tables() | text, max_size=8))))


def owners(parsed: Parsed) -> list[int]:
    return [i for i, section in enumerate(parsed.sections) for _ in section.text]


@rounds(max_examples=500, deadline=None)
@given(with_tables(), settings())
def test_a_chunk_from_within_a_table_has_its_header(parsed: Parsed, size_overlap: tuple[int, int]) -> None:
    """In front, once, unless it begins with it; after it stands exactly the span; nothing is too long."""
    size, overlap = size_overlap
    text, owner = parsed.text, owners(parsed)
    for chunk in split(parsed, size, overlap):
        own = text[chunk.start : chunk.end]
        lead = lead_of(parsed.sections[owner[chunk.start]], size)
        expected = own if own.startswith(lead.strip()) else lead + own
        assert chunk.text == expected
        assert own == own.strip() != ""
        assert len(chunk.text) <= size


@rounds(max_examples=300, deadline=None)
@given(with_tables(), settings())
def test_all_of_every_table_is_in_some_chunk(parsed: Parsed, size_overlap: tuple[int, int]) -> None:
    """Leads cost room, never text."""
    covered = bytearray(len(parsed.text))
    for chunk in split(parsed, *size_overlap):
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    assert all(c.isspace() or seen for c, seen in zip(parsed.text, covered, strict=True))


@rounds(max_examples=300, deadline=None)
@given(documents(), with_tables(), settings())
def test_sections_without_a_lead_are_cut_as_if_there_were_none(
    plain: Parsed, other: Parsed, size_overlap: tuple[int, int]
) -> None:
    """Tables with leads in other places of the document change nothing."""
    alone = split(plain, *size_overlap)
    apart = tuple(s._replace(headings=("elsewhere",), page=9) for s in other.sections)
    both = split(Parsed((*plain.sections, *apart)), *size_overlap)
    assert both[: len(alone)] == alone
    assert all(chunk.page == 9 for chunk in both[len(alone) :])


@rounds(max_examples=200, deadline=None)
@given(TEXTS, ROWS, SIZES)
def test_a_text_before_a_table_is_not_cut_shorter_for_it(text: str, rows: list[str], size: int) -> None:
    """Only chunks that begin in the table make room for its header."""
    table = Section("".join(rows), kind="table", lead="姓名 | 天数\n")
    chunks = split(Parsed((Section(text), table)), size, 0)
    same = split(Parsed((Section(text), table._replace(lead=""))), size, 0)
    for chunk, other in zip(chunks, same, strict=False):
        if chunk.start >= len(text) or other.end > len(text):
            break
        assert chunk == other


def test_a_short_table_is_one_chunk() -> None:
    """Its own header is its first line; nothing is added."""
    section = Section("姓名 | 天数\n张三 | 5\n", kind="table", lead="姓名 | 天数\n")
    assert [c.text for c in split(Parsed((section,)), 64, 10)] == ["姓名 | 天数\n张三 | 5"]


def test_a_long_table_repeats_its_header() -> None:
    """Each later chunk begins with it."""
    lead = "姓名 | 天数\n"
    section = Section(lead + "".join(f"员工{i} | {i}\n" for i in range(100)), kind="table", lead=lead)
    chunks = split(Parsed((section,)), 64, 0)
    assert len(chunks) > 10
    assert all(c.text.startswith(lead) and c.text.count(lead) == 1 for c in chunks)


def test_a_header_that_would_fill_a_chunk_is_cut_at_a_cell() -> None:
    """At most half of the size."""
    section = Section("x\n", kind="table", lead=" | ".join(f"column {i}" for i in range(50)) + "\n")
    lead = lead_of(section, 100)
    assert len(lead) <= 50
    assert lead.endswith("column 3\n")
