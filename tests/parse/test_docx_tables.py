"""Tables: one row a line, every cell once, in reading order."""

from __future__ import annotations

import docx_builder as b

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits
from indexer.parse.docx import parse


def read(*body: str, **options: object) -> Parsed:
    return parse(b.docx(*body, **options), ParseLimits())  # type: ignore[arg-type]


def rows(*table_rows: str) -> list[str]:
    parsed = read(b.table(*table_rows))
    assert all(s.kind == "table" for s in parsed.sections)
    return parsed.text.splitlines()


def test_rows_and_sections() -> None:
    """A table is a section of its own between the texts around it."""
    parsed = read(b.para("before"), b.table(b.row("a", "b"), b.row("c", "d")), b.para("after"))
    assert [(s.kind, s.text) for s in parsed.sections] == [
        ("text", "before\n"),
        ("table", "a | b\nc | d\n"),
        ("text", "after\n"),
    ]


def test_merged_cells_once() -> None:
    """A horizontal merge is one cell; below a vertical one the place stays empty."""
    wide = b.cell("head", properties='<w:gridSpan w:val="2"/>')
    top = b.cell("top", properties='<w:vMerge w:val="restart"/>')
    below = b.cell("NOT SHOWN", properties="<w:vMerge/>")
    assert rows(b.row(wide), b.row(top, "x"), b.row(below, "y")) == ["head", "top | x", "| y"]
    legacy = b.cell("NOT SHOWN", properties='<w:hMerge w:val="continue"/>')
    assert rows(b.row("a", legacy, "c"), b.row("a", "b", "c")) == ["a |  | c", "a | b | c"]


def test_a_merge_without_a_beginning_is_a_cell() -> None:
    """A continuation with nothing above it in its grid column hides nothing."""
    lone = b.cell("kept", properties="<w:vMerge/>")
    assert rows(b.row("a", lone), b.row("b", "c")) == ["a | kept", "b | c"]
    shifted = b.row(b.cell("kept", properties="<w:vMerge/>"), "c", properties='<w:gridBefore w:val="1"/>')
    first = b.row(b.cell("top", properties='<w:vMerge w:val="restart"/>'), "b")
    assert rows(first, shifted) == ["top | b", "kept | c"]


def test_nested_table_in_place() -> None:
    """The rows of a nested table stand between what is above and below it in its cell."""
    nested = b.table(b.row("n1", "n2"), b.row("n3", "n4"))
    found = rows(b.row("left", b.cell(b.para("above"), nested, b.para("below")), "right"))
    assert found == ["left | above", "n1 | n2", "n3 | n4", "below | right"]


def test_paragraphs_of_a_cell() -> None:
    """Short paragraphs share the line; long ones get lines of their own."""
    assert rows(b.row(b.cell("a", "b"), "c")) == ["a b | c"]
    long = "x" * 400
    assert rows(b.row(b.cell(long, long), "c")) == [long, long, "c"]
    assert rows(b.row(f"{long}{long}", "c")) == [f"{long}{long} | c"]


def test_line_breaks_and_tabs_in_a_cell() -> None:
    """A cell never breaks its row."""
    assert rows(b.row(b.cell(b.para("<w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t></w:r>")), "d")) == [
        "a b c | d"
    ]


def test_wrapped_rows_and_cells() -> None:
    """Content controls and custom XML around rows and cells are looked through."""
    row = b.control(b.row("a", b.control(b.cell("b"))), "<w15:repeatingSectionItem/>")
    assert rows(b.control(row), f"<w:customXml>{b.row('c', 'd')}</w:customXml>") == ["a | b", "c | d"]


def test_deleted_rows_and_cells() -> None:
    """Rows and cells deleted by a tracked change are gone, inserted ones are there."""
    found = read(
        b.para("text that stays"),
        b.table(
            b.row("a", "b", properties="<w:ins/>"),
            b.row("NO", "NO", properties="<w:del/>"),
            b.row("c", b.cell("NO", properties="<w:cellDel/>"), b.cell("d", properties="<w:cellIns/>")),
        ),
    )
    assert found.text == "text that stays\na | b\nc | d\n"


def test_empty_rows_and_cells() -> None:
    """Empty rows leave no line, trailing empty cells no mark, inner ones keep their place."""
    assert rows(b.row("a", "", "c", ""), b.row("", ""), b.row("d", "", "", "")) == ["a |  | c", "d"]
    assert read(b.para("x"), b.table(b.row("", ""))).text == "x\n"


def test_a_table_of_one_column_is_a_frame() -> None:
    """A box drawn with a table is text, with headings and tables of its own."""
    inner = b.table(b.row("a", "b"))
    body = b.table(b.row(b.cell(b.para("Head", style="Heading1"), b.para("text"), inner)))
    assert [(s.kind, s.headings, s.text) for s in read(body).sections] == [
        ("text", ("Head",), "Head\ntext\n"),
        ("table", ("Head",), "a | b\n"),
    ]


def test_headings_in_table_cells_open_nothing() -> None:
    """A heading style in a cell is decoration."""
    parsed = read(b.table(b.row(b.cell(b.para("Name", style="Heading1")), "Age")), b.para("after"))
    assert [s.headings for s in parsed.sections] == [(), ()]


def test_notes_of_a_table_follow_it() -> None:
    """A footnote in a cell stands after the table, not inside a row."""
    notes = b.part("footnotes", f'<w:footnote w:id="2">{b.para("the note")}</w:footnote>')
    cell = b.cell(b.para("a", '<w:r><w:footnoteReference w:id="2"/></w:r>'))
    parsed = read(b.table(b.row(cell, "b")), b.para("after"), parts={"footnotes.xml": ("footnotes", notes)})
    assert parsed.text == "a | b\nthe note\nafter\n"


def test_boxes_in_cells() -> None:
    """A text box anchored in a cell belongs to the cell."""
    assert rows(b.row(b.cell(b.para("a", b.box(b.para("box")))), "b")) == ["a box | b"]


def test_a_large_table_takes_linear_time() -> None:
    """Ten times the rows take about ten times the time."""
    from time import process_time

    def cost(count: int) -> float:
        data = b.docx(b.table(*(b.row(str(i), f"name {i}", "value") for i in range(count))))
        start = process_time()
        assert parse(data, ParseLimits()).text.count("\n") == count
        return process_time() - start

    cost(10)
    small, large = min(cost(1000), cost(1000)), cost(10_000)
    assert large < 40 * small


def lead(*table_rows: str) -> str:
    return read(b.table(*table_rows)).sections[0].lead


def test_the_header_is_the_lead() -> None:
    """The rows Word repeats on each page; without any, the first row of a table of at least three."""
    head = b.row("部门", "人数", properties="<w:tblHeader/>")
    second = b.row("", "全职", properties="<w:tblHeader/>")
    assert lead(head, second, b.row("研发", "40")) == "部门 | 人数\n| 全职\n"
    assert lead(b.row("部门", "人数"), b.row("研发", "40"), b.row("合计", "40")) == "部门 | 人数\n"
    assert lead(b.row("部门", "人数"), b.row("研发", "40")) == ""
    assert lead(b.row("x", "y", properties='<w:tblHeader w:val="0"/>'), b.row("a", "b")) == ""


def test_only_rows_at_the_top_are_the_header() -> None:
    """A mark further down, and a table that is all header, say nothing."""
    marked = b.row("c", "d", properties="<w:tblHeader/>")
    assert lead(b.row("a", "b"), marked) == ""
    assert lead(marked, marked) == ""
