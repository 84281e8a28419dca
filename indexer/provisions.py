"""Numbered provisions of laws, rules and contracts: a piece from the middle of one says which it belongs to.

"(3) the employer has moved" is found by nobody and understood by nobody; with the first words of its article in
front it is. docs/decisions/013 has the measurements. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

_START = re.compile(
    r"(?m)^[ \t\u3000]*(?:\*\*)?(?:"
    r"第[一二三四五六七八九十百千零〇两\d]{1,9}条(?:之[一二三四五六七八九十]{1,3})?(?=[\s\u3000:：（(【*])"
    r"|(?:Article|ARTICLE|Section|SECTION|Clause|CLAUSE) \d{1,4}(?:\.\d{1,3}){0,3}(?=[\s.:)(*])"
    r"|§{1,2} ?\d{1,4}[a-z]?(?=[\s.:)(*]))"
)
_PART = re.compile(
    r"(?m)^[ \t\u3000]*(?:\*\*)?(?:第[一二三四五六七八九十百千零〇两\d]{1,9}[编篇章节](?=[\s\u3000:：])"
    r"|(?:Chapter|CHAPTER|Part|PART|Title|TITLE) (?:\d{1,4}|[IVXLC]{1,8})(?=[\s.:]))"
)
"""Where the provisions before end, though none begins yet."""
_WORDS = ("条", "§", "Article ", "ARTICLE ", "Section ", "SECTION ", "Clause ", "CLAUSE ")
"""Looked for first: most texts hold none of them, and that is found out at once."""
_END = re.compile(r"[。；;：:\n]|[.!?](?=\s)")
_COMMA = re.compile(r".*[，、,\s]", re.S)
MOST, LEAST = 60, 12
"""Characters of a lead; where there is less room than the least, none is given."""


def is_numbered(texts: Iterable[str]) -> bool:
    """Whether at least two provisions begin in these texts of a document."""
    found = (m for text in texts if _may_have(text) for m in _START.finditer(text))
    return next(found, None) is not None and next(found, None) is not None


class Provisions:
    """Where the provisions of a text begin; falsy when there are none.

    ``before``: the first words of one that goes on in this text, for what stands before the first beginning.
    """

    def __init__(self, text: str, size: int, before: str = "") -> None:
        self._text, self._size, self._before = text, size, before
        self._starts = [m.start() for m in _START.finditer(text)]
        self._parts = [m.start() for m in _PART.finditer(text)]

    def __bool__(self) -> bool:
        return bool(self._starts or self._before)

    def going_on(self) -> str:
        """The first words of the one at the end of the text, for the text that follows on the next page."""
        return self._words(len(self._text), len(self._text))

    def _words(self, start: int, until: int) -> str:
        """The first words of the provision that goes on at ``start``, "" where a part of the document begins after it."""
        i = bisect_right(self._starts, start) - 1
        begun = self._starts[i] if i >= 0 else -1
        if begun < self._last_part(start):
            return ""
        return (
            self._before if i < 0 else _first_words(self._text, begun, min(until, begun + min(MOST, self._size // 4)))
        )

    def _last_part(self, start: int) -> int:
        i = bisect_right(self._parts, start) - 1
        return self._parts[i] if i >= 0 else -2

    def begin(self, start: int, known: int) -> int:
        """Where a chunk from ``start`` begins, when all before ``known`` is in the chunk before it: no tail of another provision."""
        i = bisect_right(self._starts, start)
        while i < len(self._starts) and self._starts[i] <= known:
            start, i = self._starts[i], i + 1
        return start

    def lead(self, start: int, known: int, end: int) -> tuple[int, str]:
        """(start, what goes in front) of the chunk from ``start`` to ``end``, which begins and ends with no white space.

        What repeats the chunk before makes room for it; then it is cut, and left out where too little would be left.
        """
        i = bisect_right(self._starts, start) - 1
        if i >= 0 and not self._text[self._starts[i] : start].strip():
            return start, ""
        lead = self._words(start, start)
        if len(lead) < LEAST:
            return start, ""
        if end - start + len(lead) + 1 > self._size and start < known < end:
            start = known + len(self._text[known:end]) - len(self._text[known:end].lstrip())
        room = self._size - (end - start) - 1
        return start, _cut(lead, room) + "\n" if room >= LEAST else ""


def _may_have(text: str) -> bool:
    return any(word in text for word in _WORDS)


def _first_words(text: str, start: int, most: int) -> str:
    """A provision up to the end of its first sentence, or of the last part of it that fits."""
    found = _END.search(text, start + LEAST, most)
    head = text[start : found.end() if found else most]
    if found is None and most < len(text) and (comma := _COMMA.match(head)):
        head = comma[0]
    return head.strip()


def _cut(lead: str, room: int) -> str:
    return lead if len(lead) <= room else lead[: room - 1].rstrip() + "…"
