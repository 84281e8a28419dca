"""Lines, columns, headers and page labels: from what a page draws to text a person would write."""

from __future__ import annotations

import pytest
from pdf_builder import Pdf, show

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits
from indexer.parse.pdf import parse
from indexer.parse.pdf_chars import Cell, Line
from indexer.parse.pdf_columns import in_reading_order
from indexer.parse.pdf_flow import Words, text_of, words
from indexer.parse.pdf_furniture import Leaf, without_furniture


def read(pdf: Pdf) -> Parsed:
    return parse(pdf.data(), ParseLimits())


def column(*texts: str, left: float = 50, width: float = 300, top: float = 700, step: float = 14) -> list[Line]:
    """Lines under each other; every one but the last fills the column unless it ends with a bar."""
    lines = []
    for number, text in enumerate(texts):
        full = number < len(texts) - 1 and not text.endswith("|")
        right = left + (width if full else min(width * 0.6, 6 * len(text)))
        lines.append(Line(text.removesuffix("|"), left, right, top - step * number, 12))
    return lines


# ---- paragraphs ----------------------------------------------------------------------


def test_running_text_loses_its_line_ends() -> None:
    """A full line goes on in the next: with a blank in English, without one in Chinese."""
    assert text_of(column("The leave of an employee begins on the", "first day of the month.")) == (
        "The leave of an employee begins on the first day of the month.\n"
    )
    assert text_of(column("员工应当在休假前三个工作日向直接", "主管提出申请，经批准后方可休假。")) == (
        "员工应当在休假前三个工作日向直接主管提出申请，经批准后方可休假。\n"
    )


@pytest.mark.parametrize(
    "texts",
    [
        ("Leave of absence|", "Employees ask their manager in good time"),
        ("- the first point of a list that fills it", "- the second point of the list"),
        ("1. Scope of these rules for all employees", "2. Terms used in these rules"),
        ("（一）本制度适用于公司全体在职员工和实习人员", "（二）本制度由人事部负责解释"),
        ("第一条 本制度适用于公司全体在职员工和实习人员", "第二条 本制度由人事部负责解释"),
    ],
)
def test_lists_headings_and_articles_keep_their_lines(texts: tuple[str, ...]) -> None:
    """What begins anew is on a line of its own."""
    assert text_of(column(*texts)) == "\n".join(texts).replace("|", "") + "\n"


def test_listings_and_rows_keep_their_lines() -> None:
    """Letters of one width and cells apart are no running text."""
    code = [line._replace(fixed=True) for line in column("for each document in the folder do", "index it once")]
    assert text_of(code).count("\n") == 2
    row = (Cell("Rate", 50, 80), Cell("per night and person", 200, 350))
    table = [line._replace(cells=row) for line in column("Rate per night and person", "Beijing 600 yuan a night")]
    assert text_of(table).count("\n") == 2


def test_larger_or_bolder_lines_are_no_part_of_the_paragraph() -> None:
    """A heading may fill its line and still does not run into the text."""
    first, second = column("The conditions of travel inside the country", "apply from the first of May.")
    assert text_of([first._replace(height=16), second]).count("\n") >= 2
    assert text_of([first._replace(style=(2, 2)), second]).count("\n") >= 2


def test_a_gap_is_an_empty_line() -> None:
    """Blocks that stand apart are apart in the text."""
    upper, lower = column("The first block.|", "x"), column("The second block.", top=600)
    assert text_of([upper[0], *lower]) == "The first block.\n\nThe second block.\n"


def test_a_title_ends_the_paragraph() -> None:
    """A line that a bookmark names is not joined, however full it is."""
    lines = column("Conditions of travel inside the country and", "abroad are the same for all.")
    assert text_of(lines, breaks={1}).count("\n") == 2


# ---- hyphens -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("a self-explanatory descrip-", "tion of the work"), "a self-explanatory description of the work"),
        (("the exact amount is well-", "known to everyone"), "the exact amount is well-known to everyone"),
        (("a state-of-", "the-art method"), "a state-of-the-art method"),
        (("das Verfahren zur Daten-", "verarbeitung im Betrieb"), "das Verfahren zur Datenverarbeitung im Betrieb"),
        (("nach der Schwarz-", "Weiß-Regel geprüft"), "nach der Schwarz-Weiß-Regel geprüft"),
        (("in the years 2019-", "2021 and later on"), "in the years 2019-2021 and later on"),
        (
            ("a soft hy\u00adphen at the end of the para\u00ad", "graph"),
            "a soft hy\u00adphen at the end of the paragraph",
        ),
        (("before the dash -", "and after it"), "before the dash - and after it"),
    ],
)
def test_hyphens_at_line_ends(lines: tuple[str, ...], text: str) -> None:
    """A hyphen that only broke a word goes, one that belongs to the word stays."""
    assert text_of(column(*lines)) == text + "\n"


def test_the_document_knows_its_words() -> None:
    """How a word is written inside a line decides how it is joined."""
    broken = column("the committee will re-", "sign the treaty tomorrow")
    assert "re-sign" in text_of(broken, known=Words(hyphened=frozenset({"re-sign"})))
    assert "resign" in text_of(broken, known=Words(whole=frozenset({"resign"})))
    assert words([Line("They re-sign it soon.")]).hyphened == {"re-sign"}


# ---- columns -------------------------------------------------------------------------


def pair(left: str, right: str, y: float) -> Line:
    cells = (Cell(left, 50, 250), Cell(right, 300, 500))
    return Line(f"{left} {right}", 50, 500, y, 12, cells=cells)


def test_columns_drawn_line_by_line() -> None:
    """Lines that run in two columns are read column by column; what crosses both stays where it is."""
    lines = [Line("A title over both of the columns of this page", 50, 500, 720, 12)]
    lines += [pair(f"left text that goes on {n}", f"right text that goes on {n}", 700 - 14 * n) for n in range(8)]
    ordered = [line.text for line in in_reading_order(lines)]
    assert ordered[0].startswith("A title")
    assert ordered[1:9] == [f"left text that goes on {n}" for n in range(8)]
    assert ordered[9:] == [f"right text that goes on {n}" for n in range(8)]


@pytest.mark.parametrize(("left", "right"), [("Beijing", "600"), ("Name of the applicant", "Signature of the manager")])
def test_tables_stay_rows(left: str, right: str) -> None:
    """Short cells, and cells that begin anew in each row, are a table."""
    lines = [pair(f"{left} {n}", f"{right} {n}", 700 - 14 * n) for n in range(8)]
    assert in_reading_order(lines) == lines


def test_two_columns_in_a_file() -> None:
    """The same from the bytes of a file whose program drew across the page."""
    pdf = Pdf()
    parts = []
    for n in range(10):
        y = 700 - 14 * n
        parts += [f"1 0 0 1 50 {y} Tm (these words of the left column go on {n}) Tj"]
        parts += [f"1 0 0 1 320 {y} Tm (those words of the right column go on {n}) Tj"]
    pdf.page(f"BT /F1 12 Tf {' '.join(parts)} ET")
    text = read(pdf).text
    assert text.index("left column go on 9") < text.index("right column go on 0")


# ---- headers and footers -------------------------------------------------------------


def leaves(count: int, head: str = "Handbook of travel", foot: str = "Page {n} of {count}") -> list[Leaf]:
    made = []
    for n in range(1, count + 1):
        body = [Line(f"Body {n} line {k}", 50, 300, 700 - 14 * k, 12) for k in range(5)]
        top = Line(head.format(n=n, count=count), 50, 300, 800, 12)
        made.append(Leaf([top, *body, Line(foot.format(n=n, count=count), 50, 120, 30, 12)], 842))
    return made


@pytest.mark.parametrize("foot", ["Page {n} of {count}", "{n}", "- {n} -", "第 {n} 页 共 {count} 页", "Draft of May"])
def test_headers_and_footers_are_found_once(foot: str) -> None:
    """What pages repeat, word for word or but for their number, stays on the first of them only."""
    pages = without_furniture(leaves(6, foot=foot))
    assert [len(lines) for lines in pages] == [7, 5, 5, 5, 5, 5]


def test_roman_page_numbers() -> None:
    """Numbers of a preface count as well."""
    numbers = ["i", "ii", "iii", "iv"]
    pages = leaves(4)
    for leaf, number in zip(pages, numbers, strict=True):
        leaf.lines[-1] = leaf.lines[-1]._replace(text=f"Handbook {number}")
    assert [len(lines) for lines in without_furniture(pages)] == [7, 5, 5, 5]


def test_what_only_looks_like_a_header_stays() -> None:
    """Numbers that do not count the pages, two pages, text close to the body, pages of nothing else."""
    pages = leaves(6, head="Invoice {n}73")
    for leaf, number in zip(pages, (4711, 12, 993, 5, 60, 7), strict=True):
        leaf.lines[0] = leaf.lines[0]._replace(text=f"Invoice {number}")
    assert all(lines[0].text.startswith("Invoice") for lines in without_furniture(pages))
    assert [len(lines) for lines in without_furniture(leaves(2))] == [7, 7]
    alone = [Leaf([Line("Chapter", 50, 90, 800, 12), Line("Name", 50, 90, 760, 12)], 842) for _ in range(5)]
    assert all(lines for lines in without_furniture(alone))


def test_a_repeated_line_under_other_text_stays() -> None:
    """A clause that returns near the top of pages is no header where other text stands above it."""
    pages = leaves(5, head="Part {n}x", foot="end {n}y")
    for number, leaf in enumerate(pages):
        leaf.lines[0] = leaf.lines[0]._replace(text="abcde"[number])
        leaf.lines.insert(1, Line("This clause is the same on each page.", 50, 300, 780, 12))
    assert all(lines[1].text.startswith("This clause") for lines in without_furniture(pages))


def test_headers_in_a_file() -> None:
    """The same from the bytes of a file."""
    pdf = Pdf()
    for n in range(1, 6):
        body = show(*(f"Text {n} of the chapter {k}" for k in range(9))).replace("50 780", "50 700")
        pdf.page(
            f"BT /F1 9 Tf 50 810 Td (Rules of travel) Tj ET {body} BT /F1 9 Tf 290 25 Td (Page {n}) Tj ET",
        )
    text = read(pdf).text
    assert text.count("Rules of travel") == 1
    assert text.count("Page ") == 1
    assert text.count("of the chapter 0") == 5


# ---- page labels ---------------------------------------------------------------------


def test_printed_page_numbers() -> None:
    """The place is the page number as printed, where it is not the number in the file."""
    pdf = Pdf()
    for word in ("preface", "more preface", "chapter", "appendix"):
        pdf.lines(word)
    pdf.catalog = "/PageLabels<</Nums[0<</S/r>>2<</S/D>>3<</S/D/P(A-)/St 3>>]>>"
    assert [(s.page, s.place) for s in read(pdf).sections] == [(1, "i"), (2, "ii"), (3, "1"), (4, "A-3")]


@pytest.mark.parametrize("tree", ["12", "<</Nums 7>>", "<</Kids[1 0 R]>>", "<</Nums[0<</S/D>>]>>"])
def test_broken_or_plain_labels_say_nothing(tree: str) -> None:
    """Labels that are broken, or the numbers of the pages anyway, are left out."""
    pdf = Pdf()
    pdf.lines("text")
    pdf.catalog = f"/PageLabels{tree if tree.startswith('<') else ' ' + tree}"
    assert [section.place for section in read(pdf).sections] == [""]
