"""A suffix that lies is recognised by content, and the reason says what the file really is."""

from __future__ import annotations

import io
import zipfile

import pytest

from indexer.core.errors import ParseRefused
from indexer.parse.formats import CONTENT
from indexer.parse.sniff import check, identify

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n"


def zipped(**parts: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), data)
    return stream.getvalue()


DOCX = zipped(word__document_xml=b"<w/>")
REALLY = [
    (OLE + "WordDocument".encode("utf-16-le"), r"legacy Word 97.*\.doc"),
    (OLE + "Workbook".encode("utf-16-le"), r"legacy Excel"),
    (OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
    (OLE, r"legacy OLE"),
    (b"<!DOCTYPE html><html><body>x</body></html>", "HTML"),
    (b"\xef\xbb\xbf\n<!-- saved -->\n<html>", "HTML"),
    ("<html>中文</html>".encode("utf-16"), "HTML"),
    (b"{\\rtf1\\ansi x}", "RTF"),
    (zipped(mimetype=b"application/vnd.oasis.opendocument.text"), r"OpenDocument text \(\.odt\)"),
    (zipped(mimetype=b"application/epub+zip"), "EPUB"),
    (zipped(xl__workbook_xml=b"x"), r"Excel workbook"),
    (zipped(ppt__presentation_xml=b"x"), r"PowerPoint"),
    (zipped(a=b"x"), "zip archive"),
    (b"\x1f\x8b\x08\0" + bytes(20), "gzip"),
    (b"\x89PNG\r\n\x1a\n" + bytes(20), "PNG"),
    (b"\xff\xd8\xff\xe0" + bytes(20), "JPEG"),
    (b"\x7fELF\2\1\1" + bytes(20), "ELF.*binary"),
    (b"MZ\x90\0\3" + bytes(90), "Windows program"),
    (bytes(5000), "zero bytes"),
    (b"MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n", "MHTML"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"),
    ("普通文字，没有格式。".encode(), "plain text"),
    (b"<?xml version='1.0'?><?mso-application progid=\"Word.Document\"?>", "Word 2003 XML"),
]


@pytest.mark.parametrize(("data", "reason"), REALLY)
@pytest.mark.parametrize("parser", ["pdf", "docx"])
def test_renamed_files_are_named(data: bytes, reason: str, parser: str) -> None:
    """The reason names the real format and the remedy."""
    if identify(data, binary=True) in CONTENT:
        assert check(parser, data)[0] != parser
        return
    with pytest.raises(ParseRefused, match=reason) as caught:
        check(parser, data)
    assert any(word in str(caught.value) for word in ("ename", "save", "restore"))


@pytest.mark.parametrize(("data", "reason"), [row for row in REALLY if row[1] not in ("HTML", "MHTML", "plain text")])
def test_binary_named_txt_is_refused(data: bytes, reason: str) -> None:
    """Documents of other formats under a text suffix are never indexed as gibberish."""
    if reason == "Word 2003 XML":
        assert check("text", data) == ("text", None)
        return
    if identify(data, binary=True) in CONTENT:
        assert check("text", data)[0] != "text"
        return
    with pytest.raises(ParseRefused):
        check("text", data)


def test_pdf_and_docx_are_read_by_the_right_parser() -> None:
    """A PDF named .docx, or the other way round, is read as what it is, with a note."""
    parser, note = check("docx", PDF)
    assert (parser, str(note)) == (
        "pdf",
        "The file is a PDF document and was read as such; correct the ending of its name",
    )
    assert check("pdf", DOCX)[0] == "docx"
    assert check("pdf", PDF) == ("pdf", None)
    assert check("docx", DOCX) == ("docx", None)
    assert check("text", PDF)[0] == "pdf"
    assert check("text", DOCX)[0] == "docx"


def test_junk_before_a_pdf_header_is_no_other_format() -> None:
    """An HTTP header saved with the file does not make it text."""
    assert check("pdf", b"HTTP/1.1 200 OK\r\n\r\n" + PDF) == ("pdf", None)


@pytest.mark.parametrize(
    "text",
    [
        "GIF89a is a format",
        "PK means Phil Katz",
        "BM",
        "MZ is a mark",
        "%PDF-1.4 begins a PDF",
        "How are WEBP images made?",
        "7z",
        "<p>x",
    ],
)
def test_texts_about_formats_are_texts(text: str) -> None:
    """A mark inside readable text proves nothing."""
    assert check("text", text.encode()) == ("text", None)


def test_a_page_under_a_text_suffix_is_read_as_a_page() -> None:
    """With a note; in Markdown, templates and code HTML is at home."""
    for page in (b"<html><body>x", "<!DOCTYPE html><p>x".encode("utf-16")):
        parser, note = check("text", page)
        assert (parser, "HTML page" in str(note)) == ("html", True)
    assert check("markdown", b"<html><body>x") == ("markdown", None)
    assert check("html", b"<html><body>x") == ("html", None)
    assert check("html", b"no tags at all") == ("html", None)


def test_web_archives_are_told_from_pages_and_mails() -> None:
    """A page saved as one file keeps its reader under either suffix; a mail with pictures stays a mail."""
    archive = b"From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n"
    assert check("html", archive)[0] == "mhtml"
    assert check("mhtml", archive) == ("mhtml", None)
    assert check("mhtml", b"<html>x")[0] == "html"
    assert check("docx", archive)[0] == "mhtml"
    assert check("eml", archive) == ("eml", None)


def test_truncated_and_unknown_bytes_are_left_to_the_parser() -> None:
    """Damage is for the parser to judge."""
    assert check("docx", DOCX[: len(DOCX) // 2])[0] == "docx"
    assert identify(bytes(range(1, 255)), binary=True) is None


def test_stored_workbook_inside_a_document_is_no_workbook() -> None:
    """Only the outer zip's own names say what it is."""
    import io
    import zipfile

    from indexer.parse import sniff

    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as z:
        z.writestr("xl/workbook.xml", "<workbook/>")
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as z:
        z.writestr("word/document.xml", "<document/>")
        z.writestr("word/embeddings/sheet.xlsx", inner.getvalue())
    assert sniff.check("docx", outer.getvalue())[0] == "docx"


def test_a_book_whose_mimetype_is_not_first_is_a_book() -> None:
    """Many books are packed again by tools that do not know the rule."""
    data = zipped(**{"META-INF__container_xml": b"x", "a.opf": b"x", "mimetype": b"application/epub+zip"})
    assert check("epub", data) == ("epub", None)
    assert check("docx", data)[0] == "epub"
