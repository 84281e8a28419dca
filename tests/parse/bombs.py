"""Small files that want to be large, deep or slow; a builder for each, by name and suffix. Nothing here is random."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import partial

import docx_builder
import hostile_seeds as seeds
from pdf_builder import Pdf

MB = 1 << 20
Make = Callable[[], bytes]


def _replaced(package: bytes, name: str, body: bytes) -> bytes:
    """The zip package with another body for one member."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    assert name in members or name.startswith("new/")
    return seeds.zipped(members | {name: body}, stored_first="mimetype" in members)


def _word(body: str) -> bytes:
    return docx_builder.docx(extra={"word/document.xml": docx_builder.part("document", f"<w:body>{body}</w:body>")})


def _document(inner: bytes, head: bytes = b"") -> bytes:
    space = docx_builder.SPACES["w"].encode()
    return _replaced(
        seeds.docx(),
        "word/document.xml",
        head + b'<w:document xmlns:w="%s"><w:body>%s</w:body></w:document>' % (space, inner),
    )


def _sheet(rows: str, more: str = "") -> bytes:
    space = seeds.OOXML + "spreadsheetml/2006/main"
    body = f'<worksheet xmlns="{space}"><dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData>{more}</worksheet>'
    return _replaced(seeds.xlsx(), "xl/worksheets/sheet1.xml", body.encode())


def _table(inner: str) -> bytes:
    package = seeds.opendocument("spreadsheet")
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        content = archive.read("content.xml").decode()
    head, tail = content[: content.index("<table:table-row>")], content[content.rindex("</table:table>") :]
    return _replaced(package, "content.xml", (head + inner + tail).encode())


LAUGHS = b"<!DOCTYPE r [<!ENTITY a0 'ha'>%s]>" % b"".join(
    b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12)
)
QUADRATIC = b"<!DOCTYPE r [<!ENTITY a '%s'>]>" % (b"x" * 100_000)
OUTSIDE = b"<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"


def overlapping() -> bytes:
    """Many names of one and the same packed data, as David Fifield's bombs have them."""
    packed = seeds.zipped({"word/document.xml": bytes(10 * MB)})
    start, size = packed.rindex(b"PK\x01\x02"), packed.rindex(b"PK\x05\x06")
    entry = packed[start:size]
    entries = b"".join(entry.replace(b"word/document.xml", b"word/docum%03d.xml" % n) for n in range(500))
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 500, 500, len(entries), start, 0)
    return packed[:start] + entries + end


def zips_in_zips(levels: int = 6, each: int = 10) -> bytes:
    """Ten of each in each."""
    inner = bytes(MB)
    for _ in range(levels):
        inner = seeds.zipped({f"{n}.zip": inner for n in range(each)})
    return inner


def pdf_of(content: bytes, **more: object) -> bytes:
    """One page with this content."""
    made = Pdf()
    made.page(content, **more)  # type: ignore[arg-type]
    return made.data()


def pdf_forms(levels: int = 24) -> bytes:
    """Forms that draw the next one twice: 2^24 shows of one word."""
    made = Pdf()
    below = made.stream(b"BT /F1 9 Tf (boom) Tj ET", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]")
    for _ in range(levels):
        below = made.stream(
            b"/X Do /X Do", f"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X {below} 0 R>>>>"
        )
    made.page("/X Do", resources=f"/XObject<</X {below} 0 R>>")
    return made.data()


def pdf_self() -> bytes:
    """A form that draws itself."""
    made = Pdf()
    own = made.reserve()
    made.put(
        own,
        b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>/Length 12>>\nstream\n/X Do /X Do \nendstream"
        % own,
    )
    made.page("/X Do", resources=f"/XObject<</X {own} 0 R>>")
    return made.data()


def pdf_packed(times: int) -> bytes:
    """A stream packed several times, each 1,000 fold."""
    data = bytes(100 * MB)
    for _ in range(times):
        data = zlib.compress(data, 9)
    made = Pdf()
    number = made.add(b"<</Filter[%s]/Length %d>>\nstream\n%s\nendstream" % (b"/FlateDecode" * times, len(data), data))
    made.page(None, entries=f"/Contents {number} 0 R")
    return made.data()


def pdf_tree() -> bytes:
    """A page tree whose nodes contain each other."""
    made = Pdf()
    made.page("BT /F1 9 Tf (x) Tj ET")
    text = made.data()
    return text.replace(b"/Kids[", b"/Kids[" + b"2 0 R " * 1000)


def pdf_outline() -> bytes:
    """Bookmarks in a ring."""
    made = Pdf()
    page = made.page("BT /F1 9 Tf (x) Tj ET")
    a, b = made.reserve(), made.reserve()
    made.put(a, f"<</Title(a)/Next {b} 0 R/First {b} 0 R/Dest[{page} 0 R/Fit]>>")
    made.put(b, f"<</Title(b)/Next {a} 0 R/First {a} 0 R/Dest[{page} 0 R/Fit]>>")
    made.catalog = f"/Outlines<</First {a} 0 R/Last {b} 0 R>>"
    return made.data()


def image_head(width: int, height: int) -> bytes:
    """A PNG that says it is large and brings all its zeros, packed."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compressobj(9)
    line = bytes(1 + (width + 7) // 8)
    data = b"".join(rows.compress(line * 100) for _ in range(height // 100)) + rows.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def matryoshka(levels: int) -> bytes:
    """Letters in letters."""
    inner = b"Subject: innermost\r\n\r\nbody\r\n"
    for number in range(levels):
        inner = b'Subject: %d\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\nContent-Type: message/rfc822\r\n\r\n%s\r\n--b%d--\r\n' % (number, number, number, inner, number)  # fmt: skip
    return inner


def attached(name: str, data: bytes) -> bytes:
    """A letter with one attachment."""
    body = base64.encodebytes(data)
    return (
        b"Subject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nbody\r\n--x\r\n"
        b"Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n"
        b"Content-Disposition: attachment; filename=" + name.encode() + b"\r\n\r\n" + body + b"\r\n--x--\r\n"
    )


def many_attachments() -> bytes:
    """20,000 empty ones."""
    part = b"--x\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\na\r\n"
    return (
        b"Subject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
        + part * 20_000
        + b"--x--\r\n"
    )


def looped_ole() -> bytes:
    """A compound file whose sector table points in a ring."""
    data = bytearray(seeds.msg())
    for at in range(512 + 8, 512 + 200, 4):
        struct.pack_into("<I", data, at, 2)
    return bytes(data)


def _nested(opening: str, closing: str, levels: int, inner: str = "x") -> bytes:
    return (opening * levels + inner + closing * levels).encode()


def _csv_quotes() -> bytes:
    return b'"' + b'a""b,"c\n' * 400_000


BOMBS: dict[str, Make] = {
    # packages
    "inflates.docx": lambda: _replaced(seeds.docx(), "word/document.xml", bytes(150 * MB)),
    "inflates-text.docx": lambda: _document(b"<w:p/>" * (15 * MB)),
    "overlaps.docx": overlapping,
    "nested-zips.docx": zips_in_zips,
    "many-members.docx": lambda: seeds.zipped({f"word/{n}.xml": "x" for n in range(21_000)}),
    "embedded-zips.docx": lambda: _replaced(seeds.docx(), "new/word/embeddings/a.zip", zips_in_zips(3)),
    "laughs.docx": lambda: _document(b"&a11;", LAUGHS),
    "quadratic.docx": lambda: _document(b"&a;" * 20_000, QUADRATIC),
    "outside.docx": lambda: _document(b"<w:p><w:r><w:t>&a;</w:t></w:r></w:p>", OUTSIDE),
    "deep.docx": lambda: _document(_nested("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>", 100_000)),
    "deep-tables.docx": lambda: _document(_nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", 1_500, "<w:p/>")),
    "wide.docx": lambda: _document(b"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2000000000'/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>"),
    "attributes.docx": lambda: _document(b"<w:p " + b" ".join(b"w:a%d='1'" % n for n in range(200_000)) + b"/>"),
    "inflates.xlsx": lambda: _replaced(seeds.xlsx(), "xl/worksheets/sheet1.xml", b" " * (150 * MB)),
    "last-cell.xlsx": lambda: _sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'),
    "no-such-cell.xlsx": lambda: _sheet('<row r="99999999999"><c r="ZZZZZZZ99999999999"><v>1</v></c></row>'),
    "merged.xlsx": lambda: _sheet('<row r="1"><c r="A1"><v>1</v></c></row>', '<mergeCells>' + '<mergeCell ref="A1:XFD1048576"/>' * 20_000 + "</mergeCells>"),
    "strings.xlsx": lambda: _replaced(seeds.xlsx(), "xl/sharedStrings.xml", b"<sst xmlns='%sspreadsheetml/2006/main' uniqueCount='4294967295'><si><t>%s</t></si></sst>" % (seeds.OOXML.encode(), b"x" * (30 * MB))),
    "one-long-string-often.xlsx": lambda: _replaced(_sheet("".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(1, 5000))), "xl/sharedStrings.xml", b"<sst xmlns='%sspreadsheetml/2006/main'><si><t>%s</t></si></sst>" % (seeds.OOXML.encode(), b"x" * (1 * MB))),
    "date.xlsx": lambda: _sheet('<row r="1"><c r="A1" s="14"><v>1e308</v></c><c r="B1" s="14"><v>-9e99</v></c></row>'),
    "laughs.pptx": lambda: _replaced(seeds.pptx(), "ppt/slides/slide1.xml", LAUGHS + b"<r>&a11;</r>"),
    "deep.pptx": lambda: _replaced(seeds.pptx(), "ppt/slides/slide1.xml", b"<p:sld xmlns:p='%spresentationml/2006/main'><p:cSld><p:spTree>%s</p:spTree></p:cSld></p:sld>" % (seeds.OOXML.encode(), _nested("<p:grpSp>", "</p:grpSp>", 50_000, ""))),
    "repeated.ods": lambda: _table('<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>'),
    "repeated-more.ods": lambda: _table('<table:table-row table:number-rows-repeated="99999999999999"><table:table-cell table:number-columns-repeated="-5"><text:p>x</text:p></table:table-cell></table:table-row>'),
    "spaces.odt": lambda: _replaced(seeds.opendocument("text"), "content.xml", b"<o:document-content xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' xmlns:t='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><o:body><o:text><t:p>a<t:s t:c='2000000000'/>b</t:p></o:text></o:body></o:document-content>"),
    "laughs.odt": lambda: _replaced(seeds.opendocument("text"), "content.xml", LAUGHS + b"<r>&a11;</r>"),
    "laughs.epub": lambda: _replaced(seeds.epub(), "c.xhtml", LAUGHS + b"<html><body>&a11;</body></html>"),
    "spine.epub": lambda: _replaced(seeds.epub(), "b.opf", b"<package xmlns='http://www.idpf.org/2007/opf'><manifest><item id='c' href='c.xhtml' media-type='application/xhtml+xml'/></manifest><spine>%s</spine></package>" % (b"<itemref idref='c'/>" * 100_000)),
    # PDF
    "packed.pdf": partial(pdf_packed, 1),
    "packed-thrice.pdf": partial(pdf_packed, 3),
    "forms.pdf": pdf_forms,
    "itself.pdf": pdf_self,
    "tree.pdf": pdf_tree,
    "outline.pdf": pdf_outline,
    "arrays.pdf": lambda: pdf_of(b"[" * 500_000),
    "strings.pdf": lambda: pdf_of(b"(" * 500_000),
    "dictionaries.pdf": lambda: b"%PDF-1.7\n1 0 obj\n" + b"<</a" * 200_000,
    "operators.pdf": lambda: pdf_of(b"q " * 2_000_000, deflate=True),
    "pages.pdf": lambda: pdf_of(b"BT (x) Tj ET").replace(b"/Count 1", b"/Count 2147483647"),
    "previous.pdf": lambda: pdf_of(b"BT (x) Tj ET").replace(b"/Root", b"/Prev 10/Root"),
    "predictor.pdf": lambda: pdf_of(b"x").replace(b"/Length 1>>", b"/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 2147483647/Colors 99>>/Length 1>>"),
    "objects.pdf": lambda: b"%PDF-1.7\n" + b"".join(b"%d 0 obj <<>> endobj\n" % n for n in range(100_000)) + b"trailer<</Root 1 0 R>>",
    "endless-length.pdf": lambda: pdf_of(b"BT (x) Tj ET").replace(b"/Length 12", b"/Length 99999999999"),
    # pictures
    "large.png": partial(image_head, 30_000, 30_000),
    "claims.bmp": lambda: seeds.bmp()[:18] + struct.pack("<ii", 100_000, 100_000) + seeds.bmp()[26:],
    # pages and texts
    "deep.html": lambda: _nested("<div>", "</div>", 200_000),
    "unclosed.html": lambda: b"<html>" + b"<b><i><a href=x>" * 60_000 + b"text",
    "misnested.html": lambda: b"<html><body>" + b"<a><p><b>" * 3_000 + b"x" + b"</a></b>" * 3_000,
    "attributes.html": lambda: b"<p " + b"a=1 " * 500_000 + b">x</p>",
    "tables.html": lambda: _nested("<table><tr><td>", "</table>", 3_000),
    "spans.html": lambda: b"<table><tr><td colspan=2000000000 rowspan=2000000000>x<td>y</table>",
    "spans-often.html": lambda: b"<table>" + b"<tr><td colspan=1000 rowspan=65534>x" * 3_000 + b"</table>",
    "lists.html": lambda: _nested("<ul><li>", "</ul>", 20_000),
    "entities.html": lambda: b"<p>" + b"&#x10FFFF;&#0;&#99999999999;&bogus;" * 50_000,
    "comment.html": lambda: b"<!--" * 500_000,
    "inputs.html": lambda: b"<select>" + b"<option>x" * 200_000,
    "deep.json": lambda: b"[" * 1_000_000,
    "deep-closed.json": lambda: _nested('{"a":', "}", 100_000, "1"),
    "number.json": lambda: b'{"a": ' + b"9" * 5_000_000 + b"}",
    "exponent.json": lambda: b'{"a": 1e999999999, "b": -1E+99999999}',
    "escapes.json": lambda: b'["' + b"\\ud800" * 500_000 + b'"]',
    "deep-lines.jsonl": lambda: (b"[" * 5_000 + b"\n") * 100,
    "yaml-aliases.yaml": lambda: b"a: &a [x,x]\n" + b"".join(b"%c: &%c [*%c,*%c,*%c]\n" % (n + 1, n + 1, n, n, n) for n in range(97, 120)),
    "deep.yaml": lambda: b"".join(b"  " * n + b"a:\n" for n in range(3_000)),
    "deep.toml": lambda: b"a = " + b"[" * 200_000,
    "notebook.ipynb": lambda: json.dumps({"cells": [{"cell_type": "code", "source": ["x"], "outputs": [{"output_type": "display_data", "data": {"image/png": "A" * (10 * MB)}}]}], "nbformat": 4}).encode(),
    "deep.ipynb": lambda: b'{"cells": ' + b"[" * 300_000,
    "quotes.csv": _csv_quotes,
    "quote.csv": lambda: b'a,b\n"' + b"x,\n" * 2_000_000,
    "columns.csv": lambda: b",".join(b"%d" % n for n in range(500_000)) + b"\n" + b",".join(b"x" for _ in range(500_000)),
    "delimiters.csv": lambda: b",;\t|" * 1_000_000,
    "carriage.csv": lambda: b'"\r' * 1_000_000,
    "zeros.csv": lambda: b"a,b\n" + bytes(1_000_000),
    "deep.rtf": lambda: b"{\\rtf1 " + b"{" * 1_000_000 + b"x",
    "unicode.rtf": lambda: b"{\\rtf1\\uc2000000000 \\u20013" + b"x" * 100_000 + b"}",
    "binary.rtf": lambda: b"{\\rtf1\\bin2147483647 abc}",
    "words.rtf": lambda: b"{\\rtf1 " + b"\\b\\i0\\fs-99999999999999999999 " * 200_000 + b"}",
    "tables.rtf": lambda: b"{\\rtf1 " + b"\\trowd\\cellx1\\itap99999 a\\nestcell{\\*\\nesttableprops\\nestrow}" * 20_000 + b"}",
    "matryoshka.eml": partial(matryoshka, 300),
    "attachments.eml": many_attachments,
    "attached-bomb.eml": lambda: attached("a.docx", BOMBS["inflates.docx"]()),
    "attached-zip.eml": lambda: attached("a.zip", zips_in_zips(3)),
    "header.eml": lambda: b"Subject: " + b"=?utf-8?q?a?= " * 200_000 + b"\r\n\r\nbody",
    "addresses.eml": lambda: b"To: " + b"(" * 300_000 + b"\r\n\r\nbody",
    "comma.eml": lambda: b"To: " + b"a@b.c," * 200_000 + b"\r\nSubject: x\r\n\r\nbody",
    "boundaries.eml": lambda: b"Content-Type: multipart/mixed; boundary=" + b"-" * 70 + b"\r\n\r\n" + b"-" * 2_000_000,
    "parameters.eml": lambda: b"Content-Type: text/plain; " + b"a*0*=x; " * 100_000 + b"\r\n\r\nbody",
    "looped.msg": looped_ole,
    "brackets.md": lambda: b"[" * 300_000,
    "emphasis.md": lambda: b"*a_b" * 300_000,
    "quotes.md": lambda: b">" * 300_000 + b"x",
    "ticks.md": lambda: b"".join(b"`" * n + b" " for n in range(1_500)),
    "table.md": lambda: b"|a" * 100_000 + b"|\n" + b"|-" * 100_000 + b"|\n" + b"|b" * 100_000,
    "references.md": lambda: b"[a]: <" * 200_000,
    "include.rst": lambda: b"Title\n=====\n\n.. include:: /etc/passwd\n\n.. csv-table:: x\n   :file: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\ntext\n",
    "substitution.rst": lambda: b"".join(b".. |a%d| replace:: |a%d| |a%d|\n" % (n, n + 1, n + 1) for n in range(40)) + b".. |a40| replace:: x\n\n|a0|\n",
    "deep.rst": lambda: b"".join(b" " * n + b"* x\n\n" for n in range(2_000)),
    "grid.rst": lambda: b"+" + b"-+" * 2_000 + b"\n" + (b"|" + b"a|" * 2_000 + b"\n+" + b"-+" * 2_000 + b"\n") * 50,
    "backticks.rst": lambda: b"`" * 200_000 + b" " + b"*" * 200_000,
    "cues.srt": lambda: b"1\n00:00:01,000 --> 99:99:99,999\nx\n\n" * 100_000,
    "tags.vtt": lambda: b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + b"<c.x<" * 300_000,
    "deep.py": lambda: _nested("(", ")", 50_000),
    "indents.py": lambda: b"".join(b" " * n + b"if x:\n" for n in range(2_000)),
    "deep.js": lambda: _nested("{", "}", 100_000),
    "deep.c": lambda: b"int x = " + _nested("(", ")", 50_000) + b";",
    "templates.cpp": lambda: b"A<" * 100_000,
    "strings.rs": lambda: b'r#"' * 200_000,
    "line.txt": lambda: "长".encode() * (4 * MB),
    "marks.txt": lambda: "\u202e\u0301\u200b".encode() * MB,
}  # fmt: skip
"""File name to builder."""
