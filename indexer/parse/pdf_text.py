"""What of a page's text is fit for the index, and how much of it had no meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import category

from .clean import clean

# A page with so many codes without meaning, and such a share of them, is said to be unreadable.
MIN_UNREADABLE = 8
MIN_SHARE = 0.05

# Word writes bullets and operators of symbol fonts as U+F000 plus the code in the font. What a
# letter's place shows depends on the font: a space stands for it, and nobody is warned.
_OPERATORS = "+\u2212*/=<>()[]{}|%.,:;!?0123456789"
_SYMBOL_CODES = "\x2b\x2d\x2a\x2f\x3d\x3c\x3e\x28\x29\x5b\x5d\x7b\x7d\x7c\x25\x2e\x2c\x3a\x3b\x21\x3f0123456789"
SYMBOLS = {0xF000 + code: " " for code in range(0x100)}
SYMBOLS |= {0xF000 + ord(code): char for code, char in zip(_SYMBOL_CODES, _OPERATORS, strict=True)}
SYMBOLS |= {0xF0A3: "≤", 0xF0A5: "∞", 0xF0A7: "•", 0xF0AB: "↔", 0xF0AC: "←", 0xF0AE: "→", 0xF0B0: "°"}
SYMBOLS |= {0xF0B1: "±", 0xF0B3: "≥", 0xF0B4: "×", 0xF0B7: "•", 0xF0B8: "÷", 0xF0B9: "≠", 0xF0BB: "≈", 0xF0D7: "⋅"}

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SPACE_BEFORE_END = re.compile("[ \xa0]+(?=\n|$)")
_BLANK_LINES = re.compile("\n{3,}")
_CID = re.compile(r"\(cid:\d+\)")


@dataclass(frozen=True, slots=True)
class PageText:
    """Cleaned text (ends with \\n unless empty), and the counts of characters."""

    text: str
    readable: int
    unreadable: int

    @property
    def suspect(self) -> bool:
        """Whether a person should know that part of the page cannot be found."""
        total = self.readable + self.unreadable
        if self.unreadable and not self.readable:
            return True
        return self.unreadable >= MIN_UNREADABLE and self.unreadable >= MIN_SHARE * total


def tidy(raw: str) -> PageText:
    """Drops what means nothing: U+FFFD, controls, private use, unassigned, (cid:n)."""
    text = clean(raw.replace("\r", " ").replace("\t", " ")).translate(SYMBOLS)
    bad = {char for char in set(text) if _meaningless(char)}
    unreadable = sum(text.count(char) for char in bad)
    if bad:
        text = text.translate(dict.fromkeys(map(ord, bad), " "))
    if "(cid:" in text:
        text, found = _CID.subn(" ", text)
        unreadable += found
    text = _BLANK_LINES.sub("\n\n", _SPACE_BEFORE_END.sub("", text)).strip("\n")
    readable = len(text) - text.count(" ") - text.count("\n")
    return PageText(text + "\n" if readable else "", readable, unreadable)


def _meaningless(char: str) -> bool:
    return char == "\ufffd" or _CONTROL.match(char) is not None or category(char) in ("Co", "Cn", "Cs")
