"""Writes small Word packages for the tests, part by part, so that each may be odd in its own way.

Independent of the parser: the vocabulary is spelled out here again, from ECMA-376.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

OPEN = "http://schemas.openxmlformats.org/"
RELATIONS = OPEN + "officeDocument/2006/relationships"
SPACES = {
    "w": OPEN + "wordprocessingml/2006/main",
    "r": RELATIONS,
    "m": OPEN + "officeDocument/2006/math",
    "a": OPEN + "drawingml/2006/main",
    "wp": OPEN + "drawingml/2006/wordprocessingDrawing",
    "c": OPEN + "drawingml/2006/chart",
    "dgm": OPEN + "drawingml/2006/diagram",
    "mc": OPEN + "markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "w15": "http://schemas.microsoft.com/office/word/2012/wordml",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
}
NAMESPACES = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in SPACES.items())
PROPERTIES = (
    ("rId2", OPEN + "package/2006/relationships/metadata/core-properties", "docProps/core.xml"),
    ("rId3", "extended-properties", "docProps/app.xml"),
)
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def run(text: str, properties: str = "") -> str:
    """``w:r`` with one ``w:t``."""
    rpr = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{rpr}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def para(*content: str, properties: str = "", style: str = "") -> str:
    """``w:p``; content that is not XML becomes a run."""
    style = f"<w:pStyle w:val={quoteattr(style)}/>" if style else ""
    ppr = f"<w:pPr>{style}{properties}</w:pPr>" if style or properties else ""
    return f"<w:p>{ppr}{''.join(c if c.startswith('<') else run(c) for c in content)}</w:p>"


def cell(*content: str, properties: str = "") -> str:
    """``w:tc``; plain strings become paragraphs."""
    tcpr = f"<w:tcPr>{properties}</w:tcPr>" if properties else ""
    return f"<w:tc>{tcpr}{''.join(c if c.startswith('<') else para(c) for c in content)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    """``w:tr``; plain strings become cells."""
    trpr = f"<w:trPr>{properties}</w:trPr>" if properties else ""
    return f"<w:tr>{trpr}{''.join(c if c.startswith('<') else cell(c) for c in cells)}</w:tr>"


def table(*rows: str) -> str:
    """``w:tbl`` of the rows."""
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def numbered(level: int | None, number: int | None = 1) -> str:
    """``w:numPr``."""
    ilvl = "" if level is None else f'<w:ilvl w:val="{level}"/>'
    num = "" if number is None else f'<w:numId w:val="{number}"/>'
    return f"<w:numPr>{ilvl}{num}</w:numPr>"


def level(index: int, text: str, form: str = "decimal", start: int = 1, extra: str = "") -> str:
    """``w:lvl`` of a list definition."""
    return (
        f'<w:lvl w:ilvl="{index}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>'
        f"<w:lvlText w:val={quoteattr(text)}/>{extra}</w:lvl>"
    )


def numbering(*levels: str, nums: str = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>') -> str:
    """A numbering part with one abstract definition, id 0."""
    return part("numbering", f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>{nums}')


def style(style_id: str, name: str, inner: str = "", kind: str = "paragraph", based_on: str = "") -> str:
    """``w:style``."""
    based = f"<w:basedOn w:val={quoteattr(based_on)}/>" if based_on else ""
    return (
        f"<w:style w:type={quoteattr(kind)} w:styleId={quoteattr(style_id)}>"
        f"<w:name w:val={quoteattr(name)}/>{based}{inner}</w:style>"
    )


def field(instruction: str, *result: str, separate: bool = True) -> str:
    """A complex field as runs."""
    middle = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' if separate else ""
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r><w:instrText xml:space="preserve">{escape(instruction)}</w:instrText></w:r>'
        f"{middle}{''.join(c if c.startswith('<') else run(c) for c in result)}"
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def control(content: str, properties: str = "") -> str:
    """``w:sdt``."""
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def box(content: str, fallback: bool = True) -> str:
    """A run with a text box as Word 2010 and later write it, with the copy for older readers."""
    drawing = (
        "<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx>"
        f"<w:txbxContent>{content}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>"
    )
    return f"<w:r>{alternate(drawing, old_box(content) if fallback else '')}</w:r>"


def old_box(content: str, style: str = "") -> str:
    """A text box in VML, the drawing language of Word 2007."""
    return (
        f"<w:pict><v:shape style={quoteattr(style)}><v:textbox><w:txbxContent>{content}</w:txbxContent></v:textbox>"
        "</v:shape></w:pict>"
    )


def alternate(choice: str, fallback: str) -> str:
    """The two branches of a compatibility pair."""
    return (
        f'<mc:AlternateContent><mc:Choice Requires="wps">{choice}</mc:Choice>'
        f"<mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>"
    )


def part(root: str, inner: str) -> str:
    """A part of the main vocabulary."""
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:{root} {NAMESPACES}>{inner}</w:{root}>'


def relations(items: Iterable[tuple[str, str, str]]) -> str:
    """A .rels part of (id, kind, target); a target with ``://`` is external."""
    inner = ""
    for name, kind, target in items:
        kind = kind if ":" in kind else f"{RELATIONS}/{kind}"
        mode = ' TargetMode="External"' if "://" in target else ""
        inner += f"<Relationship Id={quoteattr(name)} Type={quoteattr(kind)} Target={quoteattr(target)}{mode}/>"
    return f'<Relationships xmlns="{OPEN}package/2006/relationships">{inner}</Relationships>'


def zipped(parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of the parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def docx(
    *body: str,
    parts: Mapping[str, tuple[str, str | bytes]] | None = None,
    main: str = "word/document.xml",
    end: str = "",
    core: str = "",
    app: str = "",
    extra: Mapping[str, str | bytes] | None = None,
    replace: tuple[str, str] | None = None,
) -> bytes:
    """A package. ``parts``: name in the main part's folder to (kind of relation, content), ids rId1 ...

    ``end`` goes into the last section's properties, ``extra`` straight into the zip, and
    ``replace`` rewrites every XML part.
    """
    folder, _, name = main.rpartition("/")
    named = [(f"rId{i}", kind, target) for i, (target, (kind, _)) in enumerate((parts or {}).items(), 1)]
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{OPEN}package/2006/content-types"><Default Extension="xml" '
        f'ContentType="application/xml"/><Override PartName="/{main}" ContentType="{MAIN_TYPE}"/></Types>',
        "_rels/.rels": relations([("rId1", "officeDocument", main), *PROPERTIES]),
        main: part("document", f"<w:body>{''.join(body)}<w:sectPr>{end}</w:sectPr></w:body>"),
        posixpath.join(folder, "_rels", f"{name}.rels"): relations(named),
        **{posixpath.join(folder, t): content for t, (_, content) in (parts or {}).items() if content},
        **{f"docProps/{k}.xml": v for k, v in (("core", core), ("app", app)) if v},
        **(extra or {}),
    }
    if replace:
        files = {k: v.replace(*replace) if isinstance(v, str) else v for k, v in files.items()}
    return zipped(files)


def core(title: str) -> str:
    """Core properties with a title."""
    return (
        f'<cp:coreProperties xmlns:cp="{OPEN}package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></cp:coreProperties>'
    )
