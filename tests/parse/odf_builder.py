"""Writes small OpenDocument files for the tests, part by part, so that each may be odd in its own way."""

from __future__ import annotations

from collections.abc import Mapping

from docx_builder import zipped

_OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
SPACES = {
    **{n: f"{_OPEN}{n}:1.0" for n in ("office", "text", "table", "style", "meta", "presentation", "chart", "manifest")},
    "draw": _OPEN + "drawing:1.0",
    "svg": _OPEN + "svg-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
    "math": "http://www.w3.org/1998/Math/MathML",
}
NAMESPACES = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in SPACES.items())
MANIFEST = f"<manifest:manifest {NAMESPACES}/>"


def part(name: str, inner: str) -> str:
    """A part of the package."""
    return f'<?xml version="1.0" encoding="UTF-8"?><office:{name} {NAMESPACES}>{inner}</office:{name}>'


def p(text: str, style: str = "Standard") -> str:
    """A paragraph."""
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def h(text: str, level: int = 1) -> str:
    """A heading."""
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def table(*rows: tuple[str, ...], header: int = 0) -> str:
    """A table; a cell that is XML goes in as it is."""
    lines = [
        "<table:table-row>"
        + "".join(
            c if c.startswith("<table:") else f"<table:table-cell>{c if c.startswith('<') else p(c)}</table:table-cell>"
            for c in row
        )
        + "</table:table-row>"
        for row in rows
    ]
    head = f"<table:table-header-rows>{''.join(lines[:header])}</table:table-header-rows>" if header else ""
    return f"<table:table>{head}{''.join(lines[header:])}</table:table>"


def items(*texts: str, attributes: str = 'text:style-name="L1"') -> str:
    """A list; an item that is XML goes in as it is."""
    inner = "".join(f"<text:list-item>{t if t.startswith('<') else p(t)}</text:list-item>" for t in texts)
    return f"<text:list {attributes}>{inner}</text:list>"


def odf(
    *body: str,
    kind: str = "text",
    automatic: str = "",
    styles: str = "",
    masters: str = "",
    meta: str = "",
    extra: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """A package of this kind ("text", "presentation")."""
    content = (
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:{kind}>{''.join(body)}</office:{kind}></office:body>"
    )
    named = f"<office:styles>{styles}</office:styles><office:master-styles>{masters}</office:master-styles>"
    files: dict[str, str | bytes] = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": part("document-content", content),
        "styles.xml": part("document-styles", named),
        "meta.xml": part("document-meta", f"<office:meta>{meta}</office:meta>"),
        "META-INF/manifest.xml": MANIFEST,
        **(extra or {}),
    }
    return zipped(files)
