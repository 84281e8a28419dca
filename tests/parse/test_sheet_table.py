"""Rows to sections: titles, headers, several tables, groups with their place."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.core.model import Section
from indexer.core.tables import ParseLimits
from indexer.parse.sheet_layout import Hints, Row
from indexer.parse.sheet_table import Room, column_name, table_sections


def rows_of(table: Sequence[Sequence[str]], bold: Sequence[int] = ()) -> list[Row]:
    """Rows from 1; empty ones are skipped, as sheets do."""
    made = []
    for number, row in enumerate(table, 1):
        cells = {c: text for c, text in enumerate(row) if text}
        if cells:
            made.append(Row(number, cells, number in bold))
    return made


def sections(
    table: Sequence[Sequence[str]], name: str = "", hints: Hints | None = None, bold: Sequence[int] = ()
) -> list[Section]:
    """The sections of a table."""
    return list(table_sections(rows_of(table, bold), Room(ParseLimits()), name, hints or Hints()))


def test_title_and_header_lead_each_group() -> None:
    """The title row is a heading; later groups have sheet, title and header as their lead."""
    body = [[f"项目{i}", str(i)] for i in range(60)]
    first, second = sections([["2024年费用明细"], ["项目", "金额"], *body], "费用")
    assert first.headings == second.headings == ("费用", "2024年费用明细")
    assert first.text.startswith("费用\n2024年费用明细\n项目 | 金额\n项目0 | 0\n")
    assert first.lead == second.lead == "费用\n2024年费用明细\n项目 | 金额\n"
    assert (first.place, second.place) == ("A1:B52", "A53:B62")
    assert second.text.startswith("项目50 | 50\n")


def test_several_tables_in_one_sheet() -> None:
    """An empty row and a new header begin a new table with its own lead."""
    found = sections([["姓名", "年龄"], ["张三", "30"], [], ["城市", "人口"], ["上海", "2487"]])
    assert [s.lead for s in found] == ["姓名 | 年龄\n", "城市 | 人口\n"]
    assert [s.place for s in found] == ["A1:B2", "A4:B5"]


def test_empty_rows_within_a_table() -> None:
    """Rows after an empty one that have no header of their own go on with the table above."""
    found = sections([["姓名", "年龄"], ["张三", "30"], [], ["李四", "31"], ["王五", "32"]])
    assert len(found) == 1
    assert found[0].place == "A1:B5"


def test_words_after_an_empty_row() -> None:
    """In a table of words a row of words is a header only if it stands out."""
    table = [["姓名", "城市"], ["张三", "上海"], [], ["李四", "北京"], ["王五", "广州"]]
    assert len(sections(table)) == 1
    assert [s.lead for s in sections(table, bold=[1, 4])] == ["姓名 | 城市\n", "李四 | 北京\n"]


def test_header_apart_from_its_rows() -> None:
    """A header and an empty row, then the rows: still their header, with the title above."""
    found = sections([["平方数"], [], ["数", "平方"], [], ["1", "1"], ["2", "4"]])
    assert [s.lead for s in found] == ["平方数\n数 | 平方\n"]


def test_lines_between_title_and_header() -> None:
    """What stands between title and header is there once and not repeated."""
    found = sections(
        [["费用表"], ["部门：财务", "日期：一月"], ["项目", "金额", "备注", "经手"], ["差旅", "12", "x", "y"]]
    )
    assert found[0].text == "费用表\n部门：财务 | 日期：一月\n"
    assert found[1].text.startswith("项目 | 金额 | 备注 | 经手\n")
    assert "".join(s.text for s in found).count("费用表") == 1


def test_no_header_among_numbers() -> None:
    """Rows of numbers have no header."""
    assert [s.lead for s in sections([["1", "2"], ["3", "4"]])] == [""]


def test_years_months_and_days_are_headers() -> None:
    """Periods and counted columns are header cells though they are numbers."""
    assert sections([["项目", "2023", "2024年"], ["收入", "1", "2"]])[0].lead == "项目 | 2023 | 2024年\n"
    assert sections([["姓名", "1", "2", "3"], ["张三", "√", "√", "×"]])[0].lead == "姓名 | 1 | 2 | 3\n"


def test_header_of_two_rows() -> None:
    """Merged cells in the header say how far it goes."""
    table = [["项目", "收入", ""], ["", "现金", "转账"], ["一月", "1", "2"]]
    assert sections(table, hints=Hints(reach={1: 2}))[0].lead == "项目 | 收入\n | 现金 | 转账\n"


def test_the_file_says_where_the_header_is() -> None:
    """A header row marked in the file wins over what it looks like."""
    table = [["1", "x"], ["2", "y"], ["3", "z"]]
    assert sections(table, hints=Hints(headers=frozenset({1})))[0].lead == "1 | x\n"


def test_columns_without_text_are_left_out() -> None:
    """Empty columns vanish, gaps in rows stay."""
    found = sections([["", "a", "", "b", "c"], ["", "1", "", "", "3"]])
    assert found[0].text == "a | b | c\n1 |  | 3\n"
    assert found[0].place == "B1:E2"


def test_lines_of_words_are_text() -> None:
    """A column of sentences is no table; remarks after a table are not its title."""
    found = sections(
        [
            ["说明第一行。"],
            ["说明第二行。"],
            [],
            ["a", "b"],
            ["1", "2"],
            [],
            ["备注：以上含税"],
            [],
            ["c", "d"],
            ["3", "4"],
        ]
    )
    assert [s.kind for s in found] == ["text", "table", "text", "table"]
    assert found[3].headings == ()


def test_wide_rows_make_small_groups() -> None:
    """A group has at most 50 rows, and ends earlier when its rows are long."""
    found = sections([["a", "b"], *[["x" * 500, str(i)] for i in range(40)]])
    assert max(len(s.text) for s in found) < 5000


def test_nothing_is_lost() -> None:
    """Every cell is in the text once, in order."""
    table = [["t"], [], ["n", "v"], *[[f"k{i}", f"{i}"] for i in range(123)], [], ["end."]]
    text = "".join(s.text for s in sections(table, "S"))
    words = [c for row in table for c in row if c]
    assert text.replace(" | ", "\n").split("\n")[1:-1] == words


def test_column_names() -> None:
    """A, Z, AA, XFD."""
    assert [column_name(c) for c in (0, 25, 26, 16383)] == ["A", "Z", "AA", "XFD"]
