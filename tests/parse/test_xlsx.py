"""Workbooks: what a person sees in a sheet, once, in order, and what the notes say of the rest."""

from __future__ import annotations

import time
import zipfile
from io import BytesIO

import pytest
from xlsx_builder import HEAD, MAIN, Book, zipped

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits, SplitSettings
from indexer.parse.xlsx import parse
from indexer.split import make_splitter

LIMITS = ParseLimits()


def read(book: Book) -> Parsed:
    """The workbook, parsed."""
    return parse(book.bytes(), LIMITS)


def lines(book: Book) -> list[str]:
    """Its text by lines."""
    return read(book).text.splitlines()


def test_values_as_shown() -> None:
    """Numbers through their formats, text with its zeros, truth values, errors; trailing empty cells left out."""
    row = [
        "0012",
        ("0.0%", "0.256"),
        ("yyyy-mm-dd", "45296"),
        ("#,##0.00", "1234.5"),
        True,
        ("xml", '<c r="REF" t="e"><v>#DIV/0!</v></c>'),
        None,
        "",
        3,
    ]
    assert lines(Book().sheet("Sheet1", [["a", "b"], row])) == [
        "a | b",
        "0012 | 25.6% | 2024-01-05 | 1,234.50 | TRUE | #DIV/0! | 3",
    ]


def test_sheets_are_headings() -> None:
    """Each sheet's name heads its rows, in the order of the tabs."""
    parsed = read(Book().sheet("一月", [["项目", "金额"], ["差旅", 1]]).sheet("二月", [["项目", "金额"], ["差旅", 2]]))
    assert [s.headings for s in parsed.sections] == [("一月",), ("二月",)]
    assert parsed.text == "一月\n项目 | 金额\n差旅 | 1\n二月\n项目 | 金额\n差旅 | 2\n"
    assert parsed.sections[0].place == "A1:B2"


def test_a_default_name_alone_is_no_heading() -> None:
    """Sheet1 says nothing where there is no Sheet2 with content."""
    assert lines(Book().sheet("Sheet1", [["x", "y"], [1, 2]]).sheet("Sheet2", [])) == ["x | y", "1 | 2"]


def test_formulas() -> None:
    """The stored value is shown, never the formula; a value that was never stored is said."""
    cached = ("xml", '<c r="REF"><f>SUM(B2:B3)</f><v>700</v></c>')
    text = ("xml", '<c r="REF" t="str"><f>A1&amp;"x"</f><v>a&amp;x</v></c>')
    shared = ("xml", '<c r="REF"><f t="shared" si="0"/><v>8</v></c>')
    missing = ("xml", '<c r="REF"><f>B4*2</f></c>')
    parsed = read(Book().sheet("费用", [["项目", "金额"], ["合计", cached, text, shared], ["未算", missing]]))
    assert parsed.text.splitlines()[-2:] == ["合计 | 700 | a&x | 8", "未算"]
    assert parsed.state is State.WARNED
    assert "1 formulas" in str(parsed.notes[0])
    assert "费用!B3" in str(parsed.notes[0])


def test_hidden_sheets_rows_and_columns() -> None:
    """What is hidden is no text, and the notes say where."""
    book = Book().sheet(
        "Sheet1",
        [["a", "b", "c"], ["1", "H1", "2"], ["H2", "H3", "H4"]],
        before='<cols><col min="2" max="2" hidden="1"/></cols>',
        row_attributes={3: 'hidden="1"'},
    )
    parsed = read(book.sheet("T", [["HT"]], state="hidden"))
    assert parsed.text == "a | c\n1 | 2\n"
    assert [str(note).split(":")[0] for note in parsed.notes] == [
        "Hidden sheets are not part of the text",
        "Hidden rows or columns are not part of the text, in",
    ]


def test_a_filter_hides_nothing() -> None:
    """Rows a filter or a collapsed group has put away are one click away: they are text."""
    filtered = '<autoFilter ref="A1:B3"><filterColumn colId="0"/></autoFilter>'
    assert (
        "x3"
        in read(
            Book().sheet("Sheet1", [["a", "b"], ["x2", 1], ["x3", 2]], after=filtered, row_attributes={3: 'hidden="1"'})
        ).text
    )
    assert (
        "x3"
        in read(
            Book().sheet(
                "Sheet1", [["a", "b"], ["x2", 1], ["x3", 2]], row_attributes={3: 'hidden="1" outlineLevel="1"'}
            )
        ).text
    )


def test_merged_cells_once() -> None:
    """Values under a merged range are not seen; other programs leave them there."""
    rows = [["部门", "姓名"], ["财务", "甲"], ["财务", "乙"], ["财务", "丙"]]
    assert lines(Book().sheet("Sheet1", rows, after='<mergeCells count="1"><mergeCell ref="A2:A4"/></mergeCells>')) == [
        "部门 | 姓名",
        "财务 | 甲",
        " | 乙",
        " | 丙",
    ]


def test_merged_header_of_two_rows() -> None:
    """A header cell over two columns makes the row below part of the header."""
    rows = [["项目", "收入", None], [None, "现金", "转账"], ["一月", 1, 2]]
    parsed = read(
        Book().sheet("Sheet1", rows, after='<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>')
    )
    assert parsed.sections[0].lead == "项目 | 收入\n | 现金 | 转账\n"


def test_header_by_table_and_print_titles() -> None:
    """The file's own tables and print titles name the header row."""
    rows = [["1", "2"], *[["x", "y"]] * 3]
    table = f'{HEAD}<table xmlns="{MAIN}" ref="A1:B4"/>'
    assert (
        read(Book().sheet("Sheet1", rows, relations=[("table", "xl/tables/t.xml", table)])).sections[0].lead
        == "1 | 2\n"
    )
    assert (
        read(Book().sheet("Sheet1", rows).define("_xlnm.Print_Titles", 0, "Sheet1!$1:$1")).sections[0].lead == "1 | 2\n"
    )


def test_shared_strings() -> None:
    """Rich runs are joined, phonetic readings left out, escapes read, line ends become blanks."""
    items = "<si><r><t>日</t></r><r><t xml:space='preserve'>本 </t></r><rPh sb='0' eb='1'><t>ニホン</t></rPh></si><si><t>a_x000D_\nb</t></si>"
    cells = [("xml", f'<c r="REF" t="s"><v>{i}</v></c>') for i in (0, 1, 7)]
    parsed = read(
        Book()
        .sheet("Sheet1", [["n", "v"], cells])
        .part("sharedStrings", "xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{items}</sst>')
    )
    assert parsed.text.splitlines()[1] == "日本 | a b"
    assert "1 cells refer to texts" in str(parsed.notes[0])


def test_comments_shapes_and_charts() -> None:
    """Comments once after their sheet with their cell, then text boxes and titles of charts; page numbers are no text."""
    comments = f'<comments xmlns="{MAIN}"><commentList><comment ref="B2"><text><r><t>请核对</t></r></text></comment><comment ref="A1"><text><t>[Threaded comment] old</t></text></comment></commentList></comments>'
    threaded = '<ThreadedComments xmlns="urn:t"><threadedComment ref="A1"><text>新批注</text></threadedComment></ThreadedComments>'
    drawing = '<d:wsDr xmlns:d="urn:d" xmlns:a="urn:a"><d:sp><d:txBody><a:p><a:r><a:t>文本框</a:t></a:r></a:p></d:txBody></d:sp></d:wsDr>'
    book = Book().sheet(
        "Sheet1", [["a", "b"], [1, 2]], after="<headerFooter><oddHeader>&amp;L内部资料&amp;R&amp;P / &amp;N</oddHeader></headerFooter>",
        relations=[("comments", "xl/comments1.xml", comments), ("threadedComment", "xl/tc.xml", threaded), ("drawing", "xl/drawings/d.xml", drawing)],
    )  # fmt: skip
    assert lines(book)[2:] == ["A1: 新批注", "B2: 请核对", "文本框", "内部资料"]


def test_title_and_label() -> None:
    """Title and version come from the properties; without them the title above the first table."""
    core = '<p:coreProperties xmlns:p="urn:p" xmlns:dc="urn:dc"><dc:title>差旅 费用</dc:title><p:version>2.1</p:version></p:coreProperties>'
    parsed = read(
        Book().sheet("Sheet1", [["a", "b"], [1, 2]]).part("core-properties", "docProps/core.xml", core, of_package=True)
    )
    assert (parsed.title, parsed.label) == ("差旅 费用", "2.1")
    assert read(Book().sheet("Sheet1", [["费用明细"], ["a", "b"], [1, 2]])).title == "费用明细"
    assert read(Book().sheet("Sheet1", [["a", "b"], [1, 2]])).title == ""


def test_rows_and_cells_without_references() -> None:
    """Some programs write no r attributes: cells count on from their neighbours."""
    sheet = f'{HEAD}<x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c><x:c/><x:c><x:v>3</x:v></x:c></x:row><x:row><x:c><x:v>4</x:v></x:c><x:c><x:v>5</x:v></x:c></x:row></x:sheetData></x:worksheet>'
    book = Book().sheet("Sheet1", [])
    book.parts["xl/worksheets/sheet1.xml"] = sheet
    assert lines(book) == ["1 |  | 3", "4 | 5"]


def test_1904() -> None:
    """The epoch of the workbook counts."""
    book = Book().sheet("Sheet1", [["d", "x"], [("yyyy-mm-dd", "1"), 2]])
    book.properties = '<workbookPr date1904="1"/>'
    assert "1904-01-02" in read(book).text


def test_a_chunk_from_the_middle() -> None:
    """Header and sheet go with every chunk; row groups name their cells."""
    parsed = read(Book().sheet("员工", [["工号", "姓名"], *[[i, f"员工{i}"] for i in range(300)]]))
    chunks = make_splitter(SplitSettings())(parsed)
    assert all("工号 | 姓名\n" in chunk.text for chunk in chunks)
    assert parsed.sections[2].place == "A102:B151"


def test_nothing_in_it() -> None:
    """A workbook without cells is NO_TEXT."""
    assert read(Book().sheet("Sheet1", [])).state is State.NO_TEXT
    assert parse(b"", LIMITS).state is State.NO_TEXT


def test_damaged_sheet() -> None:
    """Rows before the damage are kept, and the part is named."""
    book = Book().sheet("Sheet1", [["a", "b"], *[[i, i] for i in range(200)]])
    whole = str(book.parts["xl/worksheets/sheet1.xml"])
    book.parts["xl/worksheets/sheet1.xml"] = whole[: len(whole) // 2]
    parsed = read(book)
    assert parsed.state is State.WARNED
    assert "sheet1.xml" in str(parsed.notes[0])
    assert "50 | 50" in parsed.text


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04junk", zipped({"a.txt": "x"}), zipped({"xl/workbook.xml": "<"}), b"%PDF-1.4", b"\0" * 50]
)
def test_no_workbook(data: bytes) -> None:
    """Anything else is refused with a reason."""
    with pytest.raises(ParseRefused):
        parse(data, LIMITS)


def test_entities_are_refused() -> None:
    """A document type in any part that is read ends the file."""
    doctype = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    for part in ("xl/worksheets/sheet1.xml", "xl/workbook.xml"):
        book = Book().sheet("Sheet1", [["a", "b"], [1, 2]])
        parts = _parts(book)
        parts[part] = doctype.encode() + parts[part].removeprefix(HEAD.encode())
        with pytest.raises(ParseRefused, match="entities"):
            parse(zipped(parts), LIMITS)


def _parts(book: Book) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(book.bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_inflated_dimensions() -> None:
    """Cells in the last row and column cost nothing for those between."""
    far = '<row r="1048576"><c r="XFD1048576"><v>9</v></c></row>'
    book = Book().sheet("Sheet1", [["a", "b"], [1, 2]], before='<dimension ref="A1:XFD1048576"/>')
    book.parts["xl/worksheets/sheet1.xml"] = str(book.parts["xl/worksheets/sheet1.xml"]).replace(
        "</sheetData>", far + "</sheetData>"
    )
    assert read(book).sections[-1].place == "XFD1048576:XFD1048576"


def test_many_merged_ranges() -> None:
    """Fifty thousand ranges, all open at once, take bounded time."""
    merges = "".join(f'<mergeCell ref="A{i}:XFD1048576"/>' for i in range(1, 50_000))
    started = time.process_time()
    read(
        Book().sheet("Sheet1", [["a", "b"], *[[i, i] for i in range(2000)]], after=f"<mergeCells>{merges}</mergeCells>")
    )
    assert time.process_time() - started < 15


def test_one_long_text_in_many_cells() -> None:
    """A shared string of 30,000 characters in 100,000 cells is refused before it fills the memory."""
    cells = '<c t="s"><v>0</v></c>' * 100
    rows = "".join(f'<row r="{r}">{cells}</row>' for r in range(1, 1001))
    book = (
        Book()
        .sheet("Sheet1", [])
        .part("sharedStrings", "xl/sharedStrings.xml", f'<sst xmlns="{MAIN}"><si><t>{"x" * 30_000}</t></si></sst>')
    )
    book.parts["xl/worksheets/sheet1.xml"] = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    with pytest.raises(ParseRefused, match="output_chars"):
        parse(book.bytes(), ParseLimits(output_chars=5_000_000))


@pytest.mark.parametrize("unusual", ["", "<!-- no plain part -->"])
def test_the_quick_way_reads_the_same(unusual: str) -> None:
    """Rows cut out of the bytes and rows of a tree give the same text, whatever a program writes."""
    cells = (
        '<row/><row r="3" spans="1:9"><c r="A3" t="s" s="1"><v>0</v></c><c r="B3"/><c r="D3" s="0" t="str"><f>A1&lt;2</f><v>a &amp; b</v></c></row>'
        "<row r='4'><c r='A4'><v>1</v></c><c r='B4' cm='1'><f t='array' ref='B4'>x</f><v>2</v></c><c r='C4'><v/></c></row>"
        '<row r="5"><c r="B5" t="inlineStr"><is><t xml:space="preserve"> x&#10;y </t></is></c><c r="A5"><v>5</v></c><extLst/></row>'
        '<row><c><v>6</v></c><c t="b"><v>1</v></c></row><row/><row><c t="e"><v>#N/A</v></c><c><f>NOW()</f></c></row>'
    )
    book = (
        Book()
        .sheet("Sheet1", [])
        .part("sharedStrings", "xl/sharedStrings.xml", f'<sst xmlns="{MAIN}"><si><t>甲</t></si></sst>')
    )
    book.parts["xl/worksheets/sheet1.xml"] = (
        f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData>{unusual}</worksheet>'
    )
    parsed = read(book)
    assert parsed.text == "甲 |  | a & b\n1 | 2\n5 | x y\n6 | TRUE\n#N/A\n"
    assert [s.place for s in parsed.sections] == ["A3:D6", "A8:A8"]
    assert "Sheet1!B8" in str(parsed.notes[0])
