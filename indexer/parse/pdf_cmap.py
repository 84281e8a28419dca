"""A CMap that stands inside the file: how long its codes are and which CIDs they name."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

# A CMap has at most 65,536 codes worth naming; more stretches than that is an attack.
MAX_STRETCHES = 65_536

_BLOCK = re.compile(rb"begin(codespacerange|cidrange|cidchar)(.*?)end(?:codespacerange|cidrange|cidchar)", re.DOTALL)
_BASE = re.compile(rb"/([A-Za-z0-9-]+)\s+usecmap")
_SPACE = re.compile(rb"<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]+)>")
_RANGE = re.compile(rb"<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]+)>\s*(\d{1,6})")
_CHAR = re.compile(rb"<([0-9A-Fa-f\s]+)>\s*(\d{1,6})")
_MEANINGS = re.compile(rb"begin(bfchar|bfrange|cidrange|cidchar)(.*?)end(?:bfchar|bfrange|cidrange|cidchar)", re.DOTALL)
_MEANING = re.compile(rb"<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]*)>")
_MEANING_RANGE = re.compile(rb"<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]+)>\s*(?:<([0-9A-Fa-f\s]*)>|\[([^\]]*)\]|(\d{1,6}))")
_TEXT = re.compile(rb"<([0-9A-Fa-f\s]*)>")


@dataclass(frozen=True, slots=True)
class CodeMap:
    """``spaces`` are (length in bytes, first, last); ``stretches`` (first, last, CID), sorted."""

    base: str
    spaces: tuple[tuple[int, int, int], ...]
    stretches: tuple[tuple[int, int, int], ...]

    @property
    def width(self) -> int:
        """The length of every code in bytes; 0 if they differ."""
        widths = {space[0] for space in self.spaces} or {2}
        return widths.pop() if len(widths) == 1 else 0

    def split(self, codes: bytes) -> list[int]:
        """The codes one by one; bytes outside every code space are passed over."""
        found, position = [], 0
        while position < len(codes):
            for length, first, last in self.spaces or ((2, 0, 0xFFFF),):
                code = int.from_bytes(codes[position : position + length], "big")
                if first <= code <= last:
                    found.append(code)
                    position += length
                    break
            else:
                position += 1
        return found

    def cids(self, codes: bytes) -> bytes:
        """The CIDs of the codes, two bytes each; 0 for a code without one."""
        return b"".join(self._cid(code).to_bytes(2, "big") for code in self.split(codes))

    def _cid(self, code: int) -> int:
        place = bisect_right(self.stretches, (code, 1 << 40, 0)) - 1
        if place >= 0:
            first, last, cid = self.stretches[place]
            if code <= last:
                return min(cid + code - first, 0xFFFF)
        return 0


def read_cmap(data: bytes) -> CodeMap:
    """Reads the CMap's blocks wherever they stand; the PostScript around them is not run."""
    base = _BASE.search(data)
    spaces: list[tuple[int, int, int]] = []
    stretches: list[tuple[int, int, int]] = []
    for kind, body in _BLOCK.findall(data):
        if kind == b"codespacerange":
            spaces += [(len(_digits(a)) // 2, _code(a), _code(b)) for a, b in _SPACE.findall(body)]
        elif kind == b"cidrange":
            stretches += [(_code(a), _code(b), int(cid)) for a, b, cid in _RANGE.findall(body)]
        else:
            stretches += [(_code(a), _code(a), int(cid)) for a, cid in _CHAR.findall(body)]
    spaces = [space for space in spaces if 1 <= space[0] <= 4]
    name = base[1].decode("ascii") if base else ""
    return CodeMap(name, tuple(sorted(spaces)), tuple(sorted(stretches[:MAX_STRETCHES])))


def to_unicode(data: bytes) -> dict[int, str]:
    """Code to text of a /ToUnicode map; some producers write CID ranges and mean characters."""
    meanings: dict[int, str] = {}
    for kind, body in _MEANINGS.findall(data):
        if kind in (b"bfchar", b"cidchar"):
            meanings.update((_code(code), _text(text)) for code, text in _MEANING.findall(body))
            continue
        for first, last, text, listed, number in _MEANING_RANGE.findall(body):
            start, length = _code(first), min(_code(last) - _code(first) + 1, MAX_STRETCHES)
            if listed:
                meanings.update((start + i, _text(t)) for i, t in enumerate(_TEXT.findall(listed)[: max(length, 0)]))
                continue
            base = int(number).to_bytes(3, "big")[-2:].decode("utf-16-be", "replace") if number else _text(text)
            head, tail = base[:-1], ord(base[-1:] or "\0")
            meanings.update((start + i, head + chr(min(tail + i, 0x10FFFF))) for i in range(length))
        if len(meanings) > 2 * MAX_STRETCHES:
            break
    return meanings


def _text(raw: bytes) -> str:
    digits = _digits(raw)
    if len(digits) <= 2:
        return chr(int(digits or b"0", 16))
    return bytes.fromhex(digits[: len(digits) // 4 * 4].decode("ascii")).decode("utf-16-be", "replace")


def _digits(raw: bytes) -> bytes:
    return b"".join(raw.split())


def _code(raw: bytes) -> int:
    return int(_digits(raw)[:16], 16)
