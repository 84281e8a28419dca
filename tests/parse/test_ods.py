"""OpenDocument spreadsheets: the values as shown, sheets, repetitions, merged and hidden cells."""

from __future__ import annotations

import io
import time
import zipfile

import pytest
from xlsx_builder import zipped

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.ods import parse

LIMITS = ParseLimits()
NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in [("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"), ("draw", "drawing"), ("chart", "chart"), ("meta", "meta")]
)  # fmt: skip


def book(*tables: str, styles: str = "", parts: dict[str, str] | None = None) -> bytes:
    """A package with these tables."""
    content = f'<office:document-content {NAMES} xmlns:xlink="http://www.w3.org/1999/xlink"><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:spreadsheet>{"".join(tables)}</office:spreadsheet></office:body></office:document-content>'
    return zipped(
        {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content} | (parts or {})
    )


def table(name: str, *rows: str, before: str = "", attributes: str = "") -> str:
    """One sheet."""
    return f'<table:table table:name="{name}" {attributes}>{before}{"".join(rows)}</table:table>'


def row(*cells: str, attributes: str = "") -> str:
    """One row of texts; a cell that begins with < is the element itself."""
    made = "".join(
        c
        if c.startswith("<")
        else f"<table:table-cell><text:p>{c}</text:p></table:table-cell>"
        if c
        else "<table:table-cell/>"
        for c in cells
    )
    return f"<table:table-row {attributes}>{made}</table:table-row>"


def read(*tables: str, styles: str = "", parts: dict[str, str] | None = None) -> Parsed:
    """The tables, parsed."""
    return parse(book(*tables, styles=styles, parts=parts), LIMITS)


def test_values_as_shown() -> None:
    """The paragraph of a cell is what is seen; a cell without one gives its value; comments follow the sheet."""
    cell = '<table:table-cell office:value-type="float" office:value="0.256"><office:annotation><text:p>请核对</text:p></office:annotation><text:p>25.6<text:s/>%</text:p></table:table-cell>'
    bare = '<table:table-cell office:value-type="float" office:value="7"/>'
    lines = "<table:table-cell><text:p>一</text:p><text:p>二<text:line-break/>三</text:p></table:table-cell>"
    assert (
        read(table("Sheet1", row("a", "b", "c"), row(cell, bare, lines))).text
        == "a | b | c\n25.6 % | 7 | 一 二 三\nA2: 请核对\n"
    )


def test_sheets_and_places() -> None:
    """Sheets are headings; empty rows part tables; header rows lead each group."""
    body = [row(f"k{i}", str(i)) for i in range(60)]
    parsed = read(
        table("一月", row("项目", "金额"), *body),
        table(
            "二月",
            '<table:table-row table:number-rows-repeated="9"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>',
            row("x", "1"),
        ),
    )
    assert [s.headings for s in parsed.sections] == [("一月",), ("一月",), ("二月",)]
    assert [s.place for s in parsed.sections] == ["A1:B51", "A52:B61", "A10:B10"]
    assert parsed.sections[1].lead == "一月\n项目 | 金额\n"


def test_repeated_cells_and_rows() -> None:
    """Runs are written out; a million empty rows and columns cost nothing."""
    five = '<table:table-cell table:number-columns-repeated="3"><text:p>5</text:p></table:table-cell>'
    empty = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    parsed = read(
        table("Sheet1", row("a", "b", "c", "d"), row("x", five, attributes='table:number-rows-repeated="2"'), empty)
    )
    assert parsed.text == "a | b | c | d\nx | 5 | 5 | 5\nx | 5 | 5 | 5\n"


def test_merged_cells_once() -> None:
    """Covered cells are not seen."""
    covered = "<table:covered-table-cell><text:p>财务</text:p></table:covered-table-cell>"
    corner = '<table:table-cell table:number-rows-spanned="2"><text:p>财务</text:p></table:table-cell>'
    assert (
        read(table("Sheet1", row("部门", "姓名"), row(corner, "甲"), row(covered, "乙"))).text
        == "部门 | 姓名\n财务 | 甲\n | 乙\n"
    )


def test_hidden() -> None:
    """Hidden sheets, rows and columns are no text and are said; filtered rows are text."""
    styles = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    parsed = read(
        table("Sheet1", row("a", "H1", "b"), row("H2", "H3", attributes='table:visibility="collapse"'), row("F", "H", "f", attributes='table:visibility="filter"'), before=columns),
        table("T", row("H4"), attributes='table:style-name="ta2"'), styles=styles,
    )  # fmt: skip
    assert parsed.text == "Sheet1\na | b\nF | f\n"
    assert parsed.state is State.WARNED
    assert len(parsed.notes) == 2


def test_shapes_and_charts() -> None:
    """Texts of shapes and titles of charts stand after their sheet, also without any cell."""
    shapes = '<table:shapes><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame><draw:custom-shape><text:p>图形</text:p></draw:custom-shape></table:shapes>'
    chart = f"<office:document-content {NAMES}><office:body><office:chart><chart:chart><chart:title><text:p>销售图</text:p></chart:title></chart:chart></office:chart></office:body></office:document-content>"
    assert read(table("Sheet1", before=shapes), parts={"Object 1/content.xml": chart}).text == "图形\n销售图\n"


def test_title_from_properties() -> None:
    """The title the author gave."""
    meta = f'<office:document-meta {NAMES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>预算</dc:title><meta:user-defined meta:name="版本">2.0</meta:user-defined></office:meta></office:document-meta>'
    parsed = read(table("Sheet1", row("a", "b"), row("1", "2")), parts={"meta.xml": meta})
    assert (parsed.title, parsed.label) == ("预算", "2.0")


def test_damaged_and_protected() -> None:
    """A content that is cut off keeps its rows and says so; an encrypted file is refused."""
    whole = book(table("Sheet1", *[row("k", str(i)) for i in range(50)]))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        content = archive.read("content.xml")
    cut = parse(zipped({"content.xml": content[: len(content) // 2]}), LIMITS)
    assert cut.state is State.WARNED
    assert "k | 10" in cut.text
    with pytest.raises(ParseRefused, match="password"):
        parse(
            zipped({"content.xml": content, "META-INF/manifest.xml": '<manifest:encryption-data xmlns:manifest="m"/>'}),
            LIMITS,
        )
    with pytest.raises(ParseRefused):
        parse(zipped({"content.xml": "<"}), LIMITS)
    with pytest.raises(ParseRefused):
        parse(b"PK\x03\x04nothing", LIMITS)


def test_repetition_bomb() -> None:
    """A full cell repeated over the whole sheet ends at once."""
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    started = time.process_time()
    parsed = read(table("Sheet1", *[row(cell, attributes='table:number-rows-repeated="1048576"')] * 20))
    assert time.process_time() - started < 20
    assert len(parsed.text) < 3_000_000


def test_entities_are_refused() -> None:
    """A document type with entities ends the file."""
    content = f'<!DOCTYPE x [<!ENTITY a "aaa">]><office:document-content {NAMES}/>'
    with pytest.raises(ParseRefused, match="entities"):
        parse(zipped({"content.xml": content}), LIMITS)


def test_nothing_in_it() -> None:
    """A spreadsheet without cells is NO_TEXT."""
    assert read(table("Sheet1", row("", ""))).state is State.NO_TEXT
