"""The package of an OpenDocument file: its parts, whether it is encrypted, what its properties say."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message
from indexer.core.tables import ParseLimits

from .archive import open_zip, parse_xml
from .docx_package import recover
from .office_properties import is_version, real_title, version_text
from .sniff import identify, refusal

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, TEXT, TABLE, DRAW, STYLE, META, MANIFEST, PRESENTATION, SVG, CHART, FO = (
    f"{{{_OPEN}{name}:1.0}}"
    for name in (
        *("office", "text", "table", "drawing", "style", "meta", "manifest", "presentation", "svg-compatible"),
        *("chart", "xsl-fo-compatible"),
    )
)
XLINK = "{http://www.w3.org/1999/xlink}"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
LO_EXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
MATH = "{http://www.w3.org/1998/Math/MathML}"
_ENCRYPTED = re.compile(rb"<(?:\w+:)?encryption-data\b|<(?:\w+:)?encrypted-key\b")
# A document type without entities of its own, as OpenOffice wrote it before formulas: harmless, but never followed.
_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[<>]{0,400}>")


class Package:
    """The parts of one file; ``damaged`` collects the names of those that could not be read."""

    def __init__(self, data: bytes, limits: ParseLimits) -> None:
        if data[:2] != b"PK" and (kind := identify(data, binary=True)) is not None:
            raise refusal(kind)
        self._archive = open_zip(data, limits)
        self.damaged: list[str] = []
        self.mended: Message | None = None
        manifest = self._bytes("META-INF/manifest.xml")
        if (manifest and _ENCRYPTED.search(manifest)) or "encrypted-package" in self._archive:
            raise ParseRefused("The file is protected by a password; save it without one")
        if "content.xml" not in self._archive:
            raise ParseRefused("The file has no document part: it is incomplete. Restore it from a good copy")

    def content(self) -> Element:
        """The root of the document itself. Raises ParseRefused when nothing of it can be read."""
        data = _without_doctype(self._archive.read("content.xml"))
        try:
            return parse_xml(data)
        except ParseRefused as refused:
            mended = recover(data) if refused.__cause__ is not None else None
            if mended is None:
                raise
        self.mended = Message("The file is damaged: text after the damage may be missing. Restore it from a good copy")
        return mended

    def xml(self, name: str) -> Element | None:
        """The root of another part; None when it is missing or damaged."""
        data = self._bytes(name)
        if data is None:
            return None
        try:
            return parse_xml(_without_doctype(data))
        except ParseRefused as refused:
            self._note_damage(name, refused)
            return None

    def object(self, reference: str) -> Element | None:
        """The content of an object in the package (``./Object 1``)."""
        name = posixpath.normpath(reference.removeprefix("./"))
        return None if name.startswith("..") or ":" in name else self.xml(f"{name}/content.xml")

    def properties(self) -> tuple[str, str]:
        """Title and version label as the properties state them; "" for none."""
        root = self.xml("meta.xml")
        meta = None if root is None else root.find(OFFICE + "meta")
        if meta is None:
            return "", ""
        own = (
            version_text("".join(str(t) for t in field.itertext()))
            for field in meta.iter(META + "user-defined")
            if is_version(field.get(META + "name", ""))
        )
        return real_title(meta.findtext(_DUBLIN_CORE + "title") or ""), next(filter(None, own), "")

    def _bytes(self, name: str) -> bytes | None:
        if name not in self._archive:
            return None
        try:
            return self._archive.read(name)
        except ParseRefused as refused:
            self._note_damage(name, refused)
            return None

    def _note_damage(self, name: str, refused: ParseRefused) -> None:
        # Damage has a cause (the library's error); a limit or a trick has none and ends the file.
        if refused.__cause__ is None:
            raise refused
        self.damaged.append(name)


def _without_doctype(data: bytes) -> bytes:
    head = _DOCTYPE.sub(b"", data[:2000], count=1)
    return head + data[2000:] if len(head) < min(len(data), 2000) else data
