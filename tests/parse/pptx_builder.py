"""Writes small presentations for the tests, part by part, so that each may be odd in its own way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from docx_builder import OPEN, SPACES, relations, zipped

NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        **{name: SPACES[name] for name in ("a", "r", "c", "dgm", "mc", "m")},
        "p": OPEN + "presentationml/2006/main",
        "p188": "http://schemas.microsoft.com/office/powerpoint/2018/8/main",
        "a14": "http://schemas.microsoft.com/office/drawing/2010/main",
    }.items()
)
Relations = Sequence[tuple[str, str, str]]


def root(name: str, inner: str, attributes: str = "") -> str:
    """A part."""
    return f'<?xml version="1.0" encoding="UTF-8"?><{name} {NAMESPACES} {attributes}>{inner}</{name}>'


def para(text: str, properties: str = "") -> str:
    """``a:p``; text that is XML already goes in as it is."""
    return f"<a:p>{properties}{text if text.startswith('<') else f'<a:r><a:t>{escape(text)}</a:t></a:r>'}</a:p>"


def frame(at: tuple[int, int, int, int] | None, name: str = "a:xfrm") -> str:
    """Left, top, width, height."""
    if at is None:
        return ""
    return f'<{name}><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="{at[2]}" cy="{at[3]}"/></{name}>'


def shape(
    *texts: str,
    at: tuple[int, int, int, int] | None = None,
    kind: str | None = None,
    hidden: bool = False,
    idx: int = 0,
) -> str:
    """``p:sp``; ``kind`` makes it a placeholder."""
    seen = ' hidden="1"' if hidden else ""
    mark = "" if kind is None else f'<p:ph type="{kind}" idx="{idx}"/>'
    body = "".join(text if text.startswith("<a:p>") else para(text) for text in texts)
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"{seen}/><p:cNvSpPr/><p:nvPr>{mark}</p:nvPr>'
        f"</p:nvSpPr><p:spPr>{frame(at)}</p:spPr><p:txBody><a:bodyPr/>{body}</p:txBody></p:sp>"
    )


def group(*shapes: str, at: tuple[int, int, int, int] | None = None) -> str:
    """``p:grpSp``."""
    return (
        '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="2" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
        f"<p:grpSpPr>{frame(at)}</p:grpSpPr>{''.join(shapes)}</p:grpSp>"
    )


def graphic(inner: str, at: tuple[int, int, int, int] | None = None) -> str:
    """``p:graphicFrame`` around a table, chart, diagram or object."""
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="f"/><p:cNvGraphicFramePr/><p:nvPr/>'
        f"</p:nvGraphicFramePr>{frame(at, 'p:xfrm')}<a:graphic><a:graphicData>{inner}</a:graphicData></a:graphic>"
        "</p:graphicFrame>"
    )


def table(*rows: Sequence[str], first: bool = False) -> str:
    """``a:tbl``; a cell that is XML is a whole ``a:tc``."""
    cells = "".join(
        "<a:tr>"
        + "".join(c if c.startswith("<a:tc") else f"<a:tc><a:txBody>{para(c)}</a:txBody></a:tc>" for c in row)
        + "</a:tr>"
        for row in rows
    )
    return f'<a:tbl><a:tblPr firstRow="{int(first)}"/>{cells}</a:tbl>'


def tree(*shapes: str) -> str:
    """``p:cSld``."""
    return f"<p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>{''.join(shapes)}</p:spTree></p:cSld>"


@dataclass
class Page:
    """A slide: its shapes, and parts it refers to as (kind of relation, name, content)."""

    shapes: Sequence[str]
    parts: Sequence[tuple[str, str, str]] = ()
    attributes: str = ""
    layout: str = "layout1.xml"
    more: Mapping[str, str] = field(default_factory=dict)


def pptx(
    *pages: Page | Sequence[str],
    layout: str = "",
    master: str = "",
    main: Relations = (),
    extra: Mapping[str, str | bytes] | None = None,
    order: Sequence[int] | None = None,
) -> bytes:
    """A package; ``order`` lists the slides (from 1) as they are shown."""
    made = [page if isinstance(page, Page) else Page(page) for page in pages]
    listed = order or range(1, len(made) + 1)
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in listed)
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{OPEN}package/2006/content-types"/>',
        "_rels/.rels": relations(
            [
                ("rId1", "officeDocument", "ppt/presentation.xml"),
                ("rId2", OPEN + "package/2006/relationships/metadata/core-properties", "docProps/core.xml"),
                ("rId3", "custom-properties", "docProps/custom.xml"),
            ]
        ),
        "ppt/presentation.xml": root("p:presentation", f"<p:sldIdLst>{ids}</p:sldIdLst>"),
        "ppt/_rels/presentation.xml.rels": relations(
            [*((f"rId{n}", "slide", f"slides/slide{n}.xml") for n in range(1, len(made) + 1)), *main]
        ),
        "ppt/slideLayouts/layout1.xml": root("p:sldLayout", tree(layout)),
        "ppt/slideLayouts/_rels/layout1.xml.rels": relations([("rId1", "slideMaster", "../slideMasters/master1.xml")]),
        "ppt/slideMasters/master1.xml": root("p:sldMaster", tree(master)),
    }
    for number, page in enumerate(made, 1):
        files[f"ppt/slides/slide{number}.xml"] = root("p:sld", tree(*page.shapes), page.attributes)
        named = [(f"rId{i}", kind, f"../{name}") for i, (kind, name, _) in enumerate(page.parts, 1)]
        files[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(
            [*named, ("rIdL", "slideLayout", f"../slideLayouts/{page.layout}")]
        )
        files.update({f"ppt/{name}": content for _, name, content in page.parts})
    files.update(extra or {})
    return zipped(files)
