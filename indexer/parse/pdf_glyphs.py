"""Glyph names of simple fonts that pypdf would put into the text as they stand ("/g23").

The rules are those of the Adobe Glyph List: drop the suffix after a dot, split ligatures at
underscores, read uniXXXX and uXXXXXX. A name that only counts ("/G41", "/c65") has a meaning
where every such name of the font agrees with its own code; else the code has none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .pdf_objects import entry

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject

_UNI = re.compile(r"uni((?:[0-9A-F]{4})+)$")
_U = re.compile(r"u([0-9A-F]{4,6})$")
_COUNTED = re.compile(r"([A-Za-z]{1,5})([0-9]{1,3}|[0-9A-Fa-f]{2})$")
_HEADER = b"/CIDInit /ProcSet findresource begin begincmap\n1 begincodespacerange\n<00> <ff>\nendcodespacerange\n"


def with_glyph_names(font: DictionaryObject) -> DictionaryObject:
    """The font, with a /ToUnicode map for glyph names that are not in the Adobe Glyph List."""
    from pypdf._codecs import adobe_glyphs
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, StreamObject

    names = _differences(font)
    odd = {code: name for code, name in names.items() if f"/{name}" not in adobe_glyphs}
    if not odd or isinstance(entry(font, "/ToUnicode"), StreamObject):
        return font
    counted = _counts_its_codes(odd)
    lines = []
    for code, name in odd.items():
        text = _meaning(name, adobe_glyphs) or (bytes((code,)).decode("cp1252", "replace") if counted else "\ufffd")
        lines.append(b"<%02x> <%s>" % (code, text.encode("utf-16-be", "surrogatepass").hex().encode()))
    cmap = DecodedStreamObject()
    cmap.set_data(_HEADER + b"%d beginbfchar\n%s\nendbfchar\nendcmap end" % (len(lines), b"\n".join(lines)))
    copy = DictionaryObject(font)
    copy[NameObject("/ToUnicode")] = cmap
    return copy


def _differences(font: DictionaryObject) -> dict[int, str]:
    """Code to glyph name of the font's own /Differences."""
    from pypdf.generic import ArrayObject, DictionaryObject

    encoding = entry(font, "/Encoding")
    listed = entry(encoding, "/Differences") if isinstance(encoding, DictionaryObject) else None
    names: dict[int, str] = {}
    code = 0
    for item in listed if isinstance(listed, ArrayObject) else ():
        item = item.get_object()
        if isinstance(item, str):
            if 0 <= code <= 255:
                names[code] = item.lstrip("/")
            code += 1
        elif isinstance(item, int | float):
            code = int(item)
    return names


def _meaning(name: str, known: dict[str, str]) -> str:
    if name == ".notdef":
        return " "
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


def _counts_its_codes(names: dict[int, str]) -> bool:
    """Whether each name is letters and the number of its own code, decimal or hexadecimal."""
    matches = [(code, _COUNTED.match(name)) for code, name in names.items() if name != ".notdef"]
    if not matches or any(match is None for _, match in matches):
        return False
    numbers = [(code, match[2]) for code, match in matches if match]
    decimal = all(number.isdecimal() and int(number) == code for code, number in numbers)
    return decimal or all(int(number, 16) == code for code, number in numbers)
