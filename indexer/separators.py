"""Where a text may be cut, from the best place to the last resort, for a chunk size.

The patterns are those given to LangChain's RecursiveCharacterTextSplitter with
``keep_separator="end"``: what a pattern matches stays with the text before it. No repetition
is unbounded over what a failed match would scan again, so hostile text costs linear time; each
pattern begins with one character class, which lets the engine skip to it (6 times faster).
"""

from __future__ import annotations

import re
from functools import lru_cache

# What must not begin a chunk: it belongs to the words before it.
NO_START = "。！？；，、：）】》」』〉〕”’…;"
# The same for the last resort, inside a run without any better place.
_NO_START_UNIT = NO_START + r"—～％‰℃·,.!?:)}%\]"
_CLOSING = "”’」』）】》〉〕)\\]"
_BEFORE = f"(?![{NO_START}])"
# Chinese marks end a sentence by themselves, English ones only before white space (3.14, e.g.x).
_AFTER_WIDE = rf"[{_CLOSING}]{{0,8}}+(?:[\"'](?!\w))?+\s{{0,256}}+{_BEFORE}"
_AFTER_ASCII = rf"[{_CLOSING}\"']{{0,3}}+\s\s{{0,255}}+{_BEFORE}"
# Marks that extend the character before them: combining marks, variation selectors, skin tones, tags.
_EXTEND = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u093c\u093e-\u094f"
    "\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d\u0abc\u0abe-\u0acd"
    "\u0b3c\u0b3e-\u0b4d\u0bbe-\u0bcd\u0c3e-\u0c4d\u0cbc\u0cbe-\u0ccd\u0d3e-\u0d4d\u0dca-\u0ddf\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84\u102b-\u103e\u1160-\u11ff\u17b4-\u17d3\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u200c\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\U0001f3fb-\U0001f3ff"
    "\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)


@lru_cache(maxsize=8)
def separators(size: int) -> tuple[str, ...]:
    """Regular expressions, none of which matches the empty string or contains a group.

    Blank lines, line ends, sentence ends, clause ends, white space, and at last single units:
    a word, or a character with its marks and the punctuation that must not begin a chunk. A
    unit is always shorter than ``size`` (characters).
    """
    return (
        rf"\n[^\S\n]{{0,256}}+\n\s{{0,256}}+{_BEFORE}",
        rf"\n\s{{0,256}}+{_BEFORE}",
        rf"[。！？；….!?](?:(?<=[。！？；…])[。！？；…!?]{{0,32}}+{_AFTER_WIDE}|(?<=[.!?])[.!?]{{0,7}}+{_AFTER_ASCII})",
        rf"[，、：,;:](?:(?<=[，、：])[，、：]{{0,32}}+{_AFTER_WIDE}|(?<=[,;:])[,;:]{{0,7}}+{_AFTER_ASCII})",
        rf"\s\s{{0,255}}+{_BEFORE}",
        _unit(size),
    )


def _unit(size: int) -> str:
    opening, word, marks, joined, closing = (
        min(2, size // 4),
        max(1, min(32, size // 4)),
        min(8, size // 8),
        min(6, size // 16),
        min(4, size // 16),
    )
    flag = "|[\U0001f1e6-\U0001f1ff]{2}" if size > 4 else ""
    emoji = rf"(?:\u200d[^\s]{_EXTEND}{{0,2}}+){{0,{joined}}}+" if joined else ""
    return (
        rf"[《「『（【“‘(\[]{{0,{opening}}}(?:[0-9A-Za-z]{{1,{word}}}+{flag}|[\s\S]){_EXTEND}{{0,{marks}}}+{emoji}"
        rf"(?:\s{{0,2}}+[{_NO_START_UNIT}]){{0,{closing}}}+"
    )


@lru_cache(maxsize=8)
def patterns(size: int) -> tuple[re.Pattern[str], ...]:
    """:func:`separators`, compiled."""
    return tuple(re.compile(separator) for separator in separators(size))
