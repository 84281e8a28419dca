"""One small sound file of every format a company folder holds, written here byte by byte, to be broken.

Only suffixes that have a parser are used, so a seed may stand here before its parser does.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import docx_builder
from pdf_builder import Pdf

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("INDEXER_SHARED", ROOT / ".." / "shared")).resolve() / "corpus"
LARGEST = 300_000  # bytes of a corpus file that is used
OOXML = "http://schemas.openxmlformats.org/"
TYPES = (
    '<Types xmlns="{0}package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>{1}</Types>'
)
TEXT = "第一章 总则\nAnnual leave is fifteen days a year. 婚假为三天。\n"


def zipped(members: Mapping[str, str | bytes], stored_first: bool = False) -> bytes:
    """A zip file; ``stored_first``: the first member is not packed, as EPUB and OpenDocument want."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for index, (name, body) in enumerate(members.items()):
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_STORED if stored_first and index == 0 else zipfile.ZIP_DEFLATED
            archive.writestr(info, body)
    return buffer.getvalue()


def relations(*targets: tuple[str, str]) -> str:
    """A .rels part: (type, target) pairs numbered rId1 ..."""
    rows = "".join(
        f'<Relationship Id="rId{n}" Type="{OOXML}officeDocument/2006/relationships/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{OOXML}package/2006/relationships">{rows}</Relationships>'


def override(part: str, kind: str) -> str:
    """One line of [Content_Types].xml."""
    base = "application/vnd.openxmlformats-officedocument."
    return f'<Override PartName="/{part}" ContentType="{base}{kind}+xml"/>'


def docx() -> bytes:
    """Paragraphs, a table, a text box."""
    b = docx_builder
    table = b.table(b.row("姓名", "天数"), b.row("张三", "15"))
    return b.docx(b.para("Head", style="H"), b.para(TEXT, b.box(b.para("box"))), table)


def pdf() -> bytes:
    """Two pages, one packed."""
    made = Pdf()
    made.page("BT /F1 12 Tf 72 700 Td (Annual leave is fifteen days) Tj 0 -14 Td (a year.) Tj ET")
    made.page("BT /F1 12 Tf 72 700 Td [(Pass) -20 (words)] TJ ET", deflate=True)
    return made.data()


def xlsx() -> bytes:
    """Shared and inline strings, a number, a formula with its value, a merged cell."""
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="s"><v>{n % 2}</v></c><c r="B{n}" t="inlineStr"><is><t>cell {n}</t></is></c>'
        f'<c r="C{n}"><f>1+{n}</f><v>{n + 1}</v></c></row>'
        for n in range(1, 20)
    )
    main = f'xmlns="{OOXML}spreadsheetml/2006/main"'
    return zipped({
        "[Content_Types].xml": TYPES.format(OOXML, override("xl/workbook.xml", "spreadsheetml.sheet.main")
            + override("xl/worksheets/sheet1.xml", "spreadsheetml.worksheet")
            + override("xl/sharedStrings.xml", "spreadsheetml.sharedStrings")),
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{OOXML}officeDocument/2006/relationships"><sheets>'
            '<sheet name="假期" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml")),
        "xl/sharedStrings.xml": f"<sst {main} count='2' uniqueCount='2'><si><t>年假</t></si><si><t>leave</t></si></sst>",
        "xl/worksheets/sheet1.xml": f'<worksheet {main}><dimension ref="A1:C19"/><sheetData>{rows}</sheetData>'
            '<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells></worksheet>',
    })  # fmt: skip


def pptx() -> bytes:
    """One slide with a title and a body."""
    a, p = f"{OOXML}drawingml/2006/main", f"{OOXML}presentationml/2006/main"
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="{0}" name="s"/><p:cNvSpPr/><p:nvPr>{1}</p:nvPr></p:nvSpPr><p:spPr/>'
        "<p:txBody><a:bodyPr/><a:p><a:r><a:t>{2}</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    shapes = shape.format(2, '<p:ph type="title"/>', "休假") + shape.format(3, "", "Fifteen days a year.")
    names = f'xmlns:a="{a}" xmlns:p="{p}" xmlns:r="{OOXML}officeDocument/2006/relationships"'
    return zipped({
        "[Content_Types].xml": TYPES.format(OOXML, override("ppt/presentation.xml", "presentationml.presentation.main")
            + override("ppt/slides/slide1.xml", "presentationml.slide")),
        "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation {names}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relations(("slide", "slides/slide1.xml")),
        "ppt/slides/slide1.xml": f"<p:sld {names}><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>{shapes}</p:spTree></p:cSld></p:sld>",
    })  # fmt: skip


def opendocument(kind: str) -> bytes:
    """A text, a sheet or a slide."""
    names = " ".join(
        f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "text", "table", "drawing")
    ).replace("xmlns:drawing=", "xmlns:draw=")
    paragraph = f'<text:h text:outline-level="1">总则</text:h><text:p>{TEXT}</text:p>'
    row = "<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>"
    body = {
        "text": paragraph + f'<table:table table:name="t">{row * 3}</table:table>',
        "spreadsheet": f'<table:table table:name="t">{row * 3}</table:table>',
        "presentation": f'<draw:page draw:name="p"><draw:frame><draw:text-box>{paragraph}</draw:text-box></draw:frame></draw:page>',
    }[kind]
    return zipped({
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "META-INF/manifest.xml": '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        "content.xml": f"<office:document-content {names}><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
    }, stored_first=True)  # fmt: skip


def epub() -> bytes:
    """One chapter."""
    return zipped({
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
            '<rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "b.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            '<dc:title>书</dc:title></metadata><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="c"/></spine></package>',
        "c.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>第一章</h1><p>{TEXT}</p></body></html>',
    }, stored_first=True)  # fmt: skip


def eml() -> bytes:
    """A letter with two bodies and an attachment."""
    return (
        b"From: a@example.com\r\nTo: b@example.com\r\nSubject: =?utf-8?B?5LyR5YGH?=\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: multipart/alternative; boundary="y"\r\n\r\n'
        b"--y\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nFifteen days.\r\n--y\r\nContent-Type: text/html\r\n\r\n"
        b"<p>Fifteen days.</p>\r\n--y--\r\n--x\r\nContent-Type: text/plain; name=n.txt\r\nContent-Transfer-Encoding: base64\r\n"
        b"Content-Disposition: attachment; filename=n.txt\r\n\r\nYW5udWFsIGxlYXZl\r\n--x--\r\n"
    )


def ole(streams: Mapping[str, bytes]) -> bytes:
    """A compound file; every stream is padded to 4,096 bytes, so that no short sectors are needed."""
    names = ["Root Entry", *streams]
    bodies = [body.ljust(4096, b"\0") for body in streams.values()]
    directory_sectors = (len(names) + 3) // 4
    fat, at = [0xFFFFFFFD], 1  # sector 0 holds the table itself
    fat += [*range(at + 1, at + directory_sectors), 0xFFFFFFFE]
    starts, at = [], at + directory_sectors
    for body in bodies:
        count = (len(body) + 511) // 512
        starts.append(at)
        fat += [*range(at + 1, at + count), 0xFFFFFFFE]
        at += count
    entries = b""
    for index, name in enumerate(names):
        wide = name.encode("utf-16-le")
        size, start = (len(bodies[index - 1]), starts[index - 1]) if index else (0, 0xFFFFFFFE)
        right = index + 1 if 0 < index < len(names) - 1 else 0xFFFFFFFF
        child = 1 if index == 0 else 0xFFFFFFFF
        entries += wide.ljust(64, b"\0") + struct.pack(
            "<HBBIII", len(wide) + 2, 2 if index else 5, 1, 0xFFFFFFFF, right, child
        )
        entries += bytes(16 + 4 + 16) + struct.pack("<IQ", start, size)
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6xIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1)
    head += struct.pack("<IIIIII", 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0) + struct.pack("<109I", 0, *[0xFFFFFFFF] * 108)
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(512, b"\xff")
    return (
        head
        + table
        + entries.ljust(512 * directory_sectors, b"\0")
        + b"".join(b.ljust(-len(b) % 512 + len(b), b"\0") for b in bodies)
    )


def msg() -> bytes:
    """An Outlook message with a subject and a body."""
    return ole({
        "__properties_version1.0": bytes(32),
        "__nameid_version1.0": bytes(8),
        "__substg1.0_0037001F": "休假".encode("utf-16-le"),
        "__substg1.0_1000001F": TEXT.encode("utf-16-le"),
    })  # fmt: skip


def png() -> bytes:
    """A grey square."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(range(64)) for _ in range(64))
    head = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def bmp() -> bytes:
    """A black square."""
    return (
        b"BM"
        + struct.pack("<IIIIiiHHIIiiII", 54 + 3072, 0, 54, 40, 32, 32, 1, 24, 0, 3072, 2835, 2835, 0, 0)
        + bytes(3072)
    )


HTML = f"<!DOCTYPE html><html><head><title>T</title><style>p{{}}</style></head><body><h1>总则</h1><p>{TEXT}</p><table><tr><th>a<td>b</table><script>x()</script></body></html>"
RTF = r"{\rtf1\ansi\ansicpg936{\fonttbl{\f0 Arial;}}{\stylesheet{\s1 heading 1;}}\pard\s1 Head\par\pard Annual \b leave\b0\par\trowd\cellx99 a\cell b\cell\row{\*\gen x}\u20551?\'b9\'fa}"
NOTEBOOK = json.dumps(
    {"cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# 总则\n", "text"]},
        {"cell_type": "code", "metadata": {}, "source": "print(1)", "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}], "execution_count": 1},
    ], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5},
    ensure_ascii=False,
)  # fmt: skip
PYTHON = '"""Doc."""\nclass A:\n    """总则"""\n    def f(self, x):\n        return [x, "s"]\n\nasync def g(): pass\n'
BRACES = "/* 总则 */\npackage p;\nclass A {\n  int f(int x) { return x; }\n}\nfunction g(a) { return `t${a}`; }\n"
SEEDS: Mapping[str, Callable[[], bytes]] = {
    ".txt": lambda: TEXT.encode() * 20,
    ".md": lambda: (
        f"---\ntitle: T\n---\n# 总则\n\n{TEXT}\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx\n```\n- a\n  - b\n".encode()
    ),
    ".docx": docx,
    ".pdf": pdf,
    ".xlsx": xlsx,
    ".pptx": pptx,
    ".odt": lambda: opendocument("text"),
    ".ods": lambda: opendocument("spreadsheet"),
    ".odp": lambda: opendocument("presentation"),
    ".epub": epub,
    ".eml": eml,
    ".msg": msg,
    ".doc": lambda: ole({"WordDocument": b"\xec\xa5" + bytes(4000), "1Table": bytes(99)}),
    ".xls": lambda: ole({"Workbook": b"\x09\x08\x10\0\0\x06" + bytes(4000)}),
    ".ppt": lambda: ole({"PowerPoint Document": bytes(4000), "Current User": bytes(99)}),
    ".html": lambda: HTML.encode(),
    ".csv": lambda: b"name,days\n" + "".join(f'"员工 {n}",{n}\n' for n in range(50)).encode(),
    ".tsv": lambda: b"name\tdays\n" + b"a\t1\n" * 50,
    ".rtf": RTF.encode,
    ".ipynb": NOTEBOOK.encode,
    ".json": lambda: json.dumps({"休假": [{"days": n, "who": ["a", None, 1.5]} for n in range(20)]}).encode(),
    ".jsonl": lambda: b'{"a": 1, "b": ["x"]}\n' * 20,
    ".srt": lambda: (
        "1\n00:00:01,000 --> 00:00:02,500\n<i>你好</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nhello\n".encode()
    ),
    ".vtt": lambda: "WEBVTT\n\n00:01.000 --> 00:02.500 align:start\n<v A>你好\n\nNOTE x\n".encode(),
    ".rst": lambda: f"总则\n====\n\n{TEXT}\n.. note:: x\n\n+--+--+\n|a |b |\n+--+--+\n\n* item\n".encode(),
    ".png": png,
    ".bmp": bmp,
    ".py": PYTHON.encode,
    **dict.fromkeys((".js", ".ts", ".go", ".java", ".rs", ".c", ".cpp", ".cs"), BRACES.encode),
    ".xml": lambda: f"<a><b>{TEXT}</b></a>".encode(),
}


def own(supports: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """(suffix, bytes) of every seed that has a parser."""
    yield from ((suffix, make()) for suffix, make in SEEDS.items() if supports(f"a{suffix}"))


def corpus(supports: Callable[[str], bool], each: int = 12) -> Iterator[tuple[str, bytes]]:
    """Up to ``each`` small files of each suffix from the shared corpus, where there is one."""
    taken: dict[str, int] = {}
    for path in sorted(CORPUS.glob("*/*")) if CORPUS.is_dir() else ():
        suffix = path.suffix.lower()
        if supports(path.name) and 0 < path.stat().st_size <= LARGEST and taken.setdefault(suffix, 0) < each:
            taken[suffix] += 1
            yield suffix, path.read_bytes()
