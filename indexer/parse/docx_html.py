"""Visible text of an imported HTML part: blocks on lines, table rows on lines, no script or style."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from .decode import decode

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I)
_XML_CHARSET = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.I)
_SILENT = frozenset({"script", "style", "head", "template", "noscript", "iframe", "object", "svg", "select", "title"})
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    }
)
_VOID = frozenset(
    {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    }
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.I)
# Labels that browsers and Word read as a larger set of characters.
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "latin1": "cp1252", "ascii": "cp1252"}
_SPACE = re.compile(r"[ \t\r\n\f]+")


def html_lines(data: bytes, charset: str | None = None) -> list[str]:
    """The lines of a page. ``charset`` is what a container says; the page's own statement comes next."""
    reader = _Reader()
    reader.feed(_decoded(data, charset))
    reader.close()
    return reader.lines()


def _decoded(data: bytes, charset: str | None) -> str:
    stated = charset
    if not stated and data[:2] not in (b"\xff\xfe", b"\xfe\xff") and data[:3] != b"\xef\xbb\xbf":
        match = _CHARSET.search(data[:4096]) or _XML_CHARSET.search(data[:200])
        stated = match[1].decode("ascii") if match else None
    if stated and not stated.lower().startswith(("utf-16", "unicode")):
        try:
            return data.decode(_SUPERSETS.get(stated.lower(), stated))
        except (LookupError, UnicodeDecodeError):
            pass  # the statement is wrong: let the bytes decide
    return decode(data).text


class _Reader(HTMLParser):
    """Collects lines; what is inside a silent or hidden element is dropped."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._line: list[str] = []
        self._open: list[tuple[str, bool]] = []  # tag, whether it silences what is inside
        self._silent = 0
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "td" or tag == "th":
            self._line.append(" | " if self._cells else "")
            self._cells += 1
        elif tag in _BLOCKS and not (self._cells and tag in ("p", "div", "br")):
            self._end_line()
        elif tag in _BLOCKS:
            self._line.append(" ")
        if tag == "tr":
            self._cells = 0
        if tag not in _VOID:
            style = dict(attrs).get("style") or ""
            silent = tag in _SILENT or _HIDDEN.search(style) is not None
            self._open.append((tag, silent))
            self._silent += silent

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _ in self._open[-64:]):
            while self._open:
                name, silent = self._open.pop()
                self._silent -= silent
                if name == tag:
                    break
        if tag in ("tr", "table"):
            self._cells = 0
        if tag in _BLOCKS and not self._cells:
            self._end_line()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._line.append(data)

    def _end_line(self) -> None:
        text = _SPACE.sub(" ", "".join(self._line)).rstrip("| ").lstrip()
        if text:
            self._lines.append(text)
        self._line = []

    def lines(self) -> list[str]:
        self._end_line()
        return self._lines
