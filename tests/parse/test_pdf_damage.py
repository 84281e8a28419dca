"""PDFs that are cut off, garbled or made to hurt: recovered and said, or refused with a reason."""

from __future__ import annotations

import io
import random
import re

import pytest
from pdf_builder import Pdf

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.pdf import parse
from indexer.parse.pdf_open import is_cut_off


def read(data: bytes) -> Parsed:
    return parse(data, ParseLimits())


def read_or_reason(data: bytes) -> Parsed | str:
    """What the parser makes of it, or the one-line reason why not."""
    try:
        return read(data)
    except ParseRefused as refused:
        reason = str(refused)
    assert reason.strip()
    assert "\n" not in reason
    return reason


def book(pages: int = 6, *, deflate: bool = True) -> bytes:
    pdf = Pdf()
    for number in range(1, pages + 1):
        pdf.lines(*(f"page {number} line {line}" for line in range(20)), deflate=deflate)
    return pdf.data()


def packed(data: bytes) -> bytes:
    """The same document with object streams and a cross-reference stream."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("tenths", range(1, 10))
def test_half_copied_file_is_never_clean(tenths: int) -> None:
    """A file cut anywhere is refused with a reason or WARNED with one, never INDEXED."""
    data = book()
    parsed = read_or_reason(data[: len(data) * tenths // 10])
    if isinstance(parsed, str):
        assert "damaged" in parsed
    else:
        assert parsed.state is State.WARNED
        assert parsed.notes


def test_cut_before_the_end_mark_at_every_byte() -> None:
    """Losing any part of the cross-reference table or the trailer is noticed."""
    data = book(1)
    for cut in range(data.rfind(b"xref\n0"), data.rfind(b"startxref"), 7):
        assert is_cut_off(data[:cut])


def test_recovered_pages_are_said_to_be_some() -> None:
    """When pages are missing, the note says how many there are and should be."""
    data = book()
    parsed = read(data[: data.find(b"page 4") if b"page 4" in data else len(data) * 6 // 10])
    assert parsed.state is State.WARNED
    assert re.search(r"Only \d of 6 pages", " ".join(map(str, parsed.notes)))
    assert "page 1 line 0" in parsed.text


def test_preallocated_copy() -> None:
    """A copy whose second half is still zeros is a cut-off file of full size."""
    data = book()
    half = data[: len(data) // 2] + b"\0" * (len(data) - len(data) // 2)
    parsed = read_or_reason(half)
    assert "damaged" in parsed if isinstance(parsed, str) else parsed.state is State.WARNED


def test_cut_off_linearised_file() -> None:
    """The end mark of the first page's part does not make a cut-off file whole."""
    head = b"%PDF-1.7\n1 0 obj\n<</Linearized 1/L 99999/N 1>>\nendobj\n"
    assert is_cut_off(head + b"2 0 obj\n<<>>\nendobj\nstartxref\n0\n%%EOF\n")


def test_harmless_tails() -> None:
    """Bytes, marks and empty lines after the end cost nothing."""
    data = book(2)
    for tail in (b"", b"\n\n%%EOF\n", b"\0" * 5000, b"<html><body>appended by a proxy</body></html>" * 60):
        parsed = read(data + tail)
        assert parsed.state is State.INDEXED, tail[:20]
        assert len(parsed.sections) == 2


def test_junk_before_the_header() -> None:
    """A header line of a mail or HTTP reply before the PDF shifts all offsets, harmlessly."""
    data = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + book(2)
    assert "page 2 line 19" in read(data).text


@pytest.mark.parametrize("offset", [b"0", b"77", b"999999", b"-5", b"abc", b""])
def test_wrong_startxref(offset: bytes) -> None:
    """A wrong pointer to the cross-reference table costs a search, not the text."""
    data = re.sub(rb"startxref\n\d+", b"startxref\n" + offset, book(2))
    assert "page 2 line 19" in read(data).text


def test_wrong_offsets() -> None:
    """A cross-reference table that points beside its objects is rebuilt."""
    data = book(2)
    data = re.sub(rb"(\d{10}) 00000 n", lambda m: b"%010d 00000 n" % (int(m[1]) + 3), data)
    assert "page 2 line 19" in read(data).text


def test_circular_previous_table() -> None:
    """A trailer whose /Prev is itself does not loop."""
    pdf = Pdf()
    pdf.lines("once")
    data = pdf.data()
    start = int(re.findall(rb"startxref\n(\d+)", data)[-1])
    data = data.replace(b"/Root 1 0 R", b"/Root 1 0 R/Prev %d" % start)
    assert read(data).text == "once\n"


def test_page_tree_in_a_circle() -> None:
    """A page tree that contains itself ends with a reason or with its pages."""
    pdf = Pdf()
    pdf.lines("one")
    pdf.pages.append(2)
    parsed = read_or_reason(pdf.data())
    assert isinstance(parsed, str) or "one" in parsed.text


def test_deep_page_tree() -> None:
    """A page tree 5,000 levels deep does not end in a RecursionError."""
    pdf = Pdf()
    pdf.lines("deep down")
    below = pdf.pages.pop()
    for _ in range(5000):
        below = pdf.add(f"<</Type/Pages/Count 1/Kids[{below} 0 R]>>")
    pdf.pages.append(below)
    parsed = read_or_reason(pdf.data())
    assert isinstance(parsed, str) or "deep down" in parsed.text


def test_deeply_nested_objects() -> None:
    """Arrays within arrays without end are refused or passed over."""
    pdf = Pdf()
    pdf.lines("beside it", entries="/X " + "[" * 20000 + "]" * 20000)
    parsed = read_or_reason(pdf.data())
    assert isinstance(parsed, str) or parsed.state in (State.WARNED, State.INDEXED)


def test_lost_content_stream() -> None:
    """A page whose content object is gone is named; the others are read."""
    pdf = Pdf()
    pdf.lines("kept")
    pdf.page(None, entries="/Contents 900 0 R")
    parsed = read(pdf.data())
    assert parsed.state is State.WARNED
    assert parsed.text == "kept\n"
    assert "Page(s) 2" in str(parsed.notes[0])


def test_broken_compression() -> None:
    """A hole in compressed content is noticed, although something comes out."""
    pdf = Pdf()
    pdf.lines(*(f"{number} {number * 7919 % 10007}" for number in range(400)), deflate=True)
    data = bytearray(pdf.data())
    start = data.find(b"stream\n") + 200
    data[start : start + 64] = b"\0" * 64
    parsed = read(bytes(data))
    assert parsed.state is not State.INDEXED
    assert "damaged" in " ".join(map(str, parsed.notes))


def test_no_page_tree() -> None:
    """Pages that no tree leads to are found by their type, and that is said."""
    pdf = Pdf()
    pdf.lines("orphan page")
    data = pdf.data().replace(b"/Kids", b"/Kinds")
    parsed = read(data)
    assert (parsed.state, parsed.text) == (State.WARNED, "orphan page\n")


def test_claimed_page_count() -> None:
    """A page count beyond all reason allocates nothing."""
    pdf = Pdf()
    pdf.lines("one page")
    assert read(pdf.data(count=213_804_087)).text == "one page\n"


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.7\n%%EOF", b"not a pdf at all", b"%PDF-1.4\n1 0 obj\n<<"])
def test_next_to_nothing(data: bytes) -> None:
    """A header without objects is refused with a reason, not read as an empty document."""
    with pytest.raises(ParseRefused, match="damaged"):
        read(data)


@pytest.mark.parametrize("kind", [book, lambda: packed(book(3))], ids=["plain", "packed"])
def test_random_damage_never_escapes(kind: object) -> None:
    """Whatever bytes are changed or lost, the parser answers or refuses; a clean answer is whole."""
    data = kind()  # type: ignore[operator]
    chance = random.Random(7)  # noqa: S311 - repeatable damage, no secret
    whole = read(data).text
    for _ in range(40):
        hurt = bytearray(data)
        for _ in range(chance.randrange(1, 30)):
            hurt[chance.randrange(len(hurt))] = chance.randrange(256)
        if chance.random() < 0.3:
            start = chance.randrange(len(hurt))
            del hurt[start : start + chance.randrange(200)]
        parsed = read_or_reason(bytes(hurt))
        if isinstance(parsed, Parsed):
            parsed.text.encode()
            assert parsed.state is not State.INDEXED or parsed.text == whole
