"""What every engine does to a text before the model sees it."""

from __future__ import annotations

import re

CLEANING = "1: NUL removed, lone surrogates to U+FFFD"
"""Part of every identity; its number rises when :func:`clean` gives another result."""

_BAD = re.compile("[\0\ud800-\udfff]")


def clean(text: str) -> str:
    """The text as encodable Unicode: NUL removed, lone surrogates replaced by U+FFFD.

    C tokenizers end a string at NUL or refuse surrogates; a server answers either with an
    error for the whole batch.
    """
    if not _BAD.search(text):
        return text
    return _BAD.sub("\N{REPLACEMENT CHARACTER}", text.replace("\0", ""))


def halves(text: str) -> tuple[str, str]:
    """Two parts whose concatenation is ``text``, cut at the space or line end nearest the middle.

    Without one in the middle half it is cut in the middle. Needs at least two characters.
    """
    middle, reach = len(text) // 2, len(text) // 4
    for distance in range(reach):
        for at in (middle - distance, middle + distance):
            if text[at - 1].isspace():
                return text[:at], text[at:]
    return text[:middle], text[middle:]
