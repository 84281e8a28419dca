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

# So many bytes make a guess at Chinese safe.
MIN_GUESSED = 16

_LETTER = re.compile("[A-Za-z]")
_LETTERS = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\w]*(?:[^\W\d_]?[a-zß-ÿ]+|[A-ZÀ-Þ]+)(?:[-'’/][^\W\d_]+)*[^\w]*")
_VOWEL = re.compile("[aeiouyAEIOUYÀ-ÿ]")
_HIGH = re.compile("[\xa1-\xfe]+")
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SPACE_BEFORE_END = re.compile("[ \xa0]+(?=\n|$)")
_BLANK_LINES = re.compile("\n{3,}")
_CID = re.compile(r"\(cid:\d+\)")


@dataclass(frozen=True, slots=True)
class PageText:
    """Cleaned text (ends with \\n unless empty), and the counts of characters.

    ``guessed``: Latin letters were read as the Chinese bytes they must have been.
    """

    text: str
    readable: int
    unreadable: int
    guessed: bool = False

    @property
    def suspect(self) -> bool:
        """Whether a person should know that part of the page cannot be found."""
        total = self.readable + self.unreadable
        if self.unreadable and not self.readable:
            return True
        return self.unreadable >= MIN_UNREADABLE and self.unreadable >= MIN_SHARE * total


def tidy(raw: str, *, keep_lines: bool = False) -> PageText:
    """Drops what means nothing: U+FFFD, controls, private use, unassigned, (cid:n).

    ``keep_lines``: each line of ``raw`` is a line of the text, and nothing is added at its end.
    """
    text, guessed = _as_chinese(clean(raw.replace("\r", " ").replace("\t", " ")).translate(SYMBOLS))
    bad = {char for char in set(text) if _meaningless(char)}
    unreadable = sum(text.count(char) for char in bad)
    if bad:
        text = text.translate(dict.fromkeys(map(ord, bad), " "))
    if "(cid:" in text:
        text, found = _CID.subn(" ", text)
        unreadable += found
    text = _SPACE_BEFORE_END.sub("", text)
    if not keep_lines:
        text = _BLANK_LINES.sub("\n\n", text).strip("\n")
    readable = len(text) - text.count(" ") - text.count("\n")
    return PageText(text if keep_lines else text + "\n" if readable else "", readable, unreadable, guessed)


def unlike_words(text: str, *, doubtful: bool) -> bool:
    """Whether Latin text has next to no words: letters of a subset font in the font's own order.

    A list of part numbers has few words as well, so a page in fonts that say what they show
    must have none at all and be long; one in ``doubtful`` fonts is held to less.
    """
    tokens = [token for token in text.split() if len(token) >= 4 and _LETTER.search(token)]
    latin = sum(char < "\u0250" for char in text)
    if len(tokens) < (12 if doubtful else 80) or latin < 0.9 * len(text):
        return False
    words = sum(bool(_WORD.fullmatch(token) and _VOWEL.search(token)) for token in tokens)
    if not doubtful:
        return words < 0.01 * len(tokens)
    letters = sum(len(_LETTERS.findall(token)) for token in tokens)
    vowels = sum(len(_VOWEL.findall(token)) for token in tokens)
    return words < 0.15 * len(tokens) or vowels < 0.2 * letters


def _as_chinese(text: str) -> tuple[str, bool]:
    """GB 2312 bytes that a font shows as Latin letters ("Ä¿Â¼" for 目录), as Chinese.

    European text never looks so: there runs of accented letters are single and odd, here every
    run is whole pairs and nearly every pair a common character.
    """
    lines = text.split("\n")
    if sum(len(run) for line in lines for run in _HIGH.findall(line)) < MIN_GUESSED:
        return text, False
    read = [_line_as_chinese(line) for line in lines]
    changed = sum(len(_HIGH.sub("", new)) != len(_HIGH.sub("", old)) for old, new in zip(lines, read, strict=True))
    guessed = 2 * changed >= sum(bool(_HIGH.search(line)) for line in lines)
    return ("\n".join(read), True) if guessed else (text, False)


def _line_as_chinese(line: str) -> str:
    runs = _HIGH.findall(line)
    pairs = [run[i : i + 2] for run in runs for i in range(0, len(run), 2)]
    common = [pair for pair in pairs if len(pair) == 2 and (pair[0] <= "\xa3" or "\xb0" <= pair[0] <= "\xd7")]
    if any(len(run) % 2 for run in runs) or len(common) < 0.8 * len(pairs):
        return line
    try:
        return _HIGH.sub(lambda run: run[0].encode("latin-1").decode("gb2312"), line)
    except UnicodeDecodeError:
        return line


def _meaningless(char: str) -> bool:
    return char == "\ufffd" or _CONTROL.match(char) is not None or category(char) in ("Co", "Cn", "Cs")
