"""Automatic numbers are written into the text as Word prints them."""

from __future__ import annotations

import docx_builder as b
import pytest

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits
from indexer.parse.docx import parse
from indexer.parse.docx_numfmt import format_number


def read(*body: str, numbering: str, styles: str = "") -> Parsed:
    parts = {"numbering.xml": ("numbering", numbering)}
    if styles:
        parts["styles.xml"] = ("styles", b.part("styles", styles))
    return parse(b.docx(*body, parts=parts), ParseLimits())


def lines(*body: str, numbering: str, styles: str = "") -> list[str]:
    return read(*body, numbering=numbering, styles=styles).text.splitlines()


def items(*steps: tuple[int, int]) -> list[str]:
    """Paragraphs "x" of (level, numId)."""
    return [b.para("x", properties=b.numbered(level, number)) for level, number in steps]


def labels(*steps: tuple[int, int], numbering: str) -> list[str]:
    return [line.removesuffix("x").rstrip() for line in lines(*items(*steps), numbering=numbering)]


TWO = (b.level(0, "第%1章", "chineseCountingThousand"), b.level(1, "%1.%2", extra="<w:isLgl/>"))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("decimal", {1: "1", 12: "12"}),
        ("decimalZero", {1: "01", 12: "12"}),
        ("upperRoman", {4: "IV", 1994: "MCMXCIV"}),
        ("lowerRoman", {9: "ix", 0: "0"}),
        ("upperLetter", {1: "A", 26: "Z", 27: "AA", 53: "AAA"}),
        ("lowerLetter", {2: "b", 28: "bb"}),
        ("ordinal", {1: "1st", 2: "2nd", 3: "3rd", 11: "11th", 22: "22nd"}),
        ("cardinalText", {1: "One", 21: "Twenty-one", 115: "One hundred fifteen", 2000: "Two thousand"}),
        ("ordinalText", {1: "First", 20: "Twentieth", 21: "Twenty-first", 4: "Fourth"}),
        ("hex", {255: "FF"}),
        ("chicago", {1: "*", 2: "†", 5: "**"}),
        ("numberInDash", {3: "- 3 -"}),
        ("decimalFullWidth", {10: "１０"}),
        ("decimalEnclosedCircle", {1: "①", 20: "⑳", 50: "㊿", 51: "51"}),
        ("decimalEnclosedCircleChinese", {3: "③"}),
        ("decimalEnclosedParen", {1: "⑴"}),
        ("decimalEnclosedFullstop", {20: "⒛"}),
        ("ideographEnclosedCircle", {2: "㊁", 11: "11"}),
        ("chineseCounting", {1: "一", 10: "十", 11: "十一", 20: "二十", 99: "九十九"}),
        ("chineseCountingThousand", {10: "十", 100: "一百", 101: "一百零一", 110: "一百一十", 1001: "一千零一"}),
        ("taiwaneseCountingThousand", {15: "十五", 205: "二百零五"}),
        ("ideographDigital", {10: "一〇", 2024: "二〇二四"}),
        ("japaneseCounting", {11: "十一", 100: "百", 110: "百十", 1234: "千二百三十四"}),
        ("japaneseLegal", {12: "壱拾弐"}),
        ("chineseLegalSimplified", {10: "壹拾", 25: "贰拾伍"}),
        ("ideographLegalTraditional", {3: "參"}),
        ("ideographTraditional", {1: "甲", 10: "癸", 11: "11"}),
        ("ideographZodiac", {1: "子", 12: "亥", 13: "13"}),
        ("ideographZodiacTraditional", {1: "甲子", 60: "癸亥", 61: "61"}),
        ("koreanCounting", {11: "십일"}),
        ("koreanLegal", {1: "하나", 21: "스물하나"}),
        ("koreanDigital", {10: "일영"}),
        ("ganada", {2: "나"}),
        ("aiueoFullWidth", {1: "ア", 47: "アア"}),
        ("irohaFullWidth", {1: "イ"}),
        ("russianLower", {1: "а"}),
        ("thaiNumbers", {12: "๑๒"}),
        ("none", {1: ""}),
        ("fromTheFuture", {7: "7"}),
    ],
)
def test_number_formats(name: str, values: dict[int, str]) -> None:
    """Each format at its edges; beyond its range, and for unknown names, plain digits."""
    assert {n: format_number(n, name) for n in values} == values


def test_chapters_and_clauses() -> None:
    """A multi-level list with legal numbering below a Chinese chapter number."""
    assert labels((0, 1), (1, 1), (1, 1), (0, 1), (1, 1), numbering=b.numbering(*TWO)) == [
        "第一章",
        "1.1",
        "1.2",
        "第二章",
        "2.1",
    ]


def test_article_eleven() -> None:
    """The eleventh article can be found by its number."""
    found = lines(*items(*[(0, 1)] * 11), numbering=b.numbering(b.level(0, "第%1条", "chineseCounting")))
    assert found[10] == "第十一条 x"


@pytest.mark.parametrize(("suffix", "expected"), [("tab", "1. x"), ("space", "1. x"), ("nothing", "1.x")])
def test_suffix(suffix: str, expected: str) -> None:
    """What stands between number and text."""
    numbering = b.numbering(b.level(0, "%1.", extra=f'<w:suff w:val="{suffix}"/>'))
    assert lines(*items((0, 1)), numbering=numbering) == [expected]


NUMS = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'


def test_lists_of_one_definition_continue_each_other() -> None:
    """Counters belong to the abstract definition; a start override restarts them once."""
    nums = (
        NUMS + '<w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="0"/>'
        '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="8"/></w:lvlOverride></w:num>'
    )
    numbering = b.numbering(b.level(0, "%1."), nums=nums)
    steps = ((0, 1), (0, 1), (0, 2), (0, 3), (0, 3), (0, 1))
    assert labels(*steps, numbering=numbering) == ["1.", "2.", "3.", "8.", "9.", "10."]


def test_overriding_a_level() -> None:
    """A list may redefine a level of its definition."""
    override = '<w:lvlOverride w:ilvl="0">' + b.level(0, "(%1)", "lowerLetter", 3) + "</w:lvlOverride>"
    nums = f'<w:num w:numId="1"><w:abstractNumId w:val="0"/>{override}</w:num>'
    assert labels((0, 1), (0, 1), numbering=b.numbering(b.level(0, "%1."), nums=nums)) == ["(c)", "(d)"]


@pytest.mark.parametrize(
    ("restart", "expected"),
    [(None, ["a", "a", "a"]), (0, ["a", "b", "c"]), (1, ["a", "a", "b"])],
)
def test_restart_rules(restart: int | None, expected: list[str]) -> None:
    """Level three restarts after any higher level, never (0), or only after the level named."""
    rule = "" if restart is None else f'<w:lvlRestart w:val="{restart}"/>'
    numbering = b.numbering(b.level(0, "%1"), b.level(1, "%2"), b.level(2, "%3", "lowerLetter", extra=rule))
    steps = ((0, 1), (2, 1), (0, 1), (2, 1), (1, 1), (2, 1))
    found = labels(*steps, numbering=numbering)
    assert [found[1], found[3], found[5]] == expected


def test_a_deep_start_counts_no_higher_level() -> None:
    """A list that begins at its second level shows 1.1; the first item above it is still number one."""
    numbering = b.numbering(b.level(0, "%1."), b.level(1, "%1.%2"))
    assert labels((1, 1), (1, 1), (0, 1), (1, 1), numbering=numbering) == ["1.1", "1.2", "1.", "1.1"]


def test_start_values() -> None:
    """A level may start anywhere, zero included."""
    assert labels((0, 1), (0, 1), numbering=b.numbering(b.level(0, "%1", start=0))) == ["0", "1"]


@pytest.mark.parametrize(
    ("text", "fonts", "expected"),
    [
        ("\uf0b7", "Symbol", "•"),
        ("§", "Wingdings", "•"),
        ("o", "Courier New", "•"),
        ("–", "Calibri", "–"),
        ("※", "SimSun", "※"),
        ("", "Calibri", ""),
    ],
)
def test_bullets(text: str, fonts: str, expected: str) -> None:
    """A legible sign stays, a picture of a symbol font becomes a dot."""
    extra = f'<w:rPr><w:rFonts w:ascii="{fonts}" w:hAnsi="{fonts}"/></w:rPr>'
    found = lines(*items((0, 1)), numbering=b.numbering(b.level(0, text, "bullet", extra=extra)))
    assert found == [f"{expected} x".strip()]


def test_numbers_that_word_does_not_print() -> None:
    """Format "none", hidden numbers, empty level texts, unknown lists and numId 0 write nothing."""
    for quiet in (
        b.level(0, "%1.", "none"),
        b.level(0, "%1.", extra="<w:rPr><w:vanish/></w:rPr>"),
        b.level(0, ""),
    ):
        assert lines(*items((0, 1)), numbering=b.numbering(quiet)) == ["x"]
    assert lines(*items((0, 9), (0, 0), (3, 1), (77, 1)), numbering=b.numbering(b.level(0, "%1."))) == ["x"] * 4


def test_custom_format() -> None:
    """The custom format of Word 2010 is wrapped in a compatibility pair."""
    custom = b.alternate('<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/>', '<w:numFmt w:val="decimal"/>')
    level = f'<w:lvl w:ilvl="0"><w:start w:val="7"/>{custom}<w:lvlText w:val="A-%1"/></w:lvl>'
    assert labels((0, 1), numbering=b.numbering(level)) == ["A-007"]


def test_linked_list_style() -> None:
    """A definition that only names a list style takes the levels of that style's list."""
    linked = (
        '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="Legal"/></w:abstractNum>'
        '<w:abstractNum w:abstractNumId="0"><w:styleLink w:val="Legal"/>' + b.level(0, "§%1") + "</w:abstractNum>"
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num>'
    )
    styles = b.style("Legal", "legal", f"<w:pPr>{b.numbered(None, 5)}</w:pPr>", kind="numbering")
    found = lines(*items((0, 1), (0, 5)), numbering=b.part("numbering", linked), styles=styles)
    assert found == ["§1 x", "§2 x"]


HEADINGS = (
    b.style("H1", "heading 1", f"<w:pPr>{b.numbered(None)}</w:pPr>")
    + b.style("H2", "heading 2", f"<w:pPr>{b.numbered(1)}</w:pPr>", based_on="H1")
    + b.style("H2b", "clause", based_on="H2")
    + b.style("Plain", "plain", f"<w:pPr>{b.numbered(None, 0)}</w:pPr>", based_on="H1")
)
LINKED = b.numbering(
    b.level(0, "第%1章", "chineseCounting", extra='<w:pStyle w:val="H1"/>'),
    b.level(1, "%1.%2", extra='<w:isLgl/><w:pStyle w:val="H2"/>'),
)


def test_numbers_by_style() -> None:
    """Styles carry numbers, inherit them, and switch them off; headings take them into their path."""
    body = [b.para(s, style=s) for s in ("H1", "H2", "H2b", "Plain", "H1", "H2")]
    parsed = read(*body, numbering=LINKED, styles=HEADINGS)
    assert parsed.text.splitlines() == ["第一章 H1", "1.1 H2", "1.2 H2b", "Plain", "第二章 H1", "2.1 H2"]
    assert parsed.sections[-1].headings == ("第二章 H1", "2.1 H2")


def test_direct_number_over_style() -> None:
    """A paragraph may take another list, or leave the list of its style."""
    nums = NUMS + '<w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>'
    numbering = b.numbering(b.level(0, "%1)"), nums=nums)
    styles = b.style("S", "s", f"<w:pPr>{b.numbered(0, 1)}</w:pPr>")
    body = (b.para("a", style="S"), b.para("b", style="S", properties=b.numbered(None, 0)), b.para("c", style="S"))
    assert lines(*body, numbering=numbering, styles=styles) == ["1) a", "b", "2) c"]


def test_what_is_not_counted() -> None:
    """Deleted and hidden paragraphs and rows take no number; an empty paragraph does, unwritten."""
    numbered = b.numbered(0)
    deleted = b.para("<w:del/>", properties=numbered + "<w:rPr><w:del/></w:rPr>")
    hidden = b.para(b.run("HID", "<w:vanish/>"), properties=numbered + "<w:rPr><w:vanish/></w:rPr>")
    gone = b.table(b.row(b.cell(b.para("NO", properties=numbered)), "NO", properties="<w:del/>"))
    body = (b.para("a", properties=numbered), deleted, hidden, gone, b.para(properties=numbered))
    found = lines(*body, b.para("c", properties=numbered), numbering=b.numbering(b.level(0, "%1.")))
    assert found == ["1. a", "3. c"]


def test_row_numbers_of_a_table() -> None:
    """An empty numbered cell shows its number; a merged one takes none."""
    number = b.cell(b.para(properties=b.numbered(0)))
    merged = b.cell(b.para(properties=b.numbered(0)), properties="<w:vMerge/>")
    top = b.cell(b.para(properties=b.numbered(0)), properties='<w:vMerge w:val="restart"/>')
    rows = (b.row(number, "a"), b.row(top, "b"), b.row(merged, "c"), b.row(number, "d"))
    found = lines(b.table(*rows), numbering=b.numbering(b.level(0, "%1")))
    assert found == ["1 | a", "2 | b", "| c", "3 | d"]


def test_stories_count_for_themselves() -> None:
    """A list in a text box does not move the numbers of the body."""
    box = b.para(b.box(b.para("in", properties=b.numbered(0))))
    body = (b.para("a", properties=b.numbered(0)), box, b.para("b", properties=b.numbered(0)))
    assert lines(*body, numbering=b.numbering(b.level(0, "%1."))) == ["1. a", "1. in", "2. b"]
