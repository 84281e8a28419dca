"""What a cell's style says: how its value is shown, and whether its type is bold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sheet_numfmt import BUILTIN, Format, compiled

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from .xlsx_book import Book

MOST_STYLES = 70_000  # Excel's own limit is 65,490


class Styles:
    """Formats and boldness by a cell's style number."""

    def __init__(self, book: Book) -> None:
        part = book.related_to_book("styles", "xl/styles.xml")
        root = book.xml(part) if part is not None else None
        self.formats: list[Format] = []
        self.bold: list[bool] = []
        if root is not None:
            self._read(root, book.since_1904)
        if not self.formats:
            self.formats, self.bold = [compiled("General", book.since_1904)], [False]

    def _read(self, root: Element, since_1904: bool) -> None:
        codes = {
            n.get("numFmtId", ""): n.get("formatCode", "General")
            for n in root.iter("{*}numFmt")
            if _under(n, "numFmts")
        }
        fonts = [_is_bold(font) for font in root.iter("{*}font") if _under(font, "fonts")]
        for xf in root.iter("{*}xf"):
            if not _under(xf, "cellXfs") or len(self.formats) >= MOST_STYLES:
                continue
            id_ = xf.get("numFmtId", "0")
            code = codes.get(id_) or BUILTIN.get(int(id_) if id_.isdecimal() and len(id_) < 6 else 0, "General")
            font = xf.get("fontId", "0")
            self.formats.append(compiled(code, since_1904))
            self.bold.append(font.isdecimal() and len(font) < 6 and int(font) < len(fonts) and fonts[int(font)])


def _under(element: Element, name: str) -> bool:
    parent = element.getparent()
    return parent is not None and str(parent.tag).endswith("}" + name)


def _is_bold(font: Element) -> bool:
    bold = font.find("{*}b")
    return bold is not None and bold.get("val", "1").lower() not in ("0", "false", "off")
