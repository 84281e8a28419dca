"""Headings, titles, pages, margins, notes and imported parts of Word documents."""

from __future__ import annotations

import docx_builder as b
import pytest

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.docx import parse


def read(*body: str, **options: object) -> Parsed:
    return parse(b.docx(*body, **options), ParseLimits())  # type: ignore[arg-type]


def notes(parsed: Parsed) -> str:
    return "; ".join(map(str, parsed.notes))


# ---- headings ----------------------------------------------------------------------------


def outline(level: int) -> str:
    return f'<w:pPr><w:outlineLvl w:val="{level}"/></w:pPr>'


STYLES = b.part(
    "styles",
    b.style("1", "heading 1", outline(0))
    + b.style("2", "heading 2")
    + b.style("Chapter", "My Chapter", based_on="1")
    + b.style("Law", "条文标题", outline(2))
    + b.style("TOCHeading", "TOC Heading", outline(9), based_on="1")
    + b.style("de", "Überschrift 3")
    + b.style("ja", "見出し 2")
    + b.style("zh", "标题 1")
    + b.style("zh2", "二级标题")
    + b.style("T", "Title")
    + b.style("Base", "Heading")
    + b.style("round1", "round", based_on="round2")
    + b.style("round2", "round too", based_on="round1")
    + '<w:style w:type="paragraph"><w:name w:val="nobody"/></w:style><w:style w:styleId="untyped"/>',
)


@pytest.mark.parametrize(
    ("style", "level"),
    [
        ("1", 1),
        ("2", 2),
        ("Chapter", 1),
        ("Law", 3),
        ("TOCHeading", 0),
        ("de", 3),
        ("ja", 2),
        ("zh", 1),
        ("zh2", 2),
        ("T", 0),
        ("Base", 0),
        ("round1", 0),
        ("untyped", 0),
        ("Heading4", 4),
        ("heading 5", 5),
        ("Missing", 0),
    ],
)
def test_heading_styles(style: str, level: int) -> None:
    """By outline level, by name in any language, by inheritance; also styles nobody defined."""
    chain = [b.para(f"h{i}", properties=f'<w:outlineLvl w:val="{i}"/>') for i in range(level - 1)]
    body = (*chain, b.para("head", style=style), b.para("text"))
    parsed = read(*body, parts={"styles.xml": ("styles", STYLES)})
    assert parsed.sections[-1].headings == tuple(f"h{i}" for i in range(level - 1)) + (("head",) if level else ())


def test_direct_outline_level_wins() -> None:
    """A paragraph may be a heading without a heading style, or body text with one."""
    body = (b.para("head", properties='<w:outlineLvl w:val="0"/>'), b.para("x"))
    assert read(*body).sections[0].headings == ("head",)
    body = (b.para("text", style="Heading1", properties='<w:outlineLvl w:val="9"/>'), b.para("x"))
    assert read(*body).sections[0].headings == ()


def test_heading_paths() -> None:
    """Each section carries the headings above it, its own first line among them."""
    body = [
        ("One", 1),
        ("a", 0),
        ("Two", 2),
        ("b", 0),
        ("Deep", 4),
        ("c", 0),
        ("Three", 2),
        ("d", 0),
        ("Four", 1),
        ("e", 0),
    ]
    paragraphs = [b.para(text, style=f"Heading{level}" if level else "") for text, level in body]
    assert [(s.headings, s.text) for s in read(*paragraphs).sections] == [
        (("One",), "One\na\n"),
        (("One", "Two"), "Two\nb\n"),
        (("One", "Two", "Deep"), "Deep\nc\n"),
        (("One", "Three"), "Three\nd\n"),
        (("Four",), "Four\ne\n"),
    ]


def test_headings_in_a_row_stay_together() -> None:
    """A heading directly under another makes no section of one line; one of the same level does."""
    body = (b.para("A", style="Heading1"), b.para("B", style="Heading2"), b.para("text"))
    assert [(s.headings, s.text) for s in read(*body).sections] == [(("A", "B"), "A\nB\ntext\n")]
    body = (b.para("A", style="Heading1"), b.para("B", style="Heading1"), b.para("text"))
    assert [s.text for s in read(*body).sections] == ["A\n", "B\ntext\n"]


def test_what_is_no_heading() -> None:
    """Empty headings, paragraphs in the wrong style, and headings in boxes open no section."""
    long = "a sentence that goes on " * 12
    body = (
        b.para("", style="Heading1"),
        b.para(long, style="Heading1"),
        b.para(b.box(b.para("box", style="Heading1"))),
    )
    assert [s.headings for s in read(*body, b.para("text")).sections] == [()]


# ---- title, pages ------------------------------------------------------------------------


def test_title() -> None:
    """The stated title unless a program made it up, else the Title paragraph, else the highest first heading."""
    body = (b.para("Small", style="Heading2"), b.para("The Title", style="Title"), b.para("Big", style="Heading1"))
    assert read(*body, core=b.core("Stated  title")).title == "Stated title"
    assert read(*body, core=b.core("Microsoft Word - draft.doc")).title == "The Title"
    assert read(*body).title == "The Title"
    assert read(body[0], body[2]).title == "Big"
    assert read(b.para("text"), core=b.core("")).title == ""


SEEN = "<w:r><w:lastRenderedPageBreak/></w:r>"
APP = '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Pages>{}</Pages></Properties>'


def test_pages() -> None:
    """A section on one page has its number, one across pages has none."""
    body = (
        b.para("A", style="Heading1"),
        b.para("one"),
        b.para(SEEN, "B", style="Heading1"),
        b.para("two ", SEEN, "still two"),
        b.para("C", style="Heading1"),
    )
    assert [s.page for s in read(*body, app=APP.format(3)).sections] == [1, None, 3]


def test_pages_that_cannot_be_trusted() -> None:
    """No page is claimed when the recorded breaks and the recorded count disagree, or nothing was laid out."""
    body = (b.para("A"), b.para(SEEN, "B"))
    assert {s.page for s in read(*body, app=APP.format(7)).sections} == {None}
    assert {s.page for s in read(*body).sections} == {None}
    assert {s.page for s in read(b.para("A"), app=APP.format(1)).sections} == {None}


def test_hard_page_breaks_cut_sections() -> None:
    """The author's page break ends a section; the layout's does not."""
    page = '<w:r><w:br w:type="page"/></w:r>'
    body = (b.para("a"), b.para("b", page, "c"), b.para("d", properties="<w:pageBreakBefore/>"), b.para(SEEN, "e"))
    assert [s.text for s in read(*body).sections] == ["a\nb\n", "c\n", "d\ne\n"]


# ---- headers, footers, notes -------------------------------------------------------------


def margins(*references: tuple[str, str, str]) -> dict[str, object]:
    """Parts and section properties of (header|footer, type, content)."""
    parts = {f"{kind}{i}.xml": (kind, b.part("hdr", content)) for i, (kind, _, content) in enumerate(references)}
    end = "".join(
        f'<w:{kind}Reference w:type="{when}" r:id="rId{i}"/>' for i, (kind, when, _) in enumerate(references, 1)
    )
    return {"parts": parts, "end": end}


def test_headers_first_footers_last_each_once() -> None:
    """All types of margins, repeated lines once, whichever part they are in."""
    parsed = read(
        b.para("body"),
        **margins(
            ("header", "default", b.para("ACME") + b.para("HR-2031-07")),
            ("header", "first", b.para("ACME") + b.para("Cover")),
            ("header", "even", b.para("ACME")),
            ("footer", "default", b.table(b.row("left", "right"))),
        ),
    )
    assert [s.text for s in parsed.sections] == ["ACME\nHR-2031-07\nCover\n", "body\n", "left | right\n"]


def test_page_numbers_alone_are_no_text() -> None:
    """A margin of nothing but its page number is left out; one that differs only in it comes once."""
    page = b.field("PAGE", "3")
    total = '<w:fldSimple w:instr="NUMPAGES \\* MERGEFORMAT"><w:r><w:t>9</w:t></w:r></w:fldSimple>'
    parsed = read(
        b.para("body"),
        **margins(
            ("header", "default", b.para("— ", page, " —")),
            ("footer", "default", b.para("Page ", page, " of ", total)),
            ("footer", "even", b.para("Page ", b.field("PAGE", "4"), " of ", total)),
        ),
    )
    assert parsed.text == "body\nPage 3 of 9\n"


def test_margins_nobody_refers_to_are_not_shown() -> None:
    """A header part without a reference in any section is left out, as in Word."""
    parsed = read(b.para("body"), parts={"header1.xml": ("header", b.part("hdr", b.para("NO")))})
    assert parsed.text == "body\n"


def test_sections_inside_the_body_have_margins() -> None:
    """Section properties stand in paragraphs too; former ones (sectPrChange) do not count."""
    options = margins(("header", "default", b.para("first")), ("header", "default", b.para("second")))
    section = '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/></w:sectPr>'
    options["end"] = '<w:headerReference w:type="default" r:id="rId2"/>'
    assert read(b.para("body", properties=section), **options).text == "first\nsecond\nbody\n"


NOTES = (
    '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    f'<w:footnote w:id="2">{b.para("<w:r><w:footnoteRef/></w:r>", " the cap")}</w:footnote>'
    f'<w:footnote w:id="3">{b.para("UNUSED")}</w:footnote>'
)


def test_footnotes_follow_their_paragraph_endnotes_the_body() -> None:
    """Each note once, however often it is referred to; separators and unused notes are no text."""
    refer = '<w:r><w:{}Reference w:id="2"/></w:r>'
    parts = {
        "footnotes.xml": ("footnotes", b.part("footnotes", NOTES)),
        "endnotes.xml": ("endnotes", b.part("endnotes", f'<w:endnote w:id="2">{b.para("the end")}</w:endnote>')),
    }
    body = (
        b.para("limited", refer.format("footnote"), " leave", refer.format("endnote")),
        b.para("again", refer.format("footnote")),
        b.para('<w:del><w:r><w:footnoteReference w:id="3"/></w:r></w:del>', "last"),
    )
    assert read(*body, parts=parts).text == "limited leave\nthe cap\nagain\nlast\nthe end\n"


# ---- other parts -------------------------------------------------------------------------


def chunk(name: str, content: str | bytes) -> Parsed:
    return read(b.para("before"), '<w:altChunk r:id="rId1"/>', b.para("after"), parts={name: ("aFChunk", content)})


HTML = (
    "<html><head><title>NO</title><style>NO {}</style></head><body><h1>Report</h1><p>one<br>two</p>"
    "<script>NO</script><div style='display:none'>NO</div><ul><li>item</li></ul>"
    "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><p>2</p></td></tr></table>tail</body></html>"
)
RTF = (
    rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 SimSun;}{\f1\fcharset0 Arial;}}"
    rb"{\info{\title NO}}{\*\generator NO;}"
    rb"\f0\'d6\'d0\'ce\'c4\par\f1 caf\'e9 \u20013?\u-10179?\u-8704? {\v NO}\{x\}\par {\pict NO}"
    rb"{\field{\*\fldinst NO}{\fldrslt link}}\line a\tab b}"
)
MHT = (
    b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\n"
    b"Content-Type: text/html; charset=gb2312\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    b"PHA+1tDOxDwvcD4=\r\n--x\r\nContent-Type: image/png\r\n\r\nNO\r\n--x--\r\n"
)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.html", HTML, ["Report", "one", "two", "item", "A | B", "1 | 2", "tail"]),
        ("a.htm", "<meta charset=gb2312><p>数据</p>".encode("gbk"), ["数据"]),
        ("a.xhtml", '<?xml version="1.0"?><html><body><p>x</p></body></html>', ["x"]),
        ("a.html", "\ufeff<p>x</p>".encode("utf-16-le"), ["x"]),
        ("a.rtf", RTF, ["中文", "café 中😀 {x}", "link", "a\tb"]),
        ("a.mht", MHT, ["中文"]),
        ("a.txt", "纯文本\nsecond".encode("gb18030"), ["纯文本", "second"]),
        ("a.docx", b.docx(b.para("inner"), b.table(b.row("1", "2"))), ["inner", "1 | 2"]),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 9 else "",
)
def test_imported_parts(name: str, content: str | bytes, expected: list[str]) -> None:
    """HTML, MHT, RTF, text and documents are read in their place, by what they are."""
    parsed = chunk(name, content)
    assert parsed.state is State.INDEXED
    assert parsed.text.splitlines() == ["before", *expected, "after"]


def test_imported_parts_that_cannot_be_read_are_named() -> None:
    """An unknown or missing part is a warning, and the rest is there."""
    for parsed in (chunk("a.bin", b"\x00\x01\x02"), chunk("a.html", ""), chunk("a.docx", b"PK\x03\x04broken")):
        assert parsed.state is State.WARNED
        assert "altChunk" in notes(parsed)
        assert parsed.text == "before\nafter\n"


def test_documents_imported_in_documents_end() -> None:
    """Imports nest four deep, then they are named."""
    data = b.docx(b.para("level 0"))
    for level in range(1, 8):
        data = b.docx(b.para(f"level {level}"), '<w:altChunk r:id="rId1"/>', parts={"a.docx": ("aFChunk", data)})
    parsed = parse(data, ParseLimits())
    assert parsed.text.split("\n")[:5] == ["level 7", "level 6", "level 5", "level 4", "level 3"]
    assert parsed.state is State.WARNED


def test_diagrams() -> None:
    """SmartArt: the data points' texts, not their copies for the layout."""
    point = "<dgm:pt{}><dgm:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t></dgm:pt>"
    inner = point.format("", "Plan") + point.format("", "Do") + point.format(' type="pres"', "NO")
    data = f"<dgm:dataModel {b.NAMESPACES}><dgm:ptLst>{inner}</dgm:ptLst></dgm:dataModel>"
    drawing = '<w:r><w:drawing><a:graphic><dgm:relIds r:dm="rId1"/></a:graphic></w:drawing></w:r>'
    parsed = read(b.para("x", drawing), parts={"diagrams/data1.xml": ("diagramData", data)})
    assert parsed.text == "x\nPlan\nDo\n"


def test_charts() -> None:
    """A chart is its title and a table of its cached values."""

    def cached(name: str, *values: str) -> str:
        points = "".join(f'<c:pt idx="{i}"><c:v>{v}</c:v></c:pt>' for i, v in enumerate(values))
        return f"<c:{name}><c:strRef><c:strCache>{points}</c:strCache></c:strRef></c:{name}>"

    series = "<c:ser>" + cached("tx", "Sales") + cached("cat", "May", "June") + cached("val", "4.4000000000000004", "7")
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Revenue</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    plot = f"<c:plotArea>{series}</c:ser></c:plotArea>"
    chart = f"<c:chartSpace {b.NAMESPACES}><c:chart>{title}{plot}</c:chart></c:chartSpace>"
    drawing = '<w:r><w:drawing><a:graphic><c:chart r:id="rId1"/></a:graphic></w:drawing></w:r>'
    parsed = read(b.para(drawing), parts={"charts/chart1.xml": ("chart", chart)})
    assert parsed.text == "Revenue\n| Sales\nMay | 4.4\nJune | 7\n"
    assert read(b.para("x", drawing)).text == "x\n"


def test_embedded_objects_are_named() -> None:
    """A file inside the file is said, a formula object is not."""
    formula = '<w:r><w:object><o:OLEObject ProgID="Equation.3"/></w:object></w:r>'
    assert read(b.para("x", formula)).state is State.INDEXED
    parsed = read(b.para("x", formula.replace("Equation.3", "Excel.Sheet.12")))
    assert parsed.state is State.WARNED
    assert "Excel.Sheet.12" in notes(parsed)


def test_subdocuments_are_named() -> None:
    """A master document says which documents it only refers to."""
    parsed = read(b.para("master"), '<w:subDoc r:id="rId1"/>', parts={"file:///C:/chapter1.docx": ("subDocument", "")})
    assert (parsed.text, parsed.state) == ("master\n", State.WARNED)
    assert "chapter1.docx" in notes(parsed)


def test_comments_are_not_text() -> None:
    """Remarks of reviewers stay out."""
    comments = b.part("comments", f'<w:comment w:id="0">{b.para("NO")}</w:comment>')
    body = b.para('<w:commentRangeStart w:id="0"/>', "text", '<w:r><w:commentReference w:id="0"/></w:r>')
    assert read(body, parts={"comments.xml": ("comments", comments)}).text == "text\n"
