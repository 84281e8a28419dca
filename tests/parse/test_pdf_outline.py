"""Bookmarks become heading paths, and cut pages where their titles stand."""

from __future__ import annotations

from pdf_builder import Pdf

from indexer.core.model import Section
from indexer.core.tables import ParseLimits
from indexer.parse.pdf import parse
from indexer.parse.pdf_outline import Bookmark, Outline


def outline_entries(pdf: Pdf, entries: list[tuple[str, int, int]]) -> None:
    """Writes (title, page index, parent entry or -1) as the document's outline."""
    root = pdf.reserve()
    numbers = [pdf.reserve() for _ in entries]
    for parent, number in [(-1, root), *enumerate(numbers)]:
        children = [n for n, entry in zip(numbers, entries, strict=True) if entry[2] == parent]
        body = f"/First {children[0]} 0 R/Last {children[-1]} 0 R/Count {len(children)}" if children else ""
        if parent >= 0:
            title, page, above = entries[parent]
            siblings = [n for n, entry in zip(numbers, entries, strict=True) if entry[2] == above]
            place = siblings.index(number)
            body += f"/Next {siblings[place + 1]} 0 R" if place + 1 < len(siblings) else ""
            body += f"/Parent {numbers[above] if above >= 0 else root} 0 R/Dest[{pdf.pages[page]} 0 R/Fit]"
            body += f"/Title<FEFF{title.encode('utf-16-be').hex()}>"
        pdf.put(number, f"<<{body}>>")
    pdf.catalog += f"/Outlines {root} 0 R"


def test_pages_are_cut_at_titles() -> None:
    """A section starts at the line of its title and carries the titles above it."""
    pdf = Pdf()
    pdf.lines("Security guide", "1 Passwords", "at least 14 characters", "1.1 Renewal", "every 180 days")
    pdf.lines("more on renewal", "2 Devices", "are encrypted")
    outline_entries(pdf, [("1 Passwords", 0, -1), ("1.1 Renewal", 0, 0), ("2 Devices", 1, -1)])
    sections = parse(pdf.data(), ParseLimits()).sections
    assert sections == (
        Section("Security guide\n", (), 1),
        Section("1 Passwords\nat least 14 characters\n", ("1 Passwords",), 1),
        Section("1.1 Renewal\nevery 180 days\n", ("1 Passwords", "1.1 Renewal"), 1),
        Section("more on renewal\n", ("1 Passwords", "1.1 Renewal"), 2),
        Section("2 Devices\nare encrypted\n", ("2 Devices",), 2),
    )


def test_title_not_found_on_its_page() -> None:
    """Without a line of its own, a title counts from the start of the page it points to."""
    sections = list(Outline([Bookmark(0, "Chapter of images", 0)]).sections(0, "some text\n"))
    assert sections == [Section("some text\n", ("Chapter of images",), 1)]


def test_title_over_two_lines_and_other_spacing() -> None:
    """White space, width, case, numbering and line breaks do not matter."""
    text = "intro\n３．  A long TITLE\nbroken here\nbody\n"
    sections = list(Outline([Bookmark(0, "A Long Title Broken Here", 0)]).sections(0, text))
    assert [s.text for s in sections] == ["intro\n", "３．  A long TITLE\nbroken here\nbody\n"]


def test_nothing_is_lost_or_doubled() -> None:
    """Whatever the bookmarks say, the sections joined are the page."""
    text = "a\nb\nc\nb\na\n"
    marks = [Bookmark(n % 3, title, 0) for n, title in enumerate("cabxab")]
    assert "".join(s.text for s in Outline(marks).sections(0, text)) == text


def test_broken_outline_costs_no_text() -> None:
    """An outline in a circle, or one that points nowhere, is passed over."""
    pdf = Pdf()
    pdf.lines("the text")
    entry = pdf.reserve()
    pdf.put(entry, f"<</Title(loop)/First {entry} 0 R/Next {entry} 0 R/Dest[999 0 R/Fit]>>")
    pdf.catalog = f"/Outlines<</First {entry} 0 R/Last {entry} 0 R>>"
    assert parse(pdf.data(), ParseLimits()).text == "the text\n"


def test_title_of_the_document() -> None:
    """The title is the document information's, unless a program made it up."""
    for written, meant in [
        ("(Security guide)", "Security guide"),
        ("<FEFF4F1150474FE1>", "休假信"),
        ("(Microsoft Word - Rules of leave)", "Rules of leave"),
        ("(untitled)", ""),
        ("(report_final.docx)", ""),
        ("12", ""),
    ]:
        pdf = Pdf()
        pdf.lines("text")
        pdf.trailer = f"/Info<</Title {written}>>"
        assert parse(pdf.data(), ParseLimits()).title == meant
