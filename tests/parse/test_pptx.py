"""PowerPoint: every text a person sees on the slides, once, in reading order, a slide a page."""

from __future__ import annotations

import io
import zipfile

import docx_builder
import pptx_builder as b
import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.pptx import parse


def read(*pages: b.Page | list[str], **options: object) -> Parsed:
    return parse(b.pptx(*pages, **options), ParseLimits())  # type: ignore[arg-type]


def lines(*shapes: str) -> list[str]:
    return read(list(shapes)).text.splitlines()


def test_a_slide_is_a_page_under_its_title() -> None:
    """The title stands first wherever it is drawn, and is the heading; slides come in the order of showing."""
    first = [b.shape("正文一"), b.shape("第一张", kind="title")]
    second = [b.shape("第二张", kind="ctrTitle"), b.shape("正文二")]
    parsed = read(first, second, order=[2, 1])
    assert [(s.page, s.headings, s.text) for s in parsed.sections] == [
        (1, ("第二张",), "第二张\n正文二\n"),
        (2, ("第一张",), "第一张\n正文一\n"),
    ]
    assert parsed.title == "第二张"
    assert parsed.details == {"slides": 2}


def test_boxes_are_read_by_their_place() -> None:
    """Columns one after the other, rows from top to bottom, whatever was drawn first."""
    right = [b.shape("right below", at=(500, 300, 400, 90)), b.shape("right above", at=(500, 200, 400, 90))]
    left = [b.shape("left below", at=(0, 300, 400, 90)), b.shape("left above", at=(0, 200, 400, 90))]
    banner = b.shape("banner", at=(0, 0, 900, 100))
    assert lines(*right, *left, banner) == ["banner", "left above", "left below", "right above", "right below"]


def test_a_placeholder_has_the_place_of_its_layout() -> None:
    """A placeholder without a place of its own stands where the layout puts it."""
    layout = b.shape("Click to add text", kind="body", idx=7, at=(0, 0, 900, 100))
    parsed = read([b.shape("below", at=(0, 500, 900, 100)), b.shape("above", kind="body", idx=7)], layout=layout)
    assert parsed.text == "above\nbelow\n"


def test_groups_stay_together() -> None:
    """A group is read as one box, with its own order inside; groups nest."""
    inner = b.group(b.shape("c", at=(0, 50, 10, 10)), b.shape("b", at=(0, 0, 10, 10)), at=(0, 300, 100, 100))
    outer = b.group(inner, b.shape("a", at=(0, 0, 100, 100)), at=(0, 0, 100, 500))
    assert lines(b.shape("d", at=(400, 100, 100, 100)), outer) == ["a", "b", "c", "d"]


def test_hidden_shapes_are_not_shown() -> None:
    """What the selection pane hides is no text."""
    assert lines(b.shape("seen"), b.shape("unseen", hidden=True)) == ["seen"]


def test_a_hidden_slide_is_read_and_said() -> None:
    """It keeps its place in the count and is named in the details."""
    parsed = read([b.shape("one")], b.Page([b.shape("two")], attributes='show="0"'))
    assert [(s.page, s.text) for s in parsed.sections] == [(1, "one\n"), (2, "two\n")]
    assert parsed.details == {"slides": 2, "hidden_slides": [2]}


def test_a_table_keeps_its_header() -> None:
    """One row a line, merged cells once, the header as lead."""
    merged = '<a:tc hMerge="1"><a:txBody><a:p><a:r><a:t>NOT SHOWN</a:t></a:r></a:p></a:txBody></a:tc>'
    rows = (["部门", "人数"], ["研发", "40"], ["合计", merged])
    parsed = read([b.graphic(b.table(*rows, first=True))])
    assert [(s.kind, s.text, s.lead) for s in parsed.sections] == [
        ("table", "部门 | 人数\n研发 | 40\n合计\n", "部门 | 人数\n")
    ]


def test_a_compatibility_pair_is_read_once() -> None:
    """The modern branch, never both."""
    pair = docx_builder.alternate(b.shape("formula"), b.shape("picture of it"))
    assert lines(pair) == ["formula"]


def test_lists_have_their_numbers() -> None:
    """Automatic numbers are text to a person; each level counts by itself and begins anew under the next."""
    first = '<a:pPr><a:buAutoNum type="ea1ChsPeriod"/></a:pPr>'
    second = '<a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR" startAt="2"/></a:pPr>'
    paragraphs = [b.para(t, p) for t, p in (("甲", first), ("x", second), ("y", second), ("乙", first), ("x", second))]
    assert lines(b.shape(*paragraphs)) == ["一. 甲", "b) x", "c) y", "二. 乙", "b) x"]


def test_slide_numbers_are_no_text() -> None:
    """A field of the slide's number goes, any other keeps what it shows."""
    number = '<a:fld type="slidenum"><a:t>7</a:t></a:fld>'
    day = '<a:fld type="datetime1"><a:t>2026/11/30</a:t></a:fld>'
    assert lines(b.shape(b.para(number), b.para(day))) == ["2026/11/30"]


def test_line_ends_and_formulas() -> None:
    """A soft line end ends a line; a formula is written on one."""
    formula = "<a14:m><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></a14:m>"
    assert lines(b.shape(b.para("<a:r><a:t>a</a:t></a:r><a:br/><a:r><a:t>b</a:t></a:r>"), b.para(formula))) == [
        "a",
        "b",
        "E=mc",
    ]


def test_a_chart_is_a_table() -> None:
    """Title, series and categories as a person reads them."""
    series = (
        "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>销量</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>一季度</c:v></c:pt></c:strCache></c:strRef></c:cat>"
        "<c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>120</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>"
    )
    chart = b.root(
        "c:chartSpace",
        f"<c:chart><c:title><c:tx><c:rich>{b.para('年度销量')}</c:rich></c:tx></c:title>{series}</c:chart>",
    )
    page = b.Page([b.graphic('<c:chart r:id="rId1"/>')], [("chart", "charts/chart1.xml", chart)])
    parsed = read(page)
    assert parsed.text == "年度销量\n| 销量\n一季度 | 120\n"
    assert parsed.sections[-1].kind == "table"


def test_smartart_is_read_from_its_data_once() -> None:
    """Layout points repeat the data points and are left out."""
    point = '<dgm:pt modelId="1" type="{}"><dgm:t>{}</dgm:t></dgm:pt>'
    data = b.root(
        "dgm:dataModel",
        f"<dgm:ptLst>{point.format('node', b.para('审批'))}{point.format('pres', b.para('审批'))}</dgm:ptLst>",
    )
    page = b.Page([b.graphic('<dgm:relIds r:dm="rId1"/>')], [("diagramData", "diagrams/data1.xml", data)])
    assert read(page).text == "审批\n"


def test_notes_and_comments_have_their_places() -> None:
    """Both follow their slide under its title; old and threaded comments name their author."""
    notes = b.root("p:notes", b.tree(b.shape("讲稿", kind="body"), b.shape("3", kind="sldNum")))
    old = b.root("p:cmLst", '<p:cm authorId="0"><p:text>核对数字</p:text></p:cm>')
    new = b.root(
        "p188:cmLst",
        f'<p188:cm authorId="{{A}}"><p188:replyLst><p188:reply authorId="{{A}}"><p188:txBody>{b.para("已改")}</p188:txBody>'
        f"</p188:reply></p188:replyLst><p188:txBody>{b.para('请更新')}</p188:txBody></p188:cm>",
    )
    parts = [
        ("notesSlide", "notesSlides/n1.xml", notes),
        ("comments", "comments/c1.xml", old),
        ("comments", "comments/c2.xml", new),
    ]
    parsed = read(
        b.Page([b.shape("题", kind="title")], parts),
        main=[("rIdA", "commentAuthors", "authors.xml"), ("rIdB", "authors", "people.xml")],
        extra={
            "ppt/authors.xml": b.root("p:cmAuthorLst", '<p:cmAuthor id="0" name="王五"/>'),
            "ppt/people.xml": b.root("p188:authorLst", '<p188:author id="{A}" name="Li"/>'),
        },
    )
    assert [(s.page, s.headings, s.place, s.text) for s in parsed.sections] == [
        (1, ("题",), "", "题\n"),
        (1, ("题",), "notes", "讲稿\n"),
        (1, ("题",), "comments", "王五: 核对数字\nLi: 请更新\nLi: 已改\n"),
    ]


def test_footers_and_fixed_texts_are_written_once() -> None:
    """What stands on every slide comes once, at the end; prompts of placeholders never."""
    footer = b.shape("内部资料", kind="ftr")
    layout = b.shape("Click to edit", kind="body") + b.shape("版式文字")
    parsed = read([b.shape("a"), footer], [b.shape("b"), footer], layout=layout, master=b.shape("公司"))
    assert parsed.text == "a\nb\n内部资料\n版式文字\n公司\n"
    assert parsed.sections[-1].page is None


def test_a_slide_may_hide_the_shapes_of_its_master() -> None:
    """``showMasterSp`` of the slide or the layout."""
    assert read(b.Page([b.shape("a")], attributes='showMasterSp="0"'), master=b.shape("公司")).text == "a\n"


def test_properties_give_title_and_label() -> None:
    """The title a person gave, not the program's; the version of the custom properties."""
    custom = (
        '<Properties xmlns:vt="urn:vt"><property name="Author"><vt:lpwstr>x</vt:lpwstr></property>'
        '<property name="版本"><vt:lpwstr>2.1</vt:lpwstr></property></Properties>'
    )
    parsed = read([b.shape("a")], extra={"docProps/core.xml": docx_builder.core("述职"), "docProps/custom.xml": custom})
    assert (parsed.title, parsed.label) == ("述职", "2.1")
    programs = docx_builder.core("PowerPoint 演示文稿")
    assert read([b.shape("题", kind="title")], extra={"docProps/core.xml": programs}).title == "题"


def test_embedded_objects_are_said() -> None:
    """Their content is in files of their own."""
    parsed = read([b.shape("a"), b.graphic('<p:oleObj progId="Excel.Sheet.12"/>')])
    assert parsed.state is State.WARNED
    assert "Excel.Sheet.12" in str(parsed.notes[0])


def test_a_damaged_slide_is_left_out_and_said() -> None:
    """The others are read."""
    parsed = read([b.shape("a")], [b.shape("b")], extra={"ppt/slides/slide1.xml": "<broken"})
    assert parsed.text == "b\n"
    assert parsed.sections[0].page == 2
    assert parsed.state is State.WARNED
    assert "slide1.xml" in str(parsed.notes[0])


def test_slides_without_relations_are_found_by_name() -> None:
    """A package whose list of slides is lost still has its slides."""
    data = b.pptx([b.shape("a")], [b.shape("b")], extra={"ppt/_rels/presentation.xml.rels": "<broken"})
    assert parse(data, ParseLimits()).text == "a\nb\n"


def test_strict_packages_are_read() -> None:
    """The strict namespaces mean the same."""
    data = b.pptx([b.shape("a", kind="title")])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    strict = {
        name: text.replace(
            "http://schemas.openxmlformats.org/presentationml/2006", "http://purl.oclc.org/ooxml/presentationml"
        )
        .replace("http://schemas.openxmlformats.org/drawingml/2006", "http://purl.oclc.org/ooxml/drawingml")
        .replace("http://schemas.openxmlformats.org/officeDocument/2006", "http://purl.oclc.org/ooxml/officeDocument")
        for name, text in parts.items()
    }
    assert parse(b.zipped(strict), ParseLimits()).text == "a\n"


def test_pictures_only_is_no_text() -> None:
    """A presentation of pictures says so."""
    picture = "<p:pic><p:nvPicPr><p:cNvPr id='1' name='x'/></p:nvPicPr></p:pic>"
    parsed = read([picture])
    assert parsed.state is State.NO_TEXT
    assert "pictures" in str(parsed.notes[0])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04 cut off", "damaged"),
        (b.zipped({"a.txt": "x"}), "not a presentation"),
        (b.zipped({"ppt/presentation.xml": "<a/>"}), "not a presentation"),
        (b.zipped({"ppt/presentation.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}), "entities"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "password"),
    ],
)
def test_what_is_no_presentation_is_refused(data: bytes, reason: str) -> None:
    """With a reason that says what it is."""
    with pytest.raises(ParseRefused, match=reason):
        parse(data, ParseLimits())


def test_groups_nested_for_ever_are_refused() -> None:
    """Depth without end is no reason to die."""
    with pytest.raises(ParseRefused):
        read(["<p:grpSp>" * 800 + "</p:grpSp>" * 800])


def test_many_boxes_take_linear_time() -> None:
    """Thousands of boxes on one slide are read in a moment."""
    shapes = [b.shape(str(n), at=(n % 37 * 10, n // 37 * 10, 9, 9)) for n in range(3000)]
    assert len(lines(*shapes)) == 3000
