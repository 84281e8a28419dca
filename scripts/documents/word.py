"""Blocks to a Word file with real numbering, a table style, header, footer and footnotes.

The same blocks give the same bytes: the dates are the document's, and the package is stored
without compression, because two builds of zlib may compress alike text differently.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from itertools import count
from xml.sax.saxutils import escape

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE as REL
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Pt
from docx.text.paragraph import Paragraph

from .blocks import NOTE, Block, Rows, Text

FONTS = {True: ("Times New Roman", "宋体"), False: ("Calibri", "宋体")}
LIST = "77"
LEVELS = {"h1": 0, "article": 1, "item": 2}
NUMBERS = (  # articles run through the whole document: they do not restart with a chapter
    ("chineseCountingThousand", "第%1章", ""),
    ("chineseCountingThousand", "第%2条", '<w:lvlRestart w:val="0"/>'),
    ("decimal", "（%3）", ""),
)
SPARE = {REL.CUSTOM_XML, REL.THUMBNAIL, "http://schemas.microsoft.com/office/2007/relationships/stylesWithEffects"}
KEPT_STYLES = {
    "Normal",
    "Title",
    "Subtitle",
    "heading 1",
    "heading 2",
    "header",
    "footer",
    "Normal Table",
    "Table Grid",
}
KEPT_STYLES |= {"Default Paragraph Font", "No List"}
FOOTNOTES = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
NOTE_MARK = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>{}</w:r>'


def word(text: Text) -> bytes:
    """The bytes of the .docx file."""
    document = docx.Document()
    _trim(document)
    _look(document, text)
    _properties(document, text)
    if text.chinese:
        _number(document)
    document.add_paragraph(text.facts["title"], "Title")
    document.add_paragraph(text.facts["subtitle"], "Subtitle")
    notes: list[str] = []
    for block in text.blocks:
        _add(document, block, text.chinese, notes)
    if notes:
        _footnotes(document, notes)
    return _stored(document, text)


def _trim(document: Document) -> None:
    """Takes out what python-docx's template brings and these documents never use (0.8 MB of styles)."""
    for owner in (document.part.package, document.part):
        for key, relation in list(owner.rels.items()):
            if relation.reltype in SPARE:
                del owner.rels[key]
    styles = document.styles.element
    for style in list(styles.iterchildren(qn("w:style"))):
        if style.find(qn("w:name")).get(qn("w:val")) not in KEPT_STYLES:
            styles.remove(style)
    for numbers in list(document.part.numbering_part.element):
        document.part.numbering_part.element.remove(numbers)


def _look(document: Document, text: Text) -> None:
    latin, chinese = FONTS[text.chinese]
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size = latin, Pt(11)
    normal.element.rPr.rFonts.set(qn("w:eastAsia"), chinese)
    language = OxmlElement("w:lang")
    language.set(qn("w:val"), "en-US")
    language.set(qn("w:eastAsia"), "zh-CN")
    normal.element.rPr.append(language)
    normal.paragraph_format.space_after = Pt(6)
    page = document.sections[0]
    page.page_width, page.page_height = Cm(21), Cm(29.7)
    page.left_margin = page.right_margin = Cm(2.5)
    page.header.paragraphs[0].text = text.facts["header"]
    footer = page.footer.paragraphs[0]
    footer.add_run(text.facts["footer"] + "\t\t")
    footer._p.append(parse_xml(f'<w:fldSimple {nsdecls("w")} w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple>'))


def _properties(document: Document, text: Text) -> None:
    facts = document.core_properties
    facts.title, facts.subject = text.facts["title"], text.facts["number"]
    facts.author = facts.last_modified_by = "Lanwan Instruments"
    facts.comments, facts.version = "", text.facts["version"]
    facts.language = "zh-CN" if text.chinese else "en-US"
    facts.created = facts.modified = text.when.replace(tzinfo=None)


def _number(document: Document) -> None:
    """Chapters, articles and items that Word itself counts."""
    levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{restart}<w:suff w:val="space"/>'
        f'<w:lvlText w:val="{shown}"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="{at // 2 * 420}" w:firstLine="0"/></w:pPr></w:lvl>'
        for at, (form, shown, restart) in enumerate(NUMBERS)
    )
    part = document.part.numbering_part.element
    part.append(
        parse_xml(
            f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{LIST}"><w:multiLevelType w:val="multilevel"/>{levels}</w:abstractNum>'
        )
    )
    part.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="{LIST}"><w:abstractNumId w:val="{LIST}"/></w:num>'))


def _add(document: Document, block: Block, chinese: bool, notes: list[str]) -> None:
    if block.kind == "table":
        _table(document, block.rows)
        return
    style = {"h1": "Heading 1", "h2": "Heading 2"}.get(block.kind, "Normal")
    paragraph = document.add_paragraph(style=style)
    pieces = NOTE.split(block.text)  # text, note, text, note, ..., text
    for at, piece in enumerate(pieces):
        if at % 2:
            notes.append(piece)
            mark = NOTE_MARK.format(f'<w:footnoteReference w:id="{len(notes)}"/>')
            paragraph._p.append(parse_xml(mark.replace("<w:r>", f"<w:r {nsdecls('w')}>", 1)))
        elif piece:
            paragraph.add_run(piece)
    if chinese and block.kind in LEVELS:
        _numbered(paragraph, LEVELS[block.kind])


def _numbered(paragraph: Paragraph, level: int) -> None:
    numbers = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    numbers.get_or_add_ilvl().val = level
    numbers.get_or_add_numId().val = int(LIST)


def _table(document: Document, rows: Rows) -> None:
    table = document.add_table(len(rows), len(rows[0]), "Table Grid")
    for line, cells in zip(table.rows, rows, strict=True):
        for cell, content in zip(line.cells, cells, strict=True):
            cell.text = content
    for cell in table.rows[0].cells:
        cell.paragraphs[0].runs[0].bold = True
    head = OxmlElement("w:tblHeader")
    table.rows[0]._tr.get_or_add_trPr().append(head)
    document.add_paragraph()


def _footnotes(document: Document, notes: list[str]) -> None:
    """The part python-docx has no call for; -1 and 0 are the lines Word draws above notes."""
    lines = zip((-1, 0), ("separator", "continuationSeparator"), strict=True)
    drawn = (
        f'<w:footnote w:type="{kind}" w:id="{at}"><w:p><w:r><w:{kind}/></w:r></w:p></w:footnote>' for at, kind in lines
    )
    written = (
        f'<w:footnote w:id="{at}"><w:p>{NOTE_MARK.format("<w:footnoteRef/>")}'
        f'<w:r><w:t xml:space="preserve"> {escape(note)}</w:t></w:r></w:p></w:footnote>'
        for at, note in zip(count(1), notes, strict=False)
    )
    xml = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:footnotes {nsdecls("w")}>{"".join([*drawn, *written])}</w:footnotes>'
    part = Part(PackURI("/word/footnotes.xml"), FOOTNOTES, xml.encode(), document.part.package)
    document.part.relate_to(part, REL.FOOTNOTES)


def _stored(document: Document, text: Text) -> bytes:
    saved, made = io.BytesIO(), io.BytesIO()
    document.save(saved)
    with zipfile.ZipFile(saved) as package, zipfile.ZipFile(made, "w") as out:
        for name, content in _parts(package):
            entry = zipfile.ZipInfo(name, text.when.timetuple()[:6])
            entry.create_system = 0  # the platform this runs on must not show
            out.writestr(entry, content)
    return made.getvalue()


def _parts(package: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """The content types first, as readers that stream a package expect; the rest by name."""
    first = "[Content_Types].xml"
    for name in sorted(package.namelist(), key=lambda name: (name != first, name)):
        yield name, package.read(name)
