"""The PDF parser: what state each kind of file gets, and what text."""

from __future__ import annotations

import io
import logging
import zlib

import pytest
from pdf_builder import HELVETICA, Pdf, cmap, composite, show

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.pdf import parse, ranges


def read(data: bytes, **limits: int) -> Parsed:
    return parse(data, ParseLimits(**limits))  # type: ignore[arg-type]


def notes(parsed: Parsed) -> str:
    return "; ".join(map(str, parsed.notes))


def encrypted(data: bytes, user: str, owner: str, algorithm: str) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user, owner, algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


# ---- pages and text ------------------------------------------------------------------


def test_one_section_a_page() -> None:
    """Each page is a section with its number, and ends with a line end."""
    pdf = Pdf()
    pdf.lines("first page")
    pdf.lines("second page", "another line", deflate=True)
    parsed = read(pdf.data())
    assert [(s.page, s.text) for s in parsed.sections] == [(1, "first page\n"), (2, "second page\nanother line\n")]
    assert parsed.state is State.INDEXED
    assert not parsed.notes
    assert parsed.details["pages"] == 2


def test_contents_in_parts() -> None:
    """A content stream may be cut into parts at any token."""
    pdf = Pdf()
    joined = [pdf.stream(part) for part in (b"BT /F1 12 Tf 50 700", b"Td (joined text) Tj", b"ET")]
    pdf.page(None, entries=f"/Contents[{' '.join(f'{n} 0 R' for n in joined)}]")
    assert read(pdf.data()).text == "joined text\n"


def test_text_in_nested_forms() -> None:
    """Text in form XObjects is found where it is drawn; fonts of the same name do not mix."""
    pdf = Pdf()
    inner_font = pdf.add(HELVETICA)
    inner = pdf.stream(
        b"BT /F1 12 Tf (inner) Tj ET", f"/Type/XObject/Subtype/Form/Resources<</Font<</F1 {inner_font} 0 R>>>>"
    )
    outer = pdf.stream(b"q /In Do Q", f"/Type/XObject/Subtype/Form/Resources<</XObject<</In {inner} 0 R>>>>")
    content = f"{show('before')} q 1 0 0 1 50 700 cm /Out Do Q BT /F1 12 Tf 50 600 Td (after) Tj ET"
    pdf.page(content, resources=f"/XObject<</Out {outer} 0 R>>")
    assert read(pdf.data()).text.split() == ["before", "inner", "after"]


def test_form_inside_itself_ends() -> None:
    """A form that draws itself is drawn once."""
    pdf = Pdf()
    number = pdf.reserve()
    data = b"BT /F1 12 Tf (loop) Tj ET /Me Do"
    pdf.put(
        number,
        b"<</Type/XObject/Subtype/Form/Resources<</Font<</F1 %s>>/XObject<</Me %d 0 R>>>>/Length %d>>\nstream\n%s\nendstream"
        % (HELVETICA.encode(), number, len(data), data),
    )
    pdf.page("/Me Do", resources=f"/XObject<</Me {number} 0 R>>")
    assert read(pdf.data()).text == "loop\n"


def test_forms_that_multiply_are_bounded() -> None:
    """Ten forms that each draw the next ten times are cut short on their page, and that is said."""
    pdf = Pdf()
    below = pdf.stream(b"BT /F1 1 Tf (x) Tj ET", f"/Type/XObject/Subtype/Form/Resources<</Font<</F1 {HELVETICA}>>>>")
    for _ in range(10):
        below = pdf.stream(b"/N Do " * 10, f"/Type/XObject/Subtype/Form/Resources<</XObject<</N {below} 0 R>>>>")
    pdf.page("/N Do", resources=f"/XObject<</N {below} 0 R>>")
    pdf.lines("the next page")
    parsed = read(pdf.data())
    assert parsed.state is State.WARNED
    assert parsed.sections[-1].text == "the next page\n"
    assert "Page(s) 1 " in notes(parsed)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_rotated_page(turn: int) -> None:
    """A page turned by /Rotate with text turned against it reads as one line."""
    matrix = {0: "1 0 0 1 50 700", 90: "0 1 -1 0 500 50", 180: "-1 0 0 -1 500 700", 270: "0 -1 1 0 50 700"}[turn]
    pdf = Pdf()
    content = f"BT /F1 12 Tf {matrix} Tm (Quarter one ) Tj (total is ) Tj (forty two) Tj ET"
    pdf.page(content, entries=f"/Rotate {turn}")
    assert read(pdf.data()).text == "Quarter one total is forty two\n"


def test_upright_and_vertical() -> None:
    """Labels written upwards are found beside upright text."""
    pdf = Pdf()
    pdf.page("BT /F1 12 Tf 50 700 Td (upright head) Tj ET BT /F1 9 Tf 0 1 -1 0 580 100 Tm (side label) Tj ET")
    text = read(pdf.data()).text
    assert "upright head" in text
    assert "side label" in text


def test_invisible_text_is_text() -> None:
    """The text layer of a recognised scan (render mode 3) is found."""
    pdf = Pdf()
    pdf.page(f"/Im0 Do 3 Tr {show('recognised words')}", resources=f"/XObject<</Im0 {pdf.image()} 0 R>>")
    parsed = read(pdf.data())
    assert (parsed.state, parsed.text) == (State.INDEXED, "recognised words\n")


def test_inline_image_with_an_end_mark_in_its_data() -> None:
    """Inline image data is passed over, even with the letters EI among the bytes."""
    pdf = Pdf()
    image = b"BI /W 4 /H 4 /BPC 8 /CS /G ID \x00\x01 EI\x80\x81(not text) Tj\x02\x03\xff\xfe EI"
    pdf.page(image + b" " + show("after the image").encode())
    assert read(pdf.data()).text == "after the image\n"


def test_damaged_operands_cost_one_line() -> None:
    """Broken numbers and unclosed brackets do not lose the rest of the page."""
    pdf = Pdf()
    pdf.page("BT /F1 12 Tf 50 70--1.4.2 Td (one) Tj [(two) 5 T* (three) Tj <4z1> Tj (four) Tj >> ] ) (five) Tj ET")
    text = read(pdf.data()).text
    assert all(word in text for word in ("one", "three", "four", "five"))


def test_hidden_layer() -> None:
    """What a layer that is switched off holds is not seen, so it is not found."""
    pdf = Pdf()
    off, on = (pdf.add(f"<</Type/OCG/Name({name})>>") for name in ("off", "on"))
    pdf.catalog = f"/OCProperties<</OCGs[{off} 0 R {on} 0 R]/D<</OFF[{off} 0 R]>>>>"
    content = f"/OC /A BDC {show('unseen')} EMC /OC /B BDC {show('seen')} EMC"
    pdf.page(content, resources=f"/Properties<</A {off} 0 R/B {on} 0 R>>")
    assert read(pdf.data()).text == "seen\n"


def test_actual_text() -> None:
    """Marked content that says what it reads is taken at its word, once."""
    pdf = Pdf()
    pdf.page("BT /F1 12 Tf 50 700 Td /Span<</ActualText<FEFF00660066>>>BDC (X) Tj (Y) Tj EMC (ect) Tj ET")
    assert read(pdf.data()).text == "ffect\n"


# ---- fields and annotations ----------------------------------------------------------


def field(pdf: Pdf, entries: str) -> str:
    number = pdf.add(f"<</Type/Annot/Subtype/Widget/Rect[50 500 200 520]{entries}>>")
    return f"/Annots[{number} 0 R]"


def test_field_value_by_its_appearance() -> None:
    """A filled-in field is found as it is shown."""
    pdf = Pdf()
    shown = pdf.stream(
        b"/Tx BMC BT /F1 10 Tf (Jane Roe) Tj ET EMC",
        f"/Type/XObject/Subtype/Form/BBox[0 0 150 20]/Resources<</Font<</F1 {HELVETICA}>>>>",
    )
    pdf.lines("Name:", entries=field(pdf, f"/FT/Tx/T(name)/V(Jane Roe)/AP<</N {shown} 0 R>>"))
    text = read(pdf.data()).text
    assert text.count("Jane Roe") == 1


def test_field_value_without_appearance() -> None:
    """A value that no appearance shows is found too; a password never is."""
    pdf = Pdf()
    parent = pdf.add("<</FT/Tx/T(city)/V<FEFF676D5DDE>>>")
    pdf.lines("City:", entries=field(pdf, f"/Parent {parent} 0 R"))
    pdf.lines("Password:", entries=field(pdf, "/FT/Tx/T(pw)/Ff 8192/V(hunter2)"))
    text = read(pdf.data()).text
    assert "杭州" in text
    assert "hunter2" not in text


def test_hidden_annotations_and_comments() -> None:
    """Hidden fields and pop-up comments are not part of the page; a text box is."""
    pdf = Pdf()
    kinds = ["/Subtype/FreeText/Contents(boxed words)", "/Subtype/Text/Contents(a comment)"]
    kinds.append("/Subtype/Widget/F 2/FT/Tx/V(hidden value)")
    numbers = [pdf.add(f"<</Type/Annot/Rect[0 0 9 9]{kind}>>") for kind in kinds]
    pdf.lines("page", entries=f"/Annots[{' '.join(f'{n} 0 R' for n in numbers)}]")
    assert read(pdf.data()).text.split("\n")[:2] == ["page", "boxed words"]
    assert "comment" not in read(pdf.data()).text
    assert "hidden" not in read(pdf.data()).text


# ---- encryption ----------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256", "AES-256-R5"])
def test_empty_user_password(algorithm: str) -> None:
    """A file that viewers open without a question is read, whatever forbids copying."""
    pdf = Pdf()
    pdf.lines("opened silently")
    parsed = read(encrypted(pdf.data(), "", "owner", algorithm))
    assert (parsed.state, parsed.text) == (State.INDEXED, "opened silently\n")
    assert parsed.details["encrypted"] is True


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256"])
def test_password_needed(algorithm: str) -> None:
    """A locked file is refused, and the reason names the password and the way out."""
    pdf = Pdf()
    pdf.lines("a secret")
    with pytest.raises(ParseRefused, match="password"):
        read(encrypted(pdf.data(), "密码", "owner", algorithm))


def test_unknown_encryption() -> None:
    """An encryption that is not the standard one is refused with its reason."""
    pdf = Pdf()
    pdf.lines("locked by a certificate")
    pdf.trailer = "/Encrypt<</Filter/Adobe.PubSec/V 4/SubFilter/adbe.pkcs7.s5>>/ID[<00><00>]"
    with pytest.raises(ParseRefused, match="encrypted"):
        read(pdf.data())


# ---- pages without text --------------------------------------------------------------


def test_scan_only() -> None:
    """A document of images is NO_TEXT and says that text recognition is needed."""
    pdf = Pdf()
    pdf.scan()
    pdf.scan()
    parsed = read(pdf.data())
    assert (parsed.state, parsed.sections) == (State.NO_TEXT, ())
    assert "OCR" in notes(parsed)
    assert "1-2" in notes(parsed)


def test_some_pages_are_scans() -> None:
    """Pages without text are named as a person writes page numbers."""
    pdf = Pdf()
    pdf.lines("typed")
    for _ in range(3):
        pdf.scan()
    pdf.lines("typed again")
    pdf.scan()
    parsed = read(pdf.data())
    assert parsed.state is State.WARNED
    assert "2-4, 6" in notes(parsed)


def test_blank_pages_are_no_warning() -> None:
    """An empty page, or one with a rule and a dot, warns nobody."""
    pdf = Pdf()
    pdf.lines("text")
    pdf.page("")
    pdf.page(None)
    pdf.page("q 10 10 m 500 10 l S Q q 1 0 0 1 0 0 cm /D Do Q", resources=f"/XObject<</D {pdf.image(2, 2)} 0 R>>")
    assert read(pdf.data()).state is State.INDEXED


def test_blank_document() -> None:
    """A document of blank pages is NO_TEXT with its own reason."""
    pdf = Pdf()
    pdf.page("")
    parsed = read(pdf.data())
    assert parsed.state is State.NO_TEXT
    assert "blank" in notes(parsed)


def test_text_drawn_as_outlines() -> None:
    """A page whose letters are paths is one without text, not a blank one."""
    pdf = Pdf()
    pdf.page("0 0 m 5 9 l 9 0 l h f " * 300)
    parsed = read(pdf.data())
    assert parsed.state is State.NO_TEXT
    assert "1" in notes(parsed)


# ---- bounds --------------------------------------------------------------------------


def test_content_bomb() -> None:
    """A page that inflates beyond the limit is refused, and the limit is named."""
    pdf = Pdf()
    bomb = zlib.compress(zlib.compress(b"q " * 20_000_000, 9), 9)
    number = pdf.add(b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>\nstream\n%s\nendstream" % (len(bomb), bomb))
    pdf.page(None, entries=f"/Contents {number} 0 R")
    with pytest.raises(ParseRefused, match="limit"):
        read(pdf.data(), inflated_mb=16)


def test_output_limit() -> None:
    """More text than allowed is refused, not cut."""
    pdf = Pdf()
    pdf.lines("x" * 400)
    with pytest.raises(ParseRefused, match="200 characters"):
        read(pdf.data(), output_chars=200)


def test_nothing_is_logged_or_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    """pypdf's warnings stay inside, and its logger and font reader are as before."""
    from pypdf.generic._font import Font

    before = Font.from_font_resource
    handlers = list(logging.getLogger("pypdf").handlers)
    pdf = Pdf()
    pdf.lines("text")
    broken = pdf.data().replace(b"startxref", b"startxerf")
    read(broken)
    assert not caplog.records
    assert logging.getLogger("pypdf").handlers == handlers
    assert Font.from_font_resource == before


def test_many_pages_keep_little() -> None:
    """What pypdf remembers is let go: the objects kept do not grow with the pages."""
    from indexer.parse import pdf_read as module

    pdf = Pdf()
    for number in range(300):
        pdf.lines(f"page number {number}")
    parsed = read(pdf.data())
    assert len(parsed.sections) == 300
    assert parsed.sections[270].text == "page number 270\n"
    assert module.OBJECTS_KEPT < 100_000


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ([], ""),
        ([3], "3"),
        ([1, 2, 3, 7], "1-3, 7"),
        (list(range(1, 60, 2)), "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, ..."),
    ],
)
def test_ranges(numbers: list[int], shown: str) -> None:
    """Page numbers are shown as stretches, a dozen at most."""
    assert ranges(numbers) == shown


# ---- characters ----------------------------------------------------------------------


def test_surrogates_in_a_character_map() -> None:
    """Pairs are joined, a lone half is dropped, the rest of the page stays."""
    pdf = Pdf()
    pairs = [("41", "D83D"), ("42", "D83DDE00"), ("43", "0043")]
    font = f"<</Type/Font/Subtype/Type1/BaseFont/T/ToUnicode {pdf.stream(cmap(*pairs))} 0 R>>"
    pdf.page(show("AB", "C", font="F2"), fonts={"F2": font})
    text = read(pdf.data()).text
    assert text.encode("utf-8")
    assert text.split() == ["😀", "C"]


def test_controls_and_private_use() -> None:
    """NULs, controls and private use never reach the text; symbol bullets do as bullets."""
    pdf = Pdf()
    pairs = [("41", "0000"), ("42", "0007"), ("43", "E123"), ("44", "F0B7"), ("45", "0045")]
    font = f"<</Type/Font/Subtype/Type1/BaseFont/T/ToUnicode {pdf.stream(cmap(*pairs))} 0 R>>"
    pdf.page(show("EABCDE", font="F2"), fonts={"F2": font})
    assert read(pdf.data()).text.split() == ["E", "•E"]


def test_unreadable_font_alone() -> None:
    """Glyph numbers of a subset font are no text: NO_TEXT, and the font is the reason."""
    pdf = Pdf()
    pdf.page("BT /F2 12 Tf 50 700 Td <00240025002600271A312A35> Tj ET", fonts={"F2": composite(pdf, embedded=True)})
    parsed = read(pdf.data())
    assert (parsed.state, parsed.text) == (State.NO_TEXT, "")
    assert "nreadable font" in notes(parsed)


def test_unreadable_font_beside_text() -> None:
    """Readable text of such a page is kept, the page is named, no garbage is in it."""
    pdf = Pdf()
    content = show("readable words") + " BT /F2 12 Tf 50 600 Td <" + "1A31" * 20 + "> Tj ET"
    pdf.lines("first")
    pdf.page(content, fonts={"F2": composite(pdf, embedded=True)})
    parsed = read(pdf.data())
    assert parsed.state is State.WARNED
    assert parsed.sections[1].text == "readable words\n"
    assert "page(s) 2" in notes(parsed)
