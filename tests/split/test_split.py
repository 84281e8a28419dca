"""What the splitter does with documents as they are."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from indexer.core.model import Chunk, Parsed, Section
from indexer.core.tables import SplitSettings
from indexer.split import fingerprint, make_splitter

SENTENCES = "".join(f"第{n}条说明了一个独立的事项，句子里没有空格也没有换行{'。！？；'[n % 4]}" for n in range(200))


def split(*sections: Section, size: int = 250, overlap: int = 0) -> list[Chunk]:
    return list(make_splitter(SplitSettings(size, overlap))(Parsed(sections)))


def test_chinese_is_cut_at_sentence_ends() -> None:
    """Text without spaces: every chunk ends with a sentence mark and none begins with one."""
    chunks = split(Section(SENTENCES))
    assert all(chunk.text[-1] in "。！？；" for chunk in chunks)
    assert all(chunk.text[0] == "第" for chunk in chunks)


def test_closing_quotes_stay_with_their_sentence() -> None:
    """A quotation's end is not the next chunk's beginning."""
    text = "他说：“今天放假吗？”她答：“放假……”于是大家都回家了！" * 20
    for chunk in split(Section(text), size=64):
        assert chunk.text[0] not in "”。？！…"
        assert chunk.text[-1] in "”！"


def test_numbers_and_abbreviations_are_no_sentence_ends() -> None:
    """A full stop inside 3.14 or a URL does not end a sentence."""
    text = "The constant 3.14159 is at https://example.org/v1.2/pi.html for reference. " * 30
    assert all(chunk.text.endswith("reference.") for chunk in split(Section(text)))


def test_a_table_that_fits_stays_whole() -> None:
    """A small table is one piece even when the text before it fills a chunk."""
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    chunks = split(Section("说明。" * 75 + "\n\n"), Section(table, kind="table"), Section("\n结尾。\n"))
    assert any(table.strip() in chunk.text for chunk in chunks)


def test_a_code_line_longer_than_the_size_is_cut_as_text() -> None:
    """The size is a hard cap for tables and code too."""
    chunks = split(Section("short\n" + "word " * 200 + "\nend\n", kind="code"))
    assert max(len(chunk.text) for chunk in chunks) <= 250
    assert chunks[0].text == "short"


def test_small_sections_under_one_heading_share_a_chunk() -> None:
    """A sentence, its code block and the next sentence are found together."""
    path = ("Install",)
    chunks = split(Section("Run:\n", path), Section("```\nmake\n```\n", path, kind="code"), Section("Done.\n", path))
    assert [chunk.text for chunk in chunks] == ["Run:\n```\nmake\n```\nDone."]


def test_no_chunk_crosses_a_heading_or_a_page() -> None:
    """Text under different headings or on different pages is never mixed."""
    chunks = split(Section("甲。\n", ("一",)), Section("乙。\n", ("二",)), Section("丙。\n", ("二",), 2))
    assert [(c.text, c.headings, c.page) for c in chunks] == [
        ("甲。", ("一",), None),
        ("乙。", ("二",), None),
        ("丙。", ("二",), 2),
    ]


def test_a_bare_heading_goes_with_its_first_subsection() -> None:
    """A chunk that is nothing but a title would match every query about the title and answer none."""
    chunks = split(Section("# 手册\n\n", ("手册",)), Section("## 年假\n十天。\n", ("手册", "年假")))
    assert [(c.text, c.headings) for c in chunks] == [("# 手册\n\n## 年假\n十天。", ("手册", "年假"))]


def test_blank_sections_make_no_chunks() -> None:
    """White space of any kind is never embedded."""
    assert split(Section(" \n\t\u3000\n"), Section("\n\n", ("A",))) == []


def test_repeated_passages_have_their_own_spans() -> None:
    """Equal text at two places has two spans, which a search for the text would not find."""
    chunks = split(Section("同一段话重复。\n\n" * 100), size=32)
    assert len({chunk.start for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize("unit", ["x", "长", "👨‍👩‍👧‍👦", " ", "。", "a\u0301", "\n ", "\n", ";", ". ", "(", "\u200d"])
def test_time_is_linear_on_hostile_runs(unit: str) -> None:
    """A megabyte of one unit is cut within the size in a second or two, whatever the unit is."""
    text = "头" + unit * (1_000_000 // len(unit)) + "。尾"
    begin = time.process_time()
    chunks = split(Section(text), overlap=50)
    assert time.process_time() - begin < 15
    assert max(len(chunk.text) for chunk in chunks) <= 250


def test_an_edit_changes_few_chunks() -> None:
    """One changed paragraph re-embeds its own chunks and those it shares, not the file."""
    paragraphs = [f"第{n}段。" + SENTENCES[n * 13 : n * 13 + 180] for n in range(100)]
    before = Counter(c.text for c in split(Section("\n\n".join(paragraphs)), overlap=50))
    paragraphs[40] = "改写了的一段。" + paragraphs[40]
    after = Counter(c.text for c in split(Section("\n\n".join(paragraphs)), overlap=50))
    assert 0 < sum((after - before).values()) <= 3


def test_fingerprint_has_what_decides_the_cuts() -> None:
    """Another size, overlap or version is another profile."""
    expected = {"splitter": "4", "size": 256, "overlap": 50, "provisions_factor": 2}
    assert fingerprint(SplitSettings(256, 50)) == expected
