"""Documents of many formats with the same sentences in them, made by rule, as large as asked."""

from __future__ import annotations

import base64
import csv
import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape

OOXML = "http://schemas.openxmlformats.org/"
RELATED = OOXML + "officeDocument/2006/relationships"
WORDS = [
    "annual",
    "leave",
    "days",
    "request",
    "manager",
    "approval",
    "office",
    "travel",
    "expense",
    "report",
    "limit",
    "policy",
    "department",
    "年假",
    "审批",
    "部门",
    "报销",
    "差旅",
    "标准",
    "员工",
    "制度",
    "规定",
    "申请",
    "流程",
    "负责人",
]


def sentences(seed: int, count: int) -> list[str]:
    """``count`` sentences, English and Chinese mixed, the same for a seed."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    return [" ".join(dice.choices(WORDS, k=dice.randint(8, 30))) + "。" for _ in range(count)]


def _zip(members: Mapping[str, str], first_stored: bool = False) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for index, (name, body) in enumerate(members.items()):
            archive.writestr(name, body, zipfile.ZIP_STORED if first_stored and not index else zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _package(main: str, kind: str, parts: Mapping[str, str], related: Mapping[str, str]) -> bytes:
    """An OOXML package: ``related`` maps targets of the main part to their kinds."""
    folder, _, name = main.rpartition("/")
    types = "".join(
        f'<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{kinds}+xml"/>'
        for part, kinds in {main: kind}.items()
    )
    relations = f'<Relationships xmlns="{OOXML}package/2006/relationships">{{}}</Relationships>'
    row = f'<Relationship Id="rId{{}}" Type="{RELATED}/{{}}" Target="{{}}"/>'
    return _zip({
        "[Content_Types].xml": f'<Types xmlns="{OOXML}package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>{types}</Types>',
        "_rels/.rels": relations.format(row.format(1, "officeDocument", main)),
        f"{folder}/_rels/{name}.rels": relations.format("".join(row.format(n, k, t) for n, (t, k) in enumerate(related.items(), 1))),
        **parts,
    })  # fmt: skip


def docx(lines: list[str]) -> bytes:
    """A heading for every 20 paragraphs, a table of ten rows at the end."""
    space = f'xmlns:w="{OOXML}wordprocessingml/2006/main"'
    text = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
    heading = "<w:pPr><w:outlineLvl w:val='0'/></w:pPr>"
    paragraphs = "".join(f"<w:p>{'' if n % 20 else heading}{text.format(line)}</w:p>" for n, line in enumerate(lines))
    rows = "".join(
        "<w:tr>" + f"<w:tc><w:p>{text.format(line[:20])}</w:p></w:tc>" * 3 + "</w:tr>" for line in lines[:10]
    )
    document = f"<w:document {space}><w:body>{paragraphs}<w:tbl>{rows}</w:tbl></w:body></w:document>"
    return _package("word/document.xml", "wordprocessingml.document.main", {"word/document.xml": document}, {})


def xlsx(lines: list[str]) -> bytes:
    """One sheet: a header and a row of five cells for each sentence."""
    space = f'xmlns="{OOXML}spreadsheetml/2006/main"'
    cell = '<c r="{}{}" t="inlineStr"><is><t>{}</t></is></c>'
    rows = "".join(
        f'<row r="{n}">{cell.format("A", n, line[:30])}{cell.format("B", n, line[-30:])}'
        f'<c r="C{n}"><v>{n}</v></c><c r="D{n}"><f>C{n}*2</f><v>{2 * n}</v></c><c r="E{n}" t="b"><v>1</v></c></row>'
        for n, line in enumerate(["name and remark of all the rows", *lines], 1)
    )
    parts = {
        "xl/workbook.xml": f'<workbook {space} xmlns:r="{RELATED}"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f"<worksheet {space}><sheetData>{rows}</sheetData></worksheet>",
    }
    return _package("xl/workbook.xml", "spreadsheetml.sheet.main", parts, {"worksheets/sheet1.xml": "worksheet"})


def pptx(lines: list[str]) -> bytes:
    """A slide for every eight sentences."""
    names = f'xmlns:a="{OOXML}drawingml/2006/main" xmlns:p="{OOXML}presentationml/2006/main" xmlns:r="{RELATED}"'
    slides = [lines[at : at + 8] for at in range(0, len(lines), 8)]
    parts = {
        f"ppt/slides/slide{n}.xml": f'<p:sld {names}><p:cSld><p:spTree><p:sp><p:nvSpPr><p:cNvPr id="2" name="b"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>'
        + "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in slide)
        + "</p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        for n, slide in enumerate(slides, 1)
    }
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    parts["ppt/presentation.xml"] = f"<p:presentation {names}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"
    related = {f"slides/slide{n}.xml": "slide" for n in range(1, len(slides) + 1)}
    return _package("ppt/presentation.xml", "presentationml.presentation.main", parts, related)


def odt(lines: list[str]) -> bytes:
    """Plain paragraphs."""
    names = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "text"))
    body = "".join(f"<text:p>{line}</text:p>" for line in lines)
    return _zip({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "META-INF/manifest.xml": '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        "content.xml": f"<office:document-content {names}><office:body><office:text>{body}</office:text></office:body></office:document-content>",
    }, first_stored=True)  # fmt: skip


def epub(lines: list[str]) -> bytes:
    """A chapter for every 40 sentences."""
    chapters = [lines[at : at + 40] for at in range(0, len(lines), 40)]
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return _zip({
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "b.opf": f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>{items}</manifest><spine>{spine}</spine></package>',
        **{f"c{n}.xhtml": html(chapter).decode() for n, chapter in enumerate(chapters)},
    }, first_stored=True)  # fmt: skip


def pdf(lines: list[str]) -> bytes:
    """30 lines a page, Chinese by a font of the reader's."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen.canvas import Canvas

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    for at in range(0, len(lines), 30):
        canvas.setFont("STSong-Light", 9)
        for number, line in enumerate(lines[at : at + 30]):
            canvas.drawString(40, 800 - 24 * number, line[:100])
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def html(lines: list[str]) -> bytes:
    """Headings and paragraphs."""
    body = "".join(
        f"<h2>{n}</h2><p>{escape(line)}</p>" if n % 20 == 0 else f"<p>{escape(line)}</p>"
        for n, line in enumerate(lines)
    )
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"/><title>T</title></head><body>{body}</body></html>'.encode()


def table(lines: list[str]) -> bytes:
    """CSV with five columns."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["number", "name", "remark", "amount", "date"])
    writer.writerows([n, line[:20], line, n * 1.5, "2026-01-02"] for n, line in enumerate(lines))
    return buffer.getvalue().encode()


def eml(lines: list[str]) -> bytes:
    """A body and one attachment with the same text."""
    text = "\r\n".join(lines)
    packed = base64.encodebytes(text.encode()).decode()
    return (
        "From: a@example.com\r\nSubject: report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n--x\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Disposition: attachment; filename=n.txt\r\nContent-Transfer-Encoding: base64\r\n\r\n{packed}\r\n--x--\r\n"
    ).encode()


def rtf(lines: list[str]) -> bytes:
    """Paragraphs with escapes for Chinese."""
    body = "\n".join(
        "".join(c if ord(c) < 128 else f"\\u{ord(c) if ord(c) < 32768 else ord(c) - 65536}?" for c in line) + "\\par"
        for line in lines
    )
    return ("{\\rtf1\\ansi\n" + body + "}").encode("ascii")


def python(lines: list[str]) -> bytes:
    """A function for every sentence."""
    return "".join(f'def f{n}(x):\n    """{line}"""\n    return x + {n}\n\n\n' for n, line in enumerate(lines)).encode()


def subtitles(lines: list[str]) -> bytes:
    """A cue for every sentence."""
    stamp = "00:{:02}:{:02},000"
    return "".join(
        f"{n}\n{stamp.format(n // 60 % 60, n % 60)} --> {stamp.format(n // 60 % 60, n % 60)}\n{line}\n\n"
        for n, line in enumerate(lines, 1)
    ).encode()


def notebook(lines: list[str]) -> bytes:
    """A cell for every sentence."""
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [line]} for line in lines]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


MAKERS: Mapping[str, Callable[[list[str]], bytes]] = {
    ".txt": lambda lines: "\n".join(lines).encode(),
    ".md": lambda lines: "\n\n".join(f"# {n}\n\n{x}" if n % 20 == 0 else x for n, x in enumerate(lines)).encode(),
    ".rst": lambda lines: "\n\n".join(f"Part\n====\n\n{x}" if n % 20 == 0 else x for n, x in enumerate(lines)).encode(),
    ".docx": docx, ".xlsx": xlsx, ".pptx": pptx, ".odt": odt, ".epub": epub, ".pdf": pdf, ".html": html, ".csv": table,
    ".eml": eml, ".rtf": rtf, ".py": python, ".srt": subtitles, ".ipynb": notebook,
    ".json": lambda lines: json.dumps([{"n": n, "text": line} for n, line in enumerate(lines)]).encode(),
    ".jsonl": lambda lines: "".join(json.dumps({"text": line}) + "\n" for line in lines).encode(),
}  # fmt: skip
"""Suffix to maker."""
