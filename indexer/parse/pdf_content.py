"""A content stream, reduced to the operations that decide its text.

pypdf reads content streams byte by byte, which was two thirds of the time of a page
(GeoTopo, 117 pages: 4.1 of 6.4 s), and gives up on a page at the first broken operand. Here
one regular expression finds the tokens, damage costs the damaged token only, and paths,
colours and inline image data never become objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

Operand = float | bytes | str | list["Operand"] | dict[str, "Operand"]

SHOWS = frozenset({b"Tj", b"TJ", b"'", b'"'})
PAINTS = frozenset({b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"S", b"s", b"sh"})
KEPT = frozenset(b"q Q cm BT ET Tf Td TD Tm T* Tc Tw Tz TL Tr Do BI BDC BMC EMC".split()) | SHOWS | PAINTS
# Deeper nesting than any producer writes; what lies deeper is kept flat.
MAX_DEPTH = 32
# Operators take at most six operands; a stack of thousands is damage or an attack.
MAX_OPERANDS = 64
# Each search for the end of a string that has none reads the rest of the stream.
MAX_UNCLOSED = 8

_TOKEN = re.compile(
    rb"""(?P<number>[-+]{0,4}+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)[-0-9.]*+)
    |(?P<operator>[A-Za-z'"][A-Za-z0-9*'"]*+)
    |/(?P<name>[^\x00\t\n\x0c\r\ ()<>\[\]{}/%]*+)
    |\((?P<string>(?:[^()\\]++|\\.|\((?:[^()\\]++|\\.|\((?:[^()\\]++|\\.)*+\))*+\))*+)\)
    |<(?P<hex>[0-9A-Fa-f\x00\t\n\x0c\r\ ]*+)>
    |(?P<mark><<|>>|[\[\]])
    |%[^\r\n]*+
    |(?P<open>\()""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(rb"[0-9]*\.?[0-9]*")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|\r\n|.)|\r\n?", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"", b"\r\n": b""}
_NAME_CODE = re.compile(rb"#([0-9A-Fa-f]{2})")
_NOT_HEX = re.compile(rb"[^0-9A-Fa-f]")
_PARENTHESIS = re.compile(rb"\\.|[()]", re.DOTALL)
_IMAGE_DATA = re.compile(rb"\bID[\x00\t\n\x0c\r ]")
_IMAGE_KEY = re.compile(rb"/(W|H|BPC)(?:idth|eight)?\s*(\d{1,6})\b")
_MASK = re.compile(rb"/(?:IM|ImageMask)\s*true")
_COLOURS = re.compile(rb"/(?:CS|ColorSpace)\s*/(\w+)")
# "EI" may occur in image data: it ends the image only where text follows it.
_IMAGE_END = re.compile(rb"[\x00\t\n\x0c\r ]EI(?=[\x00\t\n\x0c\r ][\t\n\r -~]{0,8}(?:[\t\n\r -~]|\Z)|\Z)")


class Operation(NamedTuple):
    """An operator and the operands before it."""

    operator: bytes
    operands: list[Operand]


def operations(data: bytes) -> Iterator[Operation]:
    """The kept operations in order. Never raises: what makes no sense is passed over."""
    stack = _Operands()
    for kind, raw in _tokens(data):
        if kind == "operator":
            if raw in SHOWS or (raw in KEPT and not stack.in_array):
                yield Operation(raw, stack.take())
            elif stack.inside:
                if not stack.in_array:  # "[(a) 0 Tc (b)] TJ" is written, and means one array
                    stack.push("name", raw)  # true, false or null: it holds the place of a value
            else:
                stack.clear()
        else:
            stack.push(kind, raw)


def _tokens(data: bytes) -> Iterator[tuple[str, bytes]]:
    position, end, unclosed = 0, len(data), 0
    while position < end and unclosed < MAX_UNCLOSED:
        jump = end
        for match in _TOKEN.finditer(data, position):
            kind = match.lastgroup
            if kind is None:
                continue
            raw = match[kind]
            if kind == "open":
                raw, jump = _deep_string(data, match.end())
                unclosed += jump == match.end()
                yield "string", raw
                break
            yield kind, raw
            if raw == b"BI" and kind == "operator":
                jump = _after_image(data, match.end())
                break
        position = jump


def _deep_string(data: bytes, start: int) -> tuple[bytes, int]:
    """A literal string with deeply nested parentheses, or one that is never closed."""
    depth = 1
    for match in _PARENTHESIS.finditer(data, start):
        depth += (match[0] == b"(") - (match[0] == b")")
        if depth == 0:
            return data[start : match.start()], match.end()
    return b"", start


def _after_image(data: bytes, start: int) -> int:
    """The position after the inline image whose dictionary starts here."""
    begin = _IMAGE_DATA.search(data, start, start + 4096)
    if begin is None:
        return start
    plain = begin.end() + _plain_length(data[start : begin.start()])
    if plain > begin.end() and data[plain : plain + 4].strip().startswith(b"EI"):
        return data.index(b"EI", plain) + 2
    end = _IMAGE_END.search(data, begin.end() - 1)
    return end.end() if end else len(data)


def _plain_length(dictionary: bytes) -> int:
    """The length in bytes of image data that no filter packs; 0 if that is not known."""
    if b"/F" in dictionary:
        return 0
    values = dict(_IMAGE_KEY.findall(dictionary))
    width, height = int(values.get(b"W", 0)), int(values.get(b"H", 0))
    bits = 1 if _MASK.search(dictionary) else int(values.get(b"BPC", 0))
    colours = {b"RGB": 3, b"DeviceRGB": 3, b"CMYK": 4, b"DeviceCMYK": 4}
    space = _COLOURS.search(dictionary)
    return (width * bits * colours.get(space[1] if space else b"", 1) + 7) // 8 * height


class _Operands:
    """The operand stack, with arrays and dictionaries under construction."""

    def __init__(self) -> None:
        self._open: list[list[Operand]] = [[]]
        self._arrays = [False]

    @property
    def in_array(self) -> bool:
        """Whether an array is being built, not in a dictionary."""
        return self.inside and self._arrays[-1]

    @property
    def inside(self) -> bool:
        """Whether a dictionary or an array is open."""
        return len(self._open) > 1

    def clear(self) -> None:
        """Forgets everything."""
        self._open, self._arrays = [[]], [False]

    def take(self) -> list[Operand]:
        """The operands, and starts anew; a bracket that was never closed ends here."""
        while self.inside:
            self._bracket(b"]")
        taken = self._open[0]
        self.clear()
        return taken

    def push(self, kind: str, raw: bytes) -> None:
        """Adds one operand or opens or closes a bracket."""
        if kind == "mark":
            self._bracket(raw)
        elif len(self._open[-1]) < MAX_OPERANDS or self.inside:
            self._open[-1].append(_VALUES[kind](raw))  # type: ignore[arg-type]  # one converter a kind

    def _bracket(self, raw: bytes) -> None:
        if raw in (b"[", b"<<"):
            if len(self._open) < MAX_DEPTH:
                self._open.append([])
                self._arrays.append(raw == b"[")
        elif self.inside:
            closed = self._open.pop()
            self._arrays.pop()
            self._open[-1].append(closed if raw == b"]" else _dictionary(closed))


def _dictionary(items: list[Operand]) -> dict[str, Operand]:
    return {key: value for key, value in zip(items[::2], items[1::2], strict=False) if isinstance(key, str)}


def _number(raw: bytes) -> float:
    try:
        return float(raw)
    except ValueError:  # "--5", "1.2.3", "12-34": what viewers make of them
        digits = _NUMBER.match(raw.lstrip(b"+-"))
        value = float(digits[0]) if digits and digits[0].strip(b".") else 0.0
        return -value if raw.startswith(b"-") else value


def _name(raw: bytes) -> str:
    if b"#" in raw:
        raw = _NAME_CODE.sub(lambda m: bytes((int(m[1], 16),)), raw)
    return "/" + raw.decode("latin-1")


def _string(raw: bytes) -> bytes:
    return _ESCAPE.sub(_unescape, raw) if b"\\" in raw or b"\r" in raw else raw


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if code is None:
        return b"\n"
    if code[0] in b"01234567":
        return bytes((int(code, 8) & 255,))
    return _ESCAPES.get(code, code)


def _hex(raw: bytes) -> bytes:
    digits = _NOT_HEX.sub(b"", raw)
    return bytes.fromhex((digits + b"0" if len(digits) % 2 else digits).decode("ascii"))


_VALUES = {"number": _number, "name": _name, "string": _string, "hex": _hex}
