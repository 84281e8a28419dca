"""Which pages pdfium may read: those it is known to read right, within bounds.

pdfium is ten times faster than our own reader and knows where each character stands, but some
fonts it misreads without a word (see docs/dependencies.md), it shows hidden layers, and it has
no bounds against forms that multiply. Such pages, damaged ones and those with fields go to our own reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .pdf_annots import visible
from .pdf_cids import COLLECTIONS
from .pdf_fonts import CODECS, ordering
from .pdf_objects import as_dict, as_list, entry
from .pdf_page import is_whole

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject, StreamObject

MAX_CONTENT_BYTES = 16 << 20
MAX_DRAWS = 2_000
MAX_DEPTH = 12

_DRAWN = re.compile(rb"/([^\x00\t\n\x0c\r ()<>\[\]{}/%]+)[\x00\t\n\x0c\r ]+Do\b")
# Replaced text of more than a character: pdfium sees gaps in it that are none.
_INSTEAD = re.compile(rb"/ActualText[\x00\t\n\x0c\r ]*(?:<(?:FEFF|feff)?[0-9A-Fa-f]{6,}|\([^)]{5,})")
_NOT_KNOWN_TO_PDFIUM = frozenset({"GBK2K", "KSC-Johab"})


class Surveyor:
    """Judges pages; what it learnt of fonts and forms is kept for the whole file."""

    def __init__(self) -> None:
        self._fonts: dict[int, bool] = {}
        self._forms: dict[int, tuple[int, int]] = {}  # draws and bytes of a form, 0 draws: not for pdfium

    def plain(self, page: DictionaryObject, content: bytes) -> bool:
        """Whether pdfium reads the page right."""
        if next(visible(page), None) is not None or _INSTEAD.search(content):
            return False
        draws, size = self._cost(content, as_dict(page.get_inherited("/Resources")), 0)
        return 0 < draws <= MAX_DRAWS and size <= MAX_CONTENT_BYTES

    def _cost(self, content: bytes, resources: Mapping[str, Any], depth: int) -> tuple[int, int]:
        """How often content draws forms, itself counted, and the bytes of it all; 0 draws: not for pdfium."""
        if depth > MAX_DEPTH or not all(self._readable(raw) for raw in _raw_values(as_dict(resources.get("/Font")))):
            return 0, 0
        drawn = as_dict(resources.get("/XObject"))
        draws, size = 1, len(content)
        for name in _DRAWN.findall(content):
            form = entry(drawn, "/" + name.decode("latin-1"))
            if form is None or entry(form, "/Subtype") != "/Form":
                continue
            below, more = self._form(form, resources, depth)
            if below == 0 or draws + below > MAX_DRAWS or size + more > MAX_CONTENT_BYTES:
                return 0, 0
            draws, size = draws + below, size + more
        return draws, size

    def _form(self, form: StreamObject, resources: Mapping[str, Any], depth: int) -> tuple[int, int]:
        key = form.indirect_reference.idnum if form.indirect_reference else id(form)
        if key not in self._forms:
            self._forms[key] = (0, 0)  # a form inside itself
            if is_whole(form):
                own = as_dict(form.get("/Resources")) or resources
                self._forms[key] = self._cost(form.get_data(), own, depth + 1)
        return self._forms[key]

    def _readable(self, raw: object) -> bool:
        key = getattr(raw, "idnum", None) or id(raw)
        if key not in self._fonts:
            self._fonts[key] = known_to_pdfium(as_dict(raw))
        return self._fonts[key]


def _raw_values(dictionary: DictionaryObject) -> list[object]:
    return [dictionary.raw_get(key) for key in dictionary]


def known_to_pdfium(font: DictionaryObject) -> bool:
    """Whether pdfium knows what a font's codes mean, or says that it does not."""
    from pypdf.generic import StreamObject

    stated = entry(font, "/ToUnicode")
    has_map = isinstance(stated, StreamObject) and is_whole(stated) and b"usecmap" not in stated.get_data()
    if entry(font, "/Subtype") != "/Type0":
        if entry(font, "/Subtype") == "/TrueType" and not has_map:
            return "/Encoding" in font or not _embedded(font)
        return has_map or (stated is None and _whole_program(font))
    encoding = entry(font, "/Encoding")
    descendants = as_list(font.get("/DescendantFonts"))
    embedded = bool(descendants) and _embedded(as_dict(descendants[0]))
    if str(encoding).endswith("V") and not embedded:
        return False  # without a glyph at hand pdfium takes vertical text for nothing
    if has_map:
        return True
    return stated is None and isinstance(encoding, str) and _predefined(str(encoding).lstrip("/"), ordering(font))


def _whole_program(font: DictionaryObject) -> bool:
    """Whether a Type 1 font's file, if it brings one, states the lengths without which nobody reads it."""
    program = entry(as_dict(font.get("/FontDescriptor")), "/FontFile")
    return program is None or isinstance(entry(as_dict(program), "/Length2"), int)


def _predefined(encoding: str, collection: str) -> bool:
    family = re.sub(r"-?[HV]$", "", encoding)
    if family == "Identity":
        return collection in COLLECTIONS
    return (family in CODECS and family not in _NOT_KNOWN_TO_PDFIUM) or "UCS2" in family or "UTF16" in family


def _embedded(font: DictionaryObject) -> bool:
    return any(key.startswith("/FontFile") for key in as_dict(font.get("/FontDescriptor")))
