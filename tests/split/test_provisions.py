"""Laws, rules and contracts: a piece from the middle of a provision has its first words in front."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.model import Parsed, Section
from indexer.core.tables import SplitSettings
from indexer.split import make_splitter

LAW = """第一章 总则

第四十五条 本法自公布之日起施行。

第四十六条 有下列情形之一的，用人单位应当向劳动者支付经济补偿：
（一）劳动者依照本法第三十八条规定解除劳动合同的；
（二）用人单位依照本法第三十六条规定向劳动者提出解除劳动合同并与劳动者协商一致解除劳动合同的；
（三）用人单位依照本法第四十条规定解除劳动合同的；
（四）用人单位依照本法第四十一条第一款规定解除劳动合同的。

第四十七条 经济补偿按劳动者在本单位工作的年限，每满一年支付一个月工资的标准向劳动者支付。
"""
ENGLISH = """Section 4. Leave.
Every employee has fifteen days of annual leave. Days that are not taken are paid at the end of the year.
A day counts as taken when the head of the department has agreed to it in writing, and not before.

Section 5. Pay.
Pay is due on the tenth of each month, and where that is no working day on the working day before it.
"""


def pieces(text: str, size: int = 100, overlap: int = 20, factor: int = 1) -> list[str]:
    """The chunks' texts."""
    return [c.text for c in make_splitter(SplitSettings(size, overlap, factor))(Parsed((Section(text),)))]


def test_an_item_says_of_which_article_it_is() -> None:
    """Each piece of the list can be understood alone."""
    found = [p for p in pieces(LAW) if "解除劳动合同的" in p]
    assert len(found) >= 2
    assert all(p.startswith("第四十六条 有下列情形之一的") for p in found)


@pytest.mark.parametrize("word", ["Section", "SECTION", "Article", "ARTICLE", "Clause", "CLAUSE", "§"])
def test_english_sections(word: str) -> None:
    """As in Chinese, however the word is written."""
    found = pieces(ENGLISH.replace("Section", word), 140, 20)
    assert len(found) > 2
    assert all(p.startswith((f"{word} 4. Leave.", f"{word} 5. Pay.")) for p in found)


def test_no_tail_of_the_provision_before() -> None:
    """A piece that begins where a provision does repeats nothing of the one before."""
    assert [p for p in pieces(LAW) if p.startswith("第四十七条")]


@pytest.mark.parametrize(
    "text", ["第三条建议是加班。" * 40, "The Section 4 of the road is closed. " * 30, LAW.replace("第", "那")]
)
def test_what_only_looks_like_it(text: str) -> None:
    """A number within a sentence begins no provision."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: F401 - the cuts are proved equal elsewhere

    assert all(piece in text for piece in pieces(text))


def test_provisions_are_cut_larger() -> None:
    """More of an article stands in one chunk, as if the size were larger; other texts are cut as always."""
    assert pieces(LAW, 100, 20, 3) == pieces(LAW, 300, 20, 1) != pieces(LAW, 100, 20, 1)
    other = LAW.replace("条 ", "条")
    assert pieces(other, 100, 20, 3) == pieces(other, 100, 20, 1)


def test_only_the_text_of_the_provisions_is_cut_larger() -> None:
    """A handbook with rules in one chapter: its other chapters keep their size."""
    plain = "员工年假十天，须提前两周申请。" * 30
    sections = (Section(plain, ("一",)), Section(LAW, ("二",)), Section(plain, ("三",)))
    chunks = make_splitter(SplitSettings(100, 20, 2))(Parsed(sections))
    assert max(len(c.text) for c in chunks if c.headings != ("二",)) <= 100
    assert 100 < max(len(c.text) for c in chunks if c.headings == ("二",)) <= 200


def test_a_law_in_chapters() -> None:
    """A chapter of one article is cut as the chapters of many are."""
    sections = [Section(f"第{n}条 " + "申请人应当提交书面材料，并说明理由。" * 12, (f"第{n}章",)) for n in "一二三"]
    chunks = make_splitter(SplitSettings(100, 20, 2))(Parsed(tuple(sections)))
    assert all(len(c.text) > 100 for c in chunks[:1])


PAGES = ("第四十六条 有下列情形之一的，用人单位应当向劳动者支付经济补偿：\n（一）劳动者解除劳动合同的；\n",
         "（二）用人单位提出解除劳动合同的；\n（三）劳动合同期满的。\n", "（四）其他情形。\n第四十七条 经济补偿按年限支付。\n",
         "第五章 监督检查\n国务院劳动行政部门负责监督管理。\n")  # fmt: skip


def paged(*texts: str, headings: tuple[str, ...] = ()) -> list[str]:
    sections = tuple(Section(t, headings if n else (), n + 1) for n, t in enumerate(texts))
    return [c.text for c in make_splitter(SplitSettings(256, 0))(Parsed(sections))]


def test_a_provision_goes_on_over_the_pages() -> None:
    """A page begins in the middle of an article: that is said. A new part of the law ends it."""
    _, second, third, fourth = paged(*PAGES)
    assert second == "第四十六条 有下列情形之一的，用人单位应当向劳动者支付经济补偿：\n" + PAGES[1].strip()
    assert third == "第四十六条 有下列情形之一的，用人单位应当向劳动者支付经济补偿：\n" + PAGES[2].strip()
    assert fourth == PAGES[3].strip()


def test_under_another_heading_nothing_goes_on() -> None:
    """Page or not."""
    assert paged(*PAGES[:2], PAGES[2], headings=("附则",))[1] == PAGES[1].strip()


def test_a_part_that_is_no_heading_ends_a_provision() -> None:
    """第二章 stands in the text alone: what follows belongs to no article yet."""
    text = (
        "第一条 为了规范管理，制定本办法。\n第二章 组织\n"
        + "本章规定组织机构的设置与职责分工。" * 12
        + "\n第二条 设立委员会。\n"
    )
    assert not [
        p
        for p in pieces(text)
        if "第一条" in p and "组织机构" in p and not p.startswith("第一条 为了规范管理，制定本办法。\n第二章")
    ]


provision = st.tuples(st.integers(1, 99), st.text("甲乙丙。；：，\n （）一二三", min_size=1, max_size=160)).map(
    lambda p: f"第{p[0]}条 {p[1]}\n"
)


@given(
    st.lists(provision, min_size=2, max_size=6).map("".join),
    st.integers(20, 200),
    st.integers(0, 15),
    st.integers(1, 4),
    st.sets(st.integers(1, 600), max_size=4),
)
def test_the_laws_of_the_splitter_hold(text: str, size: int, overlap: int, factor: int, ends: set[int]) -> None:
    """Nothing is lost, nothing too long, every chunk ends with the text at its place; what is in front is from before it."""
    covered, edges = set(), [0, *sorted(e for e in ends if e < len(text)), len(text)]
    pages = tuple(Section(text[a:b], (), n) for n, (a, b) in enumerate(itertools.pairwise(edges), 1))
    for chunk in make_splitter(SplitSettings(size, overlap, factor))(Parsed(pages)):
        own = text[chunk.start : chunk.end]
        assert chunk.text.endswith(own)
        assert own == own.strip() != ""
        assert len(chunk.text) <= size * factor
        lead = chunk.text[: len(chunk.text) - len(own)]
        assert lead == "" or lead.rstrip("\n").rstrip("…") in text[: chunk.start]
        covered.update(range(chunk.start, chunk.end))
    assert all(i in covered or text[i].isspace() for i in range(len(text)))
