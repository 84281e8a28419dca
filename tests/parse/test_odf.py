"""OpenDocument: every text a person sees, once, in reading order."""

from __future__ import annotations

import odf_builder as b
import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.odf import parse

NUMBERS = (
    '<text:list-style style:name="L1">'
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>'
    "</text:list-style>"
)


def read(*body: str, **options: object) -> Parsed:
    return parse(b.odf(*body, **options), ParseLimits())  # type: ignore[arg-type]


def lines(*body: str, **options: object) -> list[str]:
    return read(*body, **options).text.splitlines()


def test_headings_make_the_path() -> None:
    """By their outline level; the title is the first of the highest level."""
    parsed = read(b.p("前言"), b.h("第一章"), b.p("甲"), b.h("第一节", 2), b.p("乙"), b.h("第二章"), b.p("丙"))
    assert [(s.headings, s.text) for s in parsed.sections] == [
        ((), "前言\n"),
        (("第一章",), "第一章\n甲\n"),
        (("第一章", "第一节"), "第一节\n乙\n"),
        (("第二章",), "第二章\n丙\n"),
    ]
    assert parsed.title == "第一章"


def test_white_space() -> None:
    """That of the XML collapses, that of the author is written out."""
    assert lines(b.p("a\n   b<text:s text:c='2'/>c<text:tab/>d<text:line-break/>e<text:span> f </text:span> g")) == [
        "a b  c\td",
        "e f g",
    ]


def test_numbers_of_lists() -> None:
    """Written before the first paragraph of an item, level by level; bullets are no text."""
    inner = b.items("x", "y", attributes="")
    assert lines(b.items("one", b.p("two") + b.p("more") + inner, "three"), automatic=NUMBERS) == [
        "1. one",
        "2. two",
        "more",
        "a) x",
        "b) y",
        "3. three",
    ]
    assert lines(b.items("plain", attributes='text:style-name="Bullets"')) == ["plain"]


def test_a_list_may_go_on() -> None:
    """By the style or by the list it names; another one begins anew."""
    on = 'text:style-name="L1" text:continue-numbering="true"'
    found = lines(b.items("a"), b.p("between"), b.items("b", attributes=on), b.items("c"), automatic=NUMBERS)
    assert found == ["1. a", "between", "2. b", "1. c"]
    start = '<text:list text:style-name="L1"><text:list-item text:start-value="7"><text:p>g</text:p></text:list-item></text:list>'
    assert lines(start, automatic=NUMBERS) == ["7. g"]


def test_numbers_of_headings() -> None:
    """By the outline of the document, with the levels above."""
    outline = (
        "<text:outline-style>"
        '<text:outline-level-style text:level="1" style:num-format="一, 二, 三, ..." style:num-prefix="第" style:num-suffix="章"/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="1"/>'
        "</text:outline-style>"
    )
    found = lines(b.h("总则"), b.h("目的", 2), b.h("范围", 2), b.h("附则"), styles=outline)
    assert found == ["第一章 总则", "1 目的", "2 范围", "第二章 附则"]


def test_tables_keep_their_header() -> None:
    """The rows the document calls its header, else the first of at least three."""
    rows = (("部门", "人数"), ("研发", "40"), ("合计", "40"))
    assert [(s.kind, s.text, s.lead) for s in read(b.table(*rows[:2], header=1)).sections] == [
        ("table", "部门 | 人数\n研发 | 40\n", "部门 | 人数\n")
    ]
    assert read(b.table(*rows)).sections[0].lead == "部门 | 人数\n"
    assert read(b.table(*rows[:2])).sections[0].lead == ""


def test_cells_once() -> None:
    """Covered cells are not shown, repeated ones are; a table of one column is text."""
    covered = "<table:covered-table-cell><text:p>NOT SHOWN</text:p></table:covered-table-cell>"
    twice = '<table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>'
    assert lines(b.table(("a", covered, "c"), ("d", twice))) == ["a |  | c", "d | x | x"]
    assert read(b.table((b.h("Head"),), ("text",))).sections[0].headings == ("Head",)


def test_a_table_in_a_cell() -> None:
    """Its rows stand in their place."""
    inner = b.p("above") + b.table(("n1", "n2")) + b.p("below")
    assert lines(b.table(("left", inner, "right"), ("x", "y", "z"))) == [
        "left | above",
        "n1 | n2",
        "below | right",
        "x | y | z",
    ]


def test_notes() -> None:
    """Footnotes follow their paragraph, endnotes the body."""
    note = (
        '<text:note text:note-class="{}"><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>{}</text:p></text:note-body></text:note>"
    )
    body = b.p("a" + note.format("footnote", "foot") + "b" + note.format("endnote", "end")), b.p("c")
    assert lines(*body) == ["ab", "foot", "c", "end"]


def test_changes_are_accepted_and_comments_left_out() -> None:
    """Deleted text is kept by the program apart from the text."""
    changes = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>GONE</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
    )
    comment = "<office:annotation><dc:creator>Li</dc:creator><text:p>REMARK</text:p></office:annotation>"
    assert lines(changes, b.p(f"a<text:change/>b<text:change-start/>c<text:change-end/>{comment}d")) == ["abcd"]


def test_hidden_text_is_not_shown() -> None:
    """By style (also an inherited one), by field, by section."""
    style = '<style:style style:name="{}" style:family="{}"{}>{}</style:style>'
    hidden = '<style:text-properties text:display="none"/>'
    automatic = (
        style.format("H", "text", "", hidden)
        + style.format("HP", "paragraph", "", hidden)
        + style.format("HP2", "paragraph", ' style:parent-style-name="HP"', "")
    )
    body = (
        b.p('a<text:span text:style-name="H">GONE</text:span>b'),
        b.p("GONE", "HP2"),
        b.p('GONE<text:hidden-paragraph text:is-hidden="true"/>'),
        b.p('c<text:hidden-text text:is-hidden="true">GONE</text:hidden-text>'),
        f'<text:section text:display="none">{b.p("GONE")}</text:section>',
        f"<text:section>{b.p('seen')}</text:section>",
    )
    assert lines(*body, automatic=automatic) == ["ab", "c", "seen"]


def test_boxes_and_drawn_shapes() -> None:
    """After the paragraph they hang on; a box opens no chapter."""
    box = f"<draw:frame><draw:text-box>{b.h('Boxed')}</draw:text-box></draw:frame>"
    shape = f"<draw:g><draw:custom-shape>{b.p('drawn')}</draw:custom-shape></draw:g>"
    parsed = read(b.p(f"a{box}b{shape}"), b.p("c"))
    assert [(s.headings, s.text) for s in parsed.sections] == [((), "ab\nBoxed\ndrawn\nc\n")]


def test_objects() -> None:
    """Charts are tables, formulas lines; others are said."""
    chart = (
        "<office:body><office:chart><chart:chart><chart:title><text:p>销量</text:p></chart:title>"
        f"{b.table(('', '2026'), ('一季度', '3'))}</chart:chart></office:chart></office:body>"
    )
    doctype = '<!DOCTYPE math:math PUBLIC "-//OpenOffice.org//DTD Modified W3C MathML 1.01//EN" "math.dtd">'
    formula = f"<math:math {b.NAMESPACES}><math:mi>E</math:mi><math:mo>=</math:mo><math:mi>m</math:mi></math:math>"
    frame = '<draw:frame><draw:object xlink:href="./{}"/></draw:frame>'
    body = b.p(frame.format("Object 1")), b.p(frame.format("Object 2"))
    extra = {"Object 1/content.xml": b.part("document-content", chart), "Object 2/content.xml": doctype + formula}
    parsed = read(*body, extra=extra)
    assert parsed.text == "销量\n| 2026\n一季度 | 3\nE = m\n"
    assert parsed.state is State.INDEXED
    parsed = read(b.p("a" + '<draw:frame draw:name="Sheet"><draw:object-ole/></draw:frame>'))
    assert "Sheet" in str(parsed.notes[0])


def test_headers_first_and_footers_last_once() -> None:
    """Repeated lines once, page numbers not at all."""
    page = (
        '<style:master-page style:name="{}"><style:header><text:p>密级：内部</text:p></style:header>'
        "<style:footer><text:p><text:page-number>3</text:page-number></text:p><text:p>公司</text:p></style:footer>"
        "</style:master-page>"
    )
    assert lines(b.p("正文"), masters=page.format("A") + page.format("B")) == ["密级：内部", "正文", "公司"]


def test_properties_give_title_and_label() -> None:
    """The title a person gave and the user's own field."""
    meta = '<dc:title>手册</dc:title><meta:user-defined meta:name="Version">3.1</meta:user-defined>'
    parsed = read(b.h("x"), meta=meta)
    assert (parsed.title, parsed.label) == ("手册", "3.1")


def test_a_slide_is_a_page() -> None:
    """Title as heading, shapes by their place, notes at their place, footer once, hidden slides named."""

    def frame(text: str, top: int, kind: str = "") -> str:
        mark = f' presentation:class="{kind}"' if kind else ""
        return (
            f'<draw:frame svg:x="1cm" svg:y="{top}mm" svg:width="5cm" svg:height="1cm"{mark}>'
            f"<draw:text-box>{b.p(text)}</draw:text-box></draw:frame>"
        )

    hidden = '<style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    notes = f"<presentation:notes>{frame('讲稿', 1, 'notes')}{frame('9', 1, 'page-number')}</presentation:notes>"
    first = f'<draw:page draw:master-page-name="M" presentation:use-footer-name="f">{frame("下", 90)}{frame("上", 10)}{frame("题", 99, "title")}{notes}</draw:page>'
    second = f'<draw:page draw:master-page-name="M" draw:style-name="dp">{frame("末", 1)}</draw:page>'
    declared = '<presentation:footer-decl presentation:name="f">内部</presentation:footer-decl>'
    master = f'<style:master-page style:name="M">{frame("公司", 1)}{frame("点击", 1, "title")}</style:master-page>'
    parsed = read(declared, first, second, kind="presentation", automatic=hidden, masters=master)
    assert [(s.page, s.headings, s.place, s.text) for s in parsed.sections] == [
        (1, ("题",), "", "题\n上\n下\n"),
        (1, ("题",), "notes", "讲稿\n"),
        (2, (), "", "末\n"),
        (None, (), "", "内部\n公司\n"),
    ]
    assert parsed.details == {"slides": 2, "hidden_slides": [2]}
    assert parsed.title == "题"


def test_damage_is_mended_and_said() -> None:
    """What can be read of broken XML is read."""
    broken = b.part("document-content", f"<office:body><office:text>{b.p('a')}</office:body>")
    parsed = read(extra={"content.xml": broken})
    assert parsed.text == "a\n"
    assert parsed.state is State.WARNED


def test_nothing_to_read() -> None:
    """An empty document, and one of pictures."""
    assert read(b.p("")).state is State.NO_TEXT
    assert "pictures" in str(read(b.p("<draw:frame><draw:image/></draw:frame>")).notes[0])


ENCRYPTED = f"<manifest:manifest {b.NAMESPACES}><manifest:encryption-data/></manifest:manifest>"
BOMB = '<!DOCTYPE a [<!ENTITY b "c">]>' + "<a>&b;</a>"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b.odf(b.p("a"), extra={"META-INF/manifest.xml": ENCRYPTED}), "password"),
        (b.odf(extra={"content.xml": BOMB}), "entities"),
        (b.odf(kind="spreadsheet"), "spreadsheet"),
        (b.zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "no document part"),
        (b"PK\x03\x04 cut off", "damaged"),
        (b.odf("<text:section>" * 900 + "</text:section>" * 900), "nested"),
    ],
)
def test_what_cannot_be_read_is_refused(data: bytes, reason: str) -> None:
    """With a reason that says what it is."""
    with pytest.raises(ParseRefused, match=reason):
        parse(data, ParseLimits())


def test_a_table_repeated_without_end_is_bounded() -> None:
    """A million equal cells are no million cells."""
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    assert len(read(f"<table:table>{row}</table:table>").text) < 100_000
