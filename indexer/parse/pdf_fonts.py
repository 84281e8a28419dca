"""What the codes of a font mean, where pypdf does not know or guesses.

pypdf reads codes by /ToUnicode, by simple encodings and by a few predefined CMaps, and takes
the rest for UTF-16: the glyph numbers of a subset font become random letters. A `Typeface`
says how such codes are read here; U+FFFD stands for a code without any meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .pdf_cids import COLLECTIONS, cid_decoder
from .pdf_cmap import CodeMap, read_cmap, to_unicode
from .pdf_glyphs import with_glyph_names
from .pdf_objects import as_dict, as_list, entry

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject

Decoder = Callable[[bytes], str]
UNREADABLE = "\ufffd"
MAX_FACES = 512

# Predefined CMaps (ISO 32000-2, table 116) without their -H or -V, and the codec that has
# the same codes. UCS2 and UTF16 maps are read by pypdf.
CODECS: Mapping[str, str] = {
    "GB-EUC": "gbk",
    "GBpc-EUC": "gbk",
    "GBK-EUC": "gbk",
    "GBKp-EUC": "gbk",
    "GBK2K": "gb18030",
    "B5pc": "cp950",
    "ETen-B5": "cp950",
    "ETenms-B5": "cp950",
    "HKscs-B5": "big5hkscs",
    "83pv-RKSJ": "cp932",
    "90ms-RKSJ": "cp932",
    "90msp-RKSJ": "cp932",
    "90pv-RKSJ": "cp932",
    "Add-RKSJ": "cp932",
    "Ext-RKSJ": "cp932",
    "RKSJ": "cp932",
    "EUC": "euc_jp",
    "KSC-EUC": "euc_kr",
    "KSCpc-EUC": "euc_kr",
    "KSCms-UHC": "cp949",
    "KSCms-UHC-HW": "cp949",
    "KSC-Johab": "johab",
}
# Seven-bit pairs: the EUC code less 0x8080.
SEVEN_BIT: Mapping[str, str] = {"": "euc_jp", "Add": "euc_jp", "Ext": "euc_jp", "GB": "gb2312", "KSC": "euc_kr"}
UNICODE_WIDE: Mapping[str, str] = {"UTF8": "utf-8", "UTF32": "utf-32-be"}


@dataclass(frozen=True, slots=True)
class Typeface:
    """A font of the file: its name for one parse, what pypdf reads, or how to read it instead.

    ``doubtful``: nothing but the font program says what the codes show, so they may be anything.
    """

    name: str
    resource: DictionaryObject
    decode: Decoder | None = None
    doubtful: bool = False


class FontShelf:
    """Every font of a file, examined once however many pages use it."""

    def __init__(self) -> None:
        self._faces: dict[object, Typeface] = {}
        self._made = 0

    def face(self, fonts: Mapping[str, object], name: str) -> Typeface:
        """The typeface of a resource name; the standard one where the file has none."""
        from pypdf.generic import DictionaryObject

        raw = fonts.raw_get(name) if isinstance(fonts, DictionaryObject) and name in fonts else None
        key = (getattr(raw, "idnum", None) or id(raw), raw is None)
        face = self._faces.get(key)
        if face is None:
            resource = getattr(raw, "get_object", lambda: None)()
            if len(self._faces) >= MAX_FACES:
                self._faces.clear()
            self._made += 1
            face = self._faces[key] = _examined(f"/F{self._made}", resource)
        return face


def _examined(name: str, resource: object) -> Typeface:
    from pypdf.generic import DictionaryObject

    if not isinstance(resource, DictionaryObject):
        return Typeface(name, _standard())
    try:
        if entry(resource, "/Subtype") == "/Type0":
            return _composite(name, resource)
        font = with_glyph_names(resource)
        return Typeface(name, font, doubtful=not ({"/ToUnicode", "/Encoding"} & font.keys()) and _embedded(font))
    except MemoryError:
        raise
    except Exception:  # a font in ruins: its codes are read as viewers read an unknown font's
        return Typeface(name, _standard())


def _embedded(font: DictionaryObject) -> bool:
    return any(key.startswith("/FontFile") for key in as_dict(font.get("/FontDescriptor")))


def _standard() -> DictionaryObject:
    """What viewers take for a font that the page does not define."""
    from pypdf.generic import DictionaryObject, NameObject

    entries = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica", "/Encoding": "/WinAnsiEncoding"}
    return DictionaryObject({NameObject(key): NameObject(value) for key, value in entries.items()})


def _composite(name: str, font: DictionaryObject) -> Typeface:
    from pypdf.generic import DictionaryObject, NameObject, StreamObject

    encoding = entry(font, "/Encoding")
    own = read_cmap(encoding.get_data()) if isinstance(encoding, StreamObject) else None
    decode = predefined((own.base if own else str(encoding or "")).lstrip("/"))
    if decode is not None:
        return Typeface(name, font, decode)
    meaning = entry(font, "/ToUnicode")
    written = meaning.get_data() if isinstance(meaning, StreamObject) else b""
    stated = to_unicode(written)
    based = re.search(rb"/(Adobe-\w+-UCS2)\s+usecmap", written)
    if based or not stated:
        said = based[1].decode("ascii") if based else str(meaning)
        return Typeface(name, font, _by_collection(font, own, encoding, said.lstrip("/")))
    if own is None:
        return Typeface(name, font)
    if own.width != 2:
        return Typeface(name, font, lambda codes: "".join(stated.get(code, UNREADABLE) for code in own.split(codes)))
    copy = DictionaryObject(font)  # pypdf takes each byte of a CMap in the file for a character
    copy[NameObject("/Encoding")] = NameObject("/Identity-H")
    return Typeface(name, copy)


def _by_collection(font: DictionaryObject, own: CodeMap | None, encoding: object, said: str) -> Decoder | None:
    """How a composite font is read that has no map, or one that names another (``said``); None: as pypdf does."""
    if own is None and ("UCS2" in str(encoding) or "UTF16" in str(encoding)):
        return None
    if said.startswith("Identity"):
        return lambda codes: codes.decode("utf-16-be", "replace")  # the codes are Unicode
    by_cid = cid_decoder(said.removeprefix("Adobe-").removesuffix("-UCS2")) or cid_decoder(ordering(font))
    if own is None:
        return by_cid or _meaningless
    if by_cid is None:
        return lambda codes: UNREADABLE * len(own.split(codes))
    return lambda codes: by_cid(own.cids(codes))


def predefined(cmap: str) -> Decoder | None:
    """How the codes of a predefined CMap are read; None for Unicode maps and Identity."""
    if not re.search(r"(^|-)[HV]$|^(RKSJ|EUC)", cmap) or cmap.startswith("Identity"):
        return None
    family = re.sub(r"-?[HV]$", "", cmap)
    if family in CODECS:
        codec = CODECS[family]
        return lambda codes: codes.decode(codec, "replace")
    if family in SEVEN_BIT:
        codec = SEVEN_BIT[family]
        return lambda codes: bytes(c | 0x80 for c in codes).decode(codec, "replace")
    wide = UNICODE_WIDE.get(family.rpartition("-")[2])
    if family.startswith("Uni") and wide:
        return lambda codes: codes.decode(wide, "replace")
    return None


def ordering(font: DictionaryObject) -> str:
    """The character collection of a composite font, such as "GB1"; "" if it has no meaning."""
    descendants = as_list(font.get("/DescendantFonts"))
    ordering = entry(as_dict(as_dict(descendants[0]).get("/CIDSystemInfo")), "/Ordering") if descendants else None
    if isinstance(ordering, bytes):
        ordering = ordering.decode("latin-1")
    return str(ordering) if ordering in COLLECTIONS else ""


def _meaningless(codes: bytes) -> str:
    return UNREADABLE * ((len(codes) + 1) // 2)


class _Defined(dict[Any, Any]):
    """A character map that has no meaning for a code it does not list.

    pypdf takes the code itself for the character, so one unmapped glyph of a Chinese subset
    becomes a random letter of another script.
    """

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key, UNREADABLE if default == key else default)


class _Remembering:
    """Reads each font resource once, whatever state it is in."""

    def __init__(self, read: Callable[[DictionaryObject], Any]) -> None:
        self._read = read
        self._known: dict[int, tuple[object, Any]] = {}

    def font(self, resource: DictionaryObject) -> Any:
        """pypdf's font for a resource; the standard one for a resource in ruins."""
        if id(resource) not in self._known:
            if len(self._known) >= MAX_FACES:
                self._known.clear()
            self._known[id(resource)] = (resource, self._made(resource))  # kept, or its id may return
        return self._known[id(resource)][1]

    def _made(self, resource: DictionaryObject) -> Any:
        from pypdf.generic import StreamObject

        try:
            font = self._read(resource)
            if font.sub_type == "Type0" and isinstance(entry(resource, "/ToUnicode"), StreamObject):
                font.character_map = _Defined(font.character_map)
        except MemoryError:
            raise
        except Exception:  # one font must not cost the page
            return self._read(_standard())
        return font


@contextmanager
def fonts_read_once() -> Iterator[None]:
    """Within it pypdf reads each font once, not once a page (a quarter of a Chinese manual's time).

    This is the one place that reaches into pypdf: where its inside is different, all works as
    before, only slower.
    """
    from pypdf.generic import _font

    kept = vars(_font.Font).get("from_font_resource")
    if kept is None:
        yield
        return
    remembering = _Remembering(_font.Font.from_font_resource)
    _font.Font.from_font_resource = staticmethod(remembering.font)  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        _font.Font.from_font_resource = kept  # type: ignore[method-assign]
