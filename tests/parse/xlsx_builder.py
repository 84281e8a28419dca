"""Writes small .xlsx packages, XML by XML, so that tests can say exactly what is in them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>'

Cell = str | int | float | bool | None | tuple[str, str]
"""Text, number, truth value, nothing, or ("xml", the element itself) and (number format, value)."""


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip package of these parts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def letters(column: int) -> str:
    """The name of a column counted from 0."""
    return chr(65 + column) if column < 26 else letters(column // 26 - 1) + letters(column % 26)


class Book:
    """Collects sheets and their parts."""

    def __init__(self) -> None:
        self.formats: list[str] = ["General"]
        self.parts: dict[str, str | bytes] = {}
        self._sheets: list[str] = []
        self._names = ""
        self._root = [("officeDocument", "xl/workbook.xml")]
        self._book: list[tuple[str, str]] = []
        self.properties = ""

    def sheet(
        self, name: str, rows: Sequence[Sequence[Cell] | None], *, after: str = "", before: str = "", state: str = "",
        relations: Sequence[tuple[str, str, str | bytes]] = (), row_attributes: Mapping[int, str] | None = None,
    ) -> Book:  # fmt: skip
        """Adds a sheet; None is a row that is not there. ``relations``: kind, part name, content."""
        number = len(self._sheets) + 1
        body = "".join(
            f'<row r="{r}" {(row_attributes or {}).get(r, "")}>{self._cells(row, r)}</row>'
            for r, row in enumerate(rows, 1)
            if row is not None
        )
        part = f"xl/worksheets/sheet{number}.xml"
        self.parts[part] = (
            f'{HEAD}<worksheet xmlns="{MAIN}" xmlns:r="{REL}">{before}<sheetData>{body}</sheetData>{after}</worksheet>'
        )
        self._sheets.append(
            f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}" {f"state={quoteattr(state)}" if state else ""}/>'
        )
        self._book.append(("worksheet", f"worksheets/sheet{number}.xml"))
        if relations:
            self.parts[f"xl/worksheets/_rels/sheet{number}.xml.rels"] = relations_of(
                [(kind, f"/{target}") for kind, target, _ in relations]
            )
            self.parts |= {target: content for _, target, content in relations}
        return self

    def define(self, name: str, sheet: int, value: str) -> Book:
        """Adds a defined name of a sheet (counted from 0)."""
        self._names += f'<definedName name="{name}" localSheetId="{sheet}">{escape(value)}</definedName>'
        return self

    def part(self, kind: str, name: str, content: str, of_package: bool = False) -> Book:
        """Adds a part that the workbook, or the package, refers to."""
        self.parts[name] = content
        (self._root if of_package else self._book).append((kind, f"/{name}"))
        return self

    def bytes(self) -> bytes:
        """The package."""
        formats = "".join(
            f'<numFmt numFmtId="{200 + i}" formatCode={quoteattr(code)}/>' for i, code in enumerate(self.formats)
        )
        xfs = "".join(f'<xf numFmtId="{200 + i}" fontId="0"/>' for i in range(len(self.formats)))
        styles = f'<styleSheet xmlns="{MAIN}"><numFmts>{formats}</numFmts><fonts><font/><font><b/></font></fonts><cellXfs>{xfs}<xf numFmtId="0" fontId="1"/></cellXfs></styleSheet>'
        return zipped(
            {
                "_rels/.rels": relations_of(self._root),
                "xl/workbook.xml": f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{REL}">{self.properties}<sheets>{"".join(self._sheets)}</sheets><definedNames>{self._names}</definedNames></workbook>',
                "xl/_rels/workbook.xml.rels": relations_of([*self._book, ("styles", "styles.xml")]),
                "xl/styles.xml": styles,
            }
            | self.parts
        )

    def _cells(self, row: Sequence[Cell], number: int) -> str:
        return "".join(self._cell(cell, f"{letters(c)}{number}") for c, cell in enumerate(row))

    def _cell(self, cell: Cell, reference: str) -> str:
        match cell:
            case None:
                return ""
            case ("xml", xml):
                return xml.replace("REF", reference)
            case ("bold", text):
                return f'<c r="{reference}" s="BOLD" t="inlineStr"><is><t>{escape(text)}</t></is></c>'
            case (code, value):
                if code not in self.formats:
                    self.formats.append(code)
                return f'<c r="{reference}" s="{self.formats.index(code)}"><v>{value}</v></c>'
            case bool():
                return f'<c r="{reference}" t="b"><v>{int(cell)}</v></c>'
            case str():
                return f'<c r="{reference}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
        return f'<c r="{reference}"><v>{cell}</v></c>'


def relations_of(targets: Sequence[tuple[str, str]]) -> str:
    """A relations part: rId1, rId2 ... in order."""
    rows = "".join(
        f'<Relationship Id="rId{i}" Type="{REL}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(targets, 1)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE}">{rows}</Relationships>'
