"""Word packages: odd ones are read, damaged and hostile ones are refused with a reason."""

from __future__ import annotations

import io
import os
import re
import struct
import zipfile
from pathlib import Path

import docx_builder as b
import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers
from indexer.parse.docx import VERSION, parse

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("INDEXER_SHARED", ROOT.parent / "shared"))


def read(data: bytes, **limits: int) -> Parsed:
    return parse(data, ParseLimits(**limits))  # type: ignore[arg-type]


def text_or_reason(data: bytes) -> str:
    try:
        return read(data).text
    except ParseRefused as error:
        return str(error)


def refused(data: bytes, **limits: int) -> str:
    with pytest.raises(ParseRefused) as caught:
        read(data, **limits)
    return str(caught.value)


def test_version_is_a_string() -> None:
    """The version goes into the profile."""
    assert VERSION
    assert isinstance(VERSION, str)


def test_python_docx_writes_what_we_read() -> None:
    """A document written by an independent library: headings, lists, tables, header, breaks."""
    import docx

    document = docx.Document()
    document.core_properties.title = "Leave policy"
    document.add_heading("Annual leave", 1)
    document.add_paragraph("Fifteen days a year.")
    document.add_paragraph("first", style="List Bullet")
    document.add_paragraph("one", style="List Number")
    document.add_paragraph("two", style="List Number")
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Grade", "Days", "A", "15"), strict=True):
        cell.text = text
    table.cell(0, 0).merge(table.cell(0, 1))
    document.sections[0].header.paragraphs[0].text = "HR-7"
    out = io.BytesIO()
    document.save(out)
    parsed = read(out.getvalue())
    assert parsed.title == "Leave policy"
    assert [(s.kind, s.headings, s.text) for s in parsed.sections] == [
        ("text", (), "HR-7\n"),
        ("text", ("Annual leave",), "Annual leave\nFifteen days a year.\n• first\n1. one\n2. two\n"),
        ("table", ("Annual leave",), "Grade Days\nA | 15\n"),
    ]


# ---- odd packages ------------------------------------------------------------------------


@pytest.mark.parametrize("main", ["word/document2.xml", "Word/Document.xml", "content/main.xml", "document.xml"])
def test_main_part_by_relation(main: str) -> None:
    """The main part is where the package says it is."""
    assert read(b.docx(b.para("text"), main=main)).text == "text\n"


def without(data: bytes, *names: str, rename: dict[str, str] | None = None) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return b.zipped({(rename or {}).get(n, n): archive.read(n) for n in archive.namelist() if n not in names})


def test_packages_word_repairs() -> None:
    """Missing relations or content types, backslashes, absolute targets, other letter case."""
    data = b.docx(b.para("text"))
    assert read(without(data, "_rels/.rels", "[Content_Types].xml")).text == "text\n"
    assert read(without(data, rename={"word/document.xml": "word\\document.xml"})).text == "text\n"
    assert read(without(data, rename={"word/document.xml": "WORD/Document.XML"})).text == "text\n"
    rels = b.relations([("rId1", "officeDocument", "/word/./document.xml")])
    assert read(b.docx(b.para("text"), extra={"_rels/.rels": rels})).text == "text\n"
    macro = ("wordprocessingml.document.main+xml", "ms-word.document.macroEnabled.main+xml")
    assert read(b.docx(b.para("text"), replace=macro)).text == "text\n"


def test_dangling_relations() -> None:
    """Relations to nothing, to bookmarks and to the outside harm nobody."""
    parts = {
        "NULL": ("image", ""),
        "#_top": ("hyperlink", ""),
        "styles.xml": ("styles", ""),
        "numbering.xml": ("numbering", ""),
        "http://example.org/": ("hyperlink", ""),
    }
    parsed = read(b.docx(b.para("text", properties=b.numbered(0)), parts=parts))
    assert (parsed.text, parsed.state) == ("text\n", State.INDEXED)


def test_strict_documents() -> None:
    """Strict OOXML says the same under other names, styles, notes and formulas included."""
    styles = b.part("styles", b.style("H", "whatever", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'))
    notes = b.part("footnotes", f'<w:footnote w:id="2">{b.para("note")}</w:footnote>')
    data = b.docx(
        b.para("Head", '<w:r><w:footnoteReference w:id="2"/></w:r>', style="H"),
        b.para("<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>"),
        b.para("http://purl.oclc.org/ooxml/wordprocessingml/main stays"),
        parts={"styles.xml": ("styles", styles), "footnotes.xml": ("footnotes", notes)},
    )
    strict = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            part = archive.read(name)
            for family in (b"wordprocessingml", b"officeDocument", b"drawingml"):
                part = part.replace(b.OPEN.encode() + family + b"/2006", b"http://purl.oclc.org/ooxml/" + family)
            strict[name] = part
    parsed = read(b.zipped(strict))
    assert parsed.text == "Head\nnote\nx\nhttp://purl.oclc.org/ooxml/wordprocessingml/main stays\n"
    assert parsed.sections[-1].headings == ("Head",)


def test_utf16_parts() -> None:
    """XML may be stored as UTF-16."""
    data = b.docx(b.para("文本"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        document = archive.read("word/document.xml").decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert read(b.docx(extra={"word/document.xml": document})).text == "文本\n"


def test_a_stored_workbook_inside_is_still_a_document() -> None:
    """The names of an embedded workbook's parts do not make the document a workbook."""
    book = b.zipped({"xl/workbook.xml": "<x/>"}, zipfile.ZIP_STORED)
    assert read(b.docx(b.para("text"), parts={"embeddings/book.xlsx": ("package", book)})).text == "text\n"


# ---- nothing to read ---------------------------------------------------------------------


def test_no_text() -> None:
    """An empty document, blanks, and pictures alone."""
    assert read(b"").state is State.NO_TEXT
    for body in ("", b.para(), b.para(" \u3000"), b.table(b.row("", ""))):
        parsed = read(b.docx(body))
        assert (parsed.state, parsed.sections) == (State.NO_TEXT, ())
        assert parsed.notes
    picture = "<w:r><w:drawing><wp:inline><a:graphic><a:blip/></a:graphic></wp:inline></w:drawing></w:r>"
    assert "pictures" in str(read(b.docx(b.para(picture))).notes[0])


# ---- refused -----------------------------------------------------------------------------

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
        (OLE + "WordDocument".encode("utf-16-le"), r"legacy Word 97-2003 document \(.doc\)"),
        (b"<html><body>x</body></html>", "HTML"),
        (rb"{\rtf1 x}", "RTF"),
        (bytes(2000), "zero"),
        (b"PK\x03\x04" + bytes(100), "damaged"),
        (b.docx(b.para("x"))[:300], "damaged"),
        (b.zipped({"a.txt": "x"}), "zip archive"),
        (b.zipped({"[Content_Types].xml": "<x/>"}), "no document part"),
        (b.docx(extra={"word/document.xml": '<x:workbook xmlns:x="urn:x"/>'}), "Excel"),
        (b.docx(extra={"word/document.xml": "<other/>"}), "root element other"),
        (b.docx(extra={"word/document.xml": ""}), "damaged"),
        (b.docx(extra={"word/document.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'}), "entities"),
    ],
)
def test_refused_with_a_reason(data: bytes, reason: str) -> None:
    """What the file is, or what is wrong with it, and a remedy."""
    assert re.search(reason, refused(data))


def test_encrypted_zip_members() -> None:
    """A zip password is named too."""
    data = bytearray(b.docx(b.para("x")))
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into("<H", data, at + 8, 1)
        at = data.find(b"PK\x01\x02", at + 4)
    assert "password" in refused(bytes(data))


def flip(data: bytes, name: str) -> bytes:
    """The package with the middle of one member overwritten."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo(name)
    start = info.header_offset + 30 + len(name) + info.compress_size // 2
    return data[:start] + bytes(8) + data[start + 8 :]


def test_damaged_parts() -> None:
    """A damaged main part refuses the file, any other part is left out with a warning."""
    header = b.part("hdr", "".join(b.para(f"header {i}") for i in range(50)))
    end = '<w:headerReference w:type="default" r:id="rId1"/>'
    data = b.docx(*(b.para(f"text {i}") for i in range(50)), parts={"header1.xml": ("header", header)}, end=end)
    assert "damaged" in refused(flip(data, "word/document.xml"))
    parsed = read(flip(data, "word/header1.xml"))
    assert parsed.state is State.WARNED
    assert "header1.xml" in str(parsed.notes[0])
    assert "text 49" in parsed.text


def test_malformed_main_part_is_mended() -> None:
    """Characters XML forbids and cut-off ends lose what they must, with a warning."""
    body = b.para("before") + b.para("in\x0bside") + b.para("after")
    document = b.part("document", f"<w:body>{body}</w:body>")
    for broken in (document, document[: document.index("after") + 3]):
        parsed = read(b.docx(extra={"word/document.xml": broken}))
        assert parsed.state is State.WARNED
        assert "damaged" in str(parsed.notes[0])
        assert parsed.text.startswith("before\n")


# ---- hostile -----------------------------------------------------------------------------


def test_bombs_are_refused_while_inflating() -> None:
    """The limit of inflated bytes holds for all parts together, however well they are packed."""
    bomb = b.docx(b.para("x" * 3_000_000))
    assert "limit" in refused(bomb, inflated_mb=2)
    assert "250 fold" in refused(b.docx(b.para("x" * 30_000_000)))
    header = b.part("hdr", b.para("x" * 1_500_000))
    parts = {f"header{i}.xml": ("header", header) for i in range(2)}
    end = "".join(f'<w:headerReference w:type="default" r:id="rId{i}"/>' for i in (1, 2))
    assert "limit" in refused(b.docx(b.para("x"), parts=parts, end=end), inflated_mb=2)
    inner = b.docx('<w:altChunk r:id="rId1"/>', parts={"a.docx": ("aFChunk", bomb)})
    assert "limit" in refused(inner, inflated_mb=2)


def test_output_limit() -> None:
    """More text than allowed is refused, not cut."""
    assert "output_chars" in refused(b.docx(*[b.para("ten letters")] * 100), output_chars=1000)


def nested(wrap: str, inner: str, depth: int) -> str:
    for _ in range(depth):
        inner = wrap.format(inner)
    return inner


@pytest.mark.parametrize(
    ("wrap", "core"),
    [
        ("<w:tbl><w:tr><w:tc>{}<w:p/></w:tc><w:tc/></w:tr></w:tbl>", b.para("x")),
        ("<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>", b.para("x")),
        ("<w:p><w:ins>{}</w:ins></w:p>", b.run("x")),
        ("<w:p><w:r><w:drawing><w:txbxContent>{}</w:txbxContent></w:drawing></w:r></w:p>", b.para("x")),
        ("<mc:AlternateContent><mc:Choice>{}</mc:Choice></mc:AlternateContent>", b.para("x")),
        ("<m:oMath><m:e>{}</m:e></m:oMath>", "<m:t>x</m:t>"),
    ],
)
def test_deep_nesting(wrap: str, core: str) -> None:
    """Depth a person makes is read, depth an attacker makes is refused or read, never a crash."""
    assert read(b.docx(nested(wrap, core, 15))).text == "x\n"
    outcome = text_or_reason(b.docx(nested(wrap, core, 600)))
    assert outcome == "x\n" or "nested too deeply" in outcome


def test_styles_and_definitions_in_circles() -> None:
    """Styles based on each other and lists linked to each other end."""
    styles = b.part(
        "styles",
        b.style("A", "a", based_on="B")
        + b.style("B", "b", based_on="A")
        + b.style("L", "l", f"<w:pPr>{b.numbered(None, 1)}</w:pPr>", kind="numbering"),
    )
    numbering = b.part(
        "numbering",
        '<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="L"/></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    )
    parts = {"styles.xml": ("styles", styles), "numbering.xml": ("numbering", numbering)}
    assert read(b.docx(b.para("x", style="A", properties=b.numbered(0)), parts=parts)).text == "x\n"


def test_joined_paragraphs_take_linear_time() -> None:
    """Twenty thousand deleted paragraph marks make one long line, quickly."""
    gone = "<w:rPr><w:del/></w:rPr>"
    assert len(read(b.docx(*[b.para("abc ", properties=gone)] * 20_000)).text) == 80_000


# ---- the shared files --------------------------------------------------------------------

FILES = sorted(SHARED.glob("corpus/docx/*.docx")) + sorted(SHARED.glob("cases/files/public/docx/*.docx"))


@pytest.mark.skipif(not SHARED.exists(), reason="../shared absent")
def test_shared_files_keep_the_contract() -> None:
    """Every file is read or refused; sections end with line ends and carry no marks of ours."""
    reasons: dict[str, str] = {}
    for path in FILES:
        try:
            parsed = read(path.read_bytes())
        except ParseRefused as error:
            reasons[path.name] = str(error)
            continue
        assert bool(parsed.sections) is (parsed.state is not State.NO_TEXT), path.name
        assert all(s.text.strip() and s.text.endswith("\n") for s in parsed.sections), path.name
        assert not set("\x01\x02\x03\x04") & set(parsed.text), path.name
        parsed.text.encode()
    assert all(reasons.values())


def test_the_label_comes_from_the_properties() -> None:
    """A custom property called version (in English or Chinese) before the core one; neither is text."""
    space = 'xmlns="urn:p" xmlns:vt="urn:vt"'
    field = '<property name="{}"><vt:lpwstr>{}</vt:lpwstr></property>'
    custom = f"<Properties {space}>{field.format('Author', 'x')}{field.format('版本', '3.1')}</Properties>"
    relations = b.relations(
        [
            ("rId1", "officeDocument", "word/document.xml"),
            *b.PROPERTIES,
            ("rId4", "custom-properties", "docProps/custom.xml"),
        ]
    )
    core = b.core("t").replace("</cp:core", "<cp:version>2.0</cp:version></cp:core")
    own = {"docProps/custom.xml": custom, "_rels/.rels": relations}
    assert read(b.docx(b.para("a"), core=core, extra=own)).label == "3.1"
    assert read(b.docx(b.para("a"), core=core)).label == "2.0"
    assert read(b.docx(b.para("a"))).label == ""
    assert read(b.docx(b.para("a"), core=core, extra=own)).text == "a\n"


@pytest.mark.parametrize("kind", ["document.macroEnabled", "template", "template.macroEnabledTemplate"])
def test_macro_documents_and_templates_are_read(kind: str) -> None:
    """.docm, .dotx and .dotm differ in the declared type only."""
    types = f'<Types><Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.{kind}.main+xml"/></Types>'
    assert read(b.docx(b.para("a"), extra={"[Content_Types].xml": types})).text == "a\n"
    assert all(Parsers(ParseLimits()).supports(f"x{suffix}") for suffix in (".docm", ".dotx", ".dotm"))
