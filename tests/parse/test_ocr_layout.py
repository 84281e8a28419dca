"""Lines found on a picture become text in reading order; no model is needed to know how."""

from __future__ import annotations

import math

import pytest

from indexer.parse.ocr_layout import Line, join, text


def line(string: str, x: float, y: float, width: float, height: float = 30) -> Line:
    return Line(((x, y), (x + width, y), (x + width, y + height), (x, y + height)), string, 1.0)


def column(words: str, x: float, width: float = 600, top: float = 0) -> list[Line]:
    """Six full lines, 20 pixels apart: "a1" to "a6"."""
    return [line(f"{words}{n} and some more of the words", x, top + n * 50, width) for n in range(1, 7)]


def test_nothing_is_no_text() -> None:
    """A picture without lines has no text, not even a line end."""
    assert text([]) == ""


def test_lines_of_a_paragraph_are_joined() -> None:
    """Full lines go on; the last, short one ends the paragraph; what comes far below is another."""
    lines = [line("The first line", 0, 0, 590), line("goes on here", 0, 40, 600), line("and ends.", 0, 80, 150)]
    assert (
        text([*lines, line("Another begins", 0, 200, 500)])
        == "The first line goes on here and ends.\n\nAnother begins\n"
    )


def test_a_line_with_room_left_ends() -> None:
    """The next line's first word would have fitted: the line end is the writer's."""
    lines = [
        line("Dr. P.N. Cundall,", 0, 0, 200),
        line("Holroyd Road,", 0, 40, 150),
        line("A long line of the letter", 0, 80, 600),
    ]
    assert text(lines) == "Dr. P.N. Cundall,\nHolroyd Road,\nA long line of the letter\n"


def test_chinese_lines_are_joined_without_a_space() -> None:
    """Between Chinese characters, and between them and Latin letters, nothing is put in."""
    lines = [line("　　累计工作已满一年不满十年", 60, 0, 540), line("的，年休假五天。", 0, 40, 300)]
    assert text(lines) == "　　累计工作已满一年不满十年的，年休假五天。\n"


@pytest.mark.parametrize("mark", ["1. ", "（二）", "第三条 ", "• ", "a) ", "二、"])
def test_items_of_a_list_stay_apart(mark: str) -> None:
    """What begins with a number or a bullet begins a line."""
    assert (
        text([line("一二三四五六七八九十", 0, 0, 600), line(f"{mark}一二三四五六七八九", 0, 40, 600)]).count("\n") == 2
    )


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("infor-", "mation", "information"),
        ("Anglo-", "Saxon", "Anglo- Saxon"),
        ("a", "b", "a b"),
        ("中", "文", "中文"),
        ("中", "b", "中b"),
        ("x，", "b", "x，b"),
        ("", "b", "b"),
    ],
)
def test_join(first: str, second: str, joined: str) -> None:
    """A hyphen at a line's end belongs to the line, not to the word."""
    assert join(first, second) == joined


def test_columns_are_read_one_after_the_other() -> None:
    """Also where their lines stand at the same height; what crosses them comes first or last."""
    found = text([*column("b", 700), *column("a", 0), line("A title over both of the columns", 100, -80, 1100)])
    order = [found.index(word) for word in ("title", "a1", "a6", "b1", "b6")]
    assert order == sorted(order)


def test_three_columns() -> None:
    """Columns within columns."""
    found = text([*column("c", 900, 400), *column("a", 0, 400), *column("b", 450, 400)])
    order = [found.index(word) for word in ("a1", "a6", "b1", "b6", "c1", "c6")]
    assert order == sorted(order)


def test_a_table_is_read_by_rows() -> None:
    """Short cells at one height are one line."""
    cells = [
        line(f"{name}{row}", x, row * 70, 90) for row in range(6) for x, name in ((0, "a"), (330, "b"), (660, "c"))
    ]
    assert text(cells).split("\n")[2] == "a2 b2 c2"


def test_a_page_scanned_askew_keeps_its_rows() -> None:
    """Two degrees are 50 pixels over the width of a page, more than a line."""
    turn = math.radians(2)

    def turned(a: Line) -> Line:
        corners = tuple(
            (x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)) for x, y in a.corners
        )
        return a._replace(corners=corners)

    cells = [
        line(f"{name}{row}", x, row * 40, 200) for row in range(6) for x, name in ((0, "a"), (600, "b"), (1200, "c"))
    ]
    assert text([turned(cell) for cell in cells]) == text(cells)
    assert text(cells).startswith("a0 b0 c0\n")


def test_hundreds_of_lines_are_arranged_at_once() -> None:
    """A thousand lines, which is the most the detector gives, take no time worth speaking of."""
    lines = [line(f"w{x} {y}", x * 97, y * 13, 60 + x % 7 * 9, 11) for x in range(25) for y in range(40)]
    assert text(lines).count("w") == 1000
