"""The OPC package of a document: parts found by their relations, damage told from absence.

python-docx opens a package only when every relation has its part, the main part has one of
its content types and the namespaces are transitional. Real files break each of these and
Word reads them all the same, so the relations are followed here, leniently.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from indexer.core.errors import ParseRefused
from indexer.core.model import Message
from indexer.core.tables import ParseLimits

from .archive import Archive, open_zip, parse_xml
from .docx_xml import REL, W
from .sniff import identify, refusal

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

STRICT = b"http://purl.oclc.org/ooxml/"
# Strict namespaces are the transitional ones under another root and without the year.
_STRICT_NAME = re.compile(
    rb"""(["'])http://purl\.oclc\.org/ooxml/(drawingml|officeDocument|wordprocessingml|presentationml|schemaLibrary)/([A-Za-z/]+)(?=["'])"""
)
_TRANSITIONAL = rb"\1http://schemas.openxmlformats.org/\2/2006/\3"
_OTHER_ROOTS = {"workbook": "Excel workbook (.xlsx)", "presentation": "PowerPoint presentation (.pptx)"}


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation of a part. ``kind`` is the last word of its type; ``target`` a part name or an address."""

    kind: str
    target: str
    external: bool


class Package:
    """The parts of one .docx. ``damaged`` collects the names of parts that could not be read."""

    MAIN_NAME = re.compile(r"(?i)^word/document\d*\.xml$")

    def __init__(self, data: bytes, limits: ParseLimits) -> None:
        if data[:2] != b"PK" and (kind := identify(data, binary=True)) is not None:
            raise refusal(kind)
        self.archive: Archive = open_zip(data, limits)
        self.damaged: list[str] = []
        self._names = {_key(name): name for name in self.archive.names()}
        self._relations: dict[str, dict[str, Relation]] = {}
        self.main = self._find_main()

    def relations(self, part: str) -> dict[str, Relation]:
        """The relations of a part by their id; ``""`` is the package itself."""
        if part not in self._relations:
            folder, _, name = part.rpartition("/")
            root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
            self._relations[part] = {} if root is None else dict(_read_relations(root, folder))
        return self._relations[part]

    def related(self, part: str, kind: str) -> str | None:
        """The name of the first part that ``part`` refers to by this kind of relation."""
        for relation in self.relations(part).values():
            if relation.kind == kind and not relation.external:
                return relation.target
        return None

    def bytes(self, name: str) -> bytes | None:
        """The content of a part; None when it is missing or damaged."""
        real = self._names.get(_key(name))
        if real is None:
            return None
        try:
            return self.archive.read(real)
        except ParseRefused as refused:
            self._note_damage(name, refused)
            return None

    def xml(self, name: str | None) -> Element | None:
        """The root element of a part; None when it is missing or damaged."""
        data = self.bytes(name) if name else None
        if data is None or name is None:
            return None
        try:
            return parse_xml(_transitional(data))
        except ParseRefused as refused:
            self._note_damage(name, refused)
            return None

    def document(self) -> tuple[Element, Message | None]:
        """The root of a Word document's main part, and a note when its XML had to be mended."""
        root, note = self.main_root()
        if root.tag != W + "document":
            raise _wrong_root(root)
        return root, note

    def main_root(self) -> tuple[Element, Message | None]:
        """The root of the main part, whatever it is, and a note when its XML had to be mended."""
        data = self.archive.read(self._names[_key(self.main)])
        note = None
        try:
            root = parse_xml(_transitional(data))
        except ParseRefused as refused:
            if refused.__cause__ is None:
                raise
            if str(refused.__cause__).startswith("unknown error"):
                raise MemoryError from refused  # what libxml2 says when it gets no more memory
            mended = recover(_transitional(data))
            if mended is None:
                raise
            root = mended
            note = Message("The file is damaged: text after the damage may be missing. Restore it from a good copy")
        return root, note

    def not_this_kind(self) -> ParseRefused:
        """The reason for a zip file that is no package of this kind."""
        return ParseRefused("The file is a zip archive, not a Word document; unpack it or exclude it")

    def _note_damage(self, name: str, refused: ParseRefused) -> None:
        # Damage has a cause (the library's error); a limit or a trick has none and ends the file.
        if refused.__cause__ is None:
            raise refused
        self.damaged.append(name)

    def _find_main(self) -> str:
        target = self.related("", "officeDocument")
        if target is not None and _key(target) in self._names:
            return target
        for name in self.archive.names():
            if self.MAIN_NAME.match(name):
                return name
        if _key("[Content_Types].xml") in self._names or target is not None:
            raise ParseRefused("The file has no document part: it is incomplete. Restore it from a good copy")
        raise self.not_this_kind()


def _key(name: str) -> str:
    return name.lstrip("/").lower()


def _read_relations(root: Element, folder: str) -> list[tuple[str, Relation]]:
    found = []
    for element in root.iter(REL + "Relationship"):
        kind = element.get("Type", "").rstrip("/").rpartition("/")[2]
        target = element.get("Target", "")
        external = element.get("TargetMode", "").lower() == "external"
        if not external:
            target = unquote(target.replace("\\", "/").partition("#")[0])
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        found.append((element.get("Id", ""), Relation(kind, target, external)))
    return found


def _transitional(data: bytes) -> bytes:
    """Strict OOXML under its transitional names, so that everything after knows one vocabulary."""
    if STRICT not in data:
        return data
    return _STRICT_NAME.sub(_TRANSITIONAL, data)


def recover(data: bytes) -> Element | None:
    """What libxml2 can save of malformed XML; entities stay closed as in `parse_xml`."""
    from lxml import etree

    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        return None
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _wrong_root(root: Element) -> ParseRefused:
    local = root.tag.rpartition("}")[2]
    kind = _OTHER_ROOTS.get(local, f"file with the root element {local[:40]}")
    return ParseRefused("The file is in fact a {kind}, not a Word document; rename it, or save it as .docx", kind=kind)
