"""The workbook of an .xlsx package: its sheets, their parts, its properties."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from indexer.core.errors import ParseRefused
from indexer.core.tables import ParseLimits

from .archive import parse_xml
from .sheet_stream import Package
from .sniff import refusal

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_FIELDS = ("version", "版本", "版本号", "文件版本", "revision", "rev")
_TITLES = re.compile(r"\$?(\d+):\$?(\d+)")
MOST_SHEETS = 2000


class Relation(NamedTuple):
    """``kind`` is the last word of its type; ``target`` a part name, or an address when it is outside."""

    kind: str
    target: str


class Sheet(NamedTuple):
    """One sheet as the workbook lists it. ``titles`` are its rows printed on every page (first, last)."""

    name: str
    part: str
    kind: str  # worksheet, chartsheet, dialogsheet, xlMacrosheet
    hidden: bool
    titles: tuple[int, int] | None = None


class Book:
    """The parts of one workbook, found by their relations."""

    def __init__(self, data: bytes, limits: ParseLimits) -> None:
        self.package = Package(data, limits)
        self.part = self._find()
        root = self.xml(self.part)
        if root is None:
            raise ParseRefused("The file is damaged: its workbook cannot be read. Restore it from a good copy")
        self.since_1904 = _since_1904(root)
        self.sheets = tuple(self._sheets(root))

    def xml(self, part: str) -> Element | None:
        """The root of a small part; None when it is missing or damaged."""
        data = self.package.read(part)
        if data is None:
            return None
        try:
            return parse_xml(data)
        except ParseRefused as refused:
            if refused.__cause__ is None:
                raise
            self.package.damaged.append(part)
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part refers to, by id; "" is the package itself."""
        folder, _, name = part.rpartition("/")
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        return {} if root is None else dict(_relations(root, folder))

    def related(self, part: str, kind: str) -> list[str]:
        """The parts that ``part`` refers to by this kind of relation and that are there."""
        return [r.target for r in self.relations(part).values() if r.kind == kind and r.target in self.package]

    def related_to_book(self, kind: str, usual: str) -> str | None:
        """A part of the workbook by its relation, or by its usual name where the relation is broken."""
        found = self.related(self.part, kind)
        return found[0] if found else usual if usual in self.package else None

    def _find(self) -> str:
        for target in self.related("", "officeDocument"):
            if not target.endswith(".bin"):
                return target
        for name in self.package.names():
            if re.fullmatch(r"(?i)xl/workbook\d*\.xml", name):
                return name
        if "xl/workbook.bin" in self.package:
            raise refusal("Excel binary workbook (.xlsb)")
        raise ParseRefused("The file has no workbook: it is incomplete. Restore it from a good copy")

    def _sheets(self, root: Element) -> Iterator[Sheet]:
        relations = self.relations(self.part)
        titles = dict(_print_titles(root))
        listed = [sheet for sheet in root.iter("{*}sheet") if sheet.getparent().tag.endswith("}sheets")]  # type: ignore[union-attr]
        for i, sheet in enumerate(listed[:MOST_SHEETS]):
            id_ = next((value for key, value in sheet.attrib.items() if str(key).endswith("}id")), "")
            relation = relations.get(str(id_)) or Relation("worksheet", f"xl/worksheets/sheet{i + 1}.xml")
            hidden = sheet.get("state", "visible").lower() in ("hidden", "veryhidden")
            yield Sheet(sheet.get("name", f"Sheet{i + 1}"), relation.target, relation.kind, hidden, titles.get(i))

    def properties(self) -> tuple[str, str]:
        """Title and version label of the document's own properties, "" where it has none."""
        title = label = ""
        for part in self.related("", "core-properties"):
            root = self.xml(part)
            for element in () if root is None else root.iterchildren():
                name = str(element.tag).rpartition("}")[2]
                text = " ".join((element.text or "").split())
                title = text if name == "title" else title
                label = text if name == "version" else label
        return title, self._custom_version() or label

    def _custom_version(self) -> str:
        for part in self.related("", "custom-properties"):
            root = self.xml(part)
            for element in () if root is None else root.iterchildren():
                if element.get("name", "").strip().lower() in _FIELDS:
                    return " ".join("".join(map(str, element.itertext())).split())
        return ""


def _since_1904(root: Element) -> bool:
    return any(p.get("date1904", "0").lower() in ("1", "true", "on") for p in root.iter("{*}workbookPr"))


def _print_titles(root: Element) -> Iterator[tuple[int, tuple[int, int]]]:
    """By the sheet's number: the rows its author has printed on every page, that is its header."""
    for name in root.iter("{*}definedName"):
        number = name.get("localSheetId", "")
        if name.get("name") == "_xlnm.Print_Titles" and number.isdecimal():
            found = _TITLES.search((name.text or "")[:500])
            if found and len(found[0]) < 20 and int(found[2]) - int(found[1]) < 10:
                yield int(number), (int(found[1]), int(found[2]))


def _relations(root: Element, folder: str) -> Iterator[tuple[str, Relation]]:
    for element in root.iter("{*}Relationship"):
        kind = element.get("Type", "").rstrip("/").rpartition("/")[2]
        target = element.get("Target", "")
        if element.get("TargetMode", "").lower() != "external":
            target = unquote(target.replace("\\", "/").partition("#")[0])
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        yield element.get("Id", ""), Relation(kind, target)
