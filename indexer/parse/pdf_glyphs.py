"""Glyph names of simple fonts, where pypdf puts them into the text or believes the wrong table.

The rules are those of the Adobe Glyph List: drop the suffix after a dot, split ligatures at
underscores, read uniXXXX and uXXXXXX. The font's own /Differences come before the encoding
inside the font file. A name that only counts ("/G41", "/c65") has a meaning where the count
is a character code; else the code has none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .pdf_cmap import to_unicode
from .pdf_objects import as_dict, entry

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject

UNREADABLE = "\ufffd"
# Such a share of a font's counting names must be letters before they are taken for codes.
MIN_LETTERS = 0.6

_UNI = re.compile(r"uni((?:[0-9A-F]{4})+)$")
_U = re.compile(r"u([0-9A-F]{4,6})$")
_COUNTED = re.compile(r"[A-Za-z]{1,5}?([0-9]{1,3}|[0-9A-Fa-f]{2})$")
_CODED = re.compile(r"(?:G([0-9A-F]{2})|[Cc]([0-9]{2,3}))$")
_BUILT_IN = re.compile(rb"dup\s+(\d{1,3})\s*/([^\s/]+)\s+put")
_HEADER = b"/CIDInit /ProcSet findresource begin begincmap\n1 begincodespacerange\n<00> <ff>\nendcodespacerange\n"


def with_glyph_names(font: DictionaryObject) -> DictionaryObject:
    """The font, with a /ToUnicode map that says what its glyph names mean; itself if pypdf knows."""
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, StreamObject

    stream = entry(font, "/ToUnicode")
    stated = to_unicode(stream.get_data()) if isinstance(stream, StreamObject) else {}
    names = _built_in(font) | _differences(font)
    meanings = _meanings({code: name for code, name in names.items() if code not in stated})
    if not meanings and not (_has_program(font) and "/Encoding" in font and not stated):
        return font
    lines = [
        b"<%02x> <%s>" % (code, text.encode("utf-16-be", "surrogatepass").hex().encode())
        for code, text in sorted((meanings | {c: t for c, t in stated.items() if 0 <= c <= 255}).items())
    ]
    body = b"%d beginbfchar\n%s\nendbfchar\n" % (len(lines), b"\n".join(lines)) if lines else b""
    cmap = DecodedStreamObject()
    cmap.set_data(_HEADER + body + b"endcmap end")
    copy = DictionaryObject(font)
    copy[NameObject("/ToUnicode")] = cmap
    return copy


def _has_program(font: DictionaryObject) -> bool:
    """Whether a Type 1 font brings a file whose encoding pypdf would put before the font's own."""
    descriptor = as_dict(font.get("/FontDescriptor"))
    return entry(font, "/Subtype") in ("/Type1", "/MMType1") and (
        "/FontFile" in descriptor or "/FontFile3" in descriptor
    )


def _built_in(font: DictionaryObject) -> dict[int, str]:
    """The encoding inside the font file, where the font's own is stated as a change of it."""
    encoding = as_dict(font.get("/Encoding"))
    if not _has_program(font) or not encoding or "/BaseEncoding" in encoding:
        return {}
    descriptor = as_dict(font.get("/FontDescriptor"))
    program = entry(descriptor, "/FontFile")
    if program is not None:
        clear = program.get_data().partition(b"eexec")[0]
        return {int(code): name.decode("latin-1") for code, name in _BUILT_IN.findall(clear) if int(code) < 256}
    return _compact(entry(descriptor, "/FontFile3").get_data())


def _compact(data: bytes) -> dict[int, str]:
    """The encoding of a compact (CFF) font program; empty if it is a standard one or unreadable."""
    from io import BytesIO

    try:
        from fontTools.cffLib import CFFFontSet  # type: ignore[import-untyped]  # ships no types

        fonts = CFFFontSet()
        fonts.decompile(BytesIO(data), None)
        encoding = fonts.topDictIndex[0].Encoding
    except MemoryError:
        raise
    except Exception:  # a broken program, or fontTools is absent: the font's own names remain
        return {}
    listed = enumerate(encoding[:256]) if isinstance(encoding, list) else ()
    return {code: name for code, name in listed if name and name != ".notdef"}


def _differences(font: DictionaryObject) -> dict[int, str]:
    """Code to glyph name of the font's own /Differences."""
    names: dict[int, str] = {}
    code = 0
    listed = entry(as_dict(font.get("/Encoding")), "/Differences")
    for item in listed if isinstance(listed, list) else ():
        item = item.get_object()
        if isinstance(item, str):
            if 0 <= code <= 255:
                names[code] = item.lstrip("/")
            code += 1
        elif isinstance(item, int | float):
            code = int(item)
    return names


def _meanings(names: dict[int, str]) -> dict[int, str]:
    from pypdf._codecs import adobe_glyphs

    nothing = {code: " " if code == 32 else "" for code, name in names.items() if name == ".notdef"}
    meanings = {code: _meaning(name, adobe_glyphs) for code, name in names.items() if code not in nothing}
    odd = {code: names[code] for code, text in meanings.items() if not text}
    coded = _coded(odd)
    return meanings | nothing | {code: coded.get(code, UNREADABLE) for code in odd}


def _meaning(name: str, known: dict[str, str]) -> str:
    parts = [_component(part, known) for part in name.partition(".")[0].split("_")]
    return "".join(parts) if all(parts) else ""


def _component(part: str, known: dict[str, str]) -> str:
    if f"/{part}" in known:
        return known[f"/{part}"]
    if len(part) > 2 and f"/{part.lower()}" in known:  # "/Bullet", "/SPACE"
        return known[f"/{part.lower()}"]
    units = _UNI.match(part)
    if units:
        return bytes.fromhex(units[1]).decode("utf-16-be", "replace")
    point = _U.match(part)
    return chr(int(point[1], 16)) if point and int(point[1], 16) < 0x110000 else ""


def _coded(names: dict[int, str]) -> dict[int, str]:
    """Counting names that are character codes: equal to their own code, or letters for the most part."""
    if names and all(_counts(name, code) for code, name in names.items()):
        return {code: _latin(code) for code in names}
    coded = {code: match for code, name in names.items() if (match := _CODED.match(name))}
    texts = {code: _latin(int(match[1], 16) if match[1] else int(match[2])) for code, match in coded.items()}
    letters = sum(text.isalpha() for text in texts.values())
    plausible = texts and len(coded) == len(names) and letters >= MIN_LETTERS * len(texts)
    return texts if plausible and all(text.isprintable() for text in texts.values()) else {}


def _counts(name: str, code: int) -> bool:
    """Whether the name is letters and its own code, decimal or hexadecimal ("/c65", "/C2c")."""
    match = _COUNTED.match(name)
    return match is not None and (match[1] == str(code) or match[1].lower() == f"{code:02x}")


def _latin(code: int) -> str:
    return bytes((code & 0xFF,)).decode("cp1252", "replace")
