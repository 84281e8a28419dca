"""Text cut into pieces that a page can mark: words of a query, a passage, the citations of an answer.

Pieces are text with a flag, never markup: the template escapes each and puts its own element around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

WINDOW = 40_000
"""Characters of a document shown at once: what a browser lays out in an instant."""

_BEFORE = 4_000  # of them before a passage that is asked for
_HAN = r"[\u3400-\u9fff\uf900-\ufaff]"
_WORD = re.compile(rf"{_HAN}+|[^\W_]+(?:[-._/][^\W_]+)*")
_SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "for",
        "from",
        "how",
        "i",
        "in",
        "is",
        "it",
        "many",
        "much",
        "of",
        "on",
        "or",
        "the",
        "to",
        "we",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "with",
        "you",
    ]
)
_ASKING = re.compile("多少|什么|怎么|怎样|如何|哪些|哪个|几|吗|呢|的|了|是|有|和|与|及|在|可以|需要|请问|每")
_WHOLE = "(?<![A-Za-z0-9]){}(?:s|es|ed|ing|ly)?(?![A-Za-z0-9])"
_REFERENCE = re.compile(r"\[(\d{1,3})\]")


class Piece(NamedTuple):
    """A stretch of text and whether it is marked; ``number``: the citation it names."""

    text: str
    marked: bool = False
    number: int = 0


class Part(NamedTuple):
    """A section, or what of it is shown: where it stands, and its pieces."""

    headings: Sequence[str]
    page: int | None
    place: str
    pieces: Sequence[Piece]


class Window(NamedTuple):
    """What of a text is shown; ``before`` and ``after`` are the starts of the windows next to it, None at an end."""

    start: int
    end: int
    before: int | None
    after: int | None


def terms(query: str) -> list[str]:
    """What of a query is worth marking: words but for the smallest, of Chinese the runs between question words."""
    found: list[str] = []
    for word in _WORD.findall(query):
        if re.match(_HAN, word):
            for run in filter(None, _ASKING.split(word)):
                found += [run] if len(run) <= 2 else [run, *(run[i : i + 2] for i in range(len(run) - 1))]
        elif word.casefold() not in _SMALL and len(word) > 1:
            found.append(word)
    longer = {w for w in found if len(w) > 1}
    return sorted(longer or set(found), key=lambda w: (-len(w), w))[:40]


def matched(text: str, query: str) -> list[Piece]:
    """The text with the words of a query marked, whatever their case."""
    wanted = terms(query)
    if not wanted:
        return [Piece(text)]
    each = (re.escape(w) if re.match(_HAN, w) else _WHOLE.format(re.escape(w)) for w in wanted)
    return list(_alternating(re.split(f"((?:{'|'.join(each)})+)", text, flags=re.I)))


def _alternating(parts: Sequence[str]) -> Iterator[Piece]:
    for i, part in enumerate(parts):
        if part:
            yield Piece(part, i % 2 == 1)


def referenced(text: str, numbers: frozenset[int]) -> list[Piece]:
    """An answer's text; ``[2]`` is a reference where there is such a citation, else text."""
    pieces, at = [], 0
    for found in _REFERENCE.finditer(text):
        if int(found[1]) in numbers:
            pieces += [Piece(text[at : found.start()]), Piece(found[0], number=int(found[1]))]
            at = found.end()
    return [p for p in (*pieces, Piece(text[at:])) if p.text]


def window(length: int, around: int) -> Window:
    """The stretch shown when the text has ``length`` characters and ``around`` is asked for."""
    around = max(0, min(around, length))
    start = 0 if length <= WINDOW else max(0, around - _BEFORE)
    end = min(length, start + WINDOW)
    before = None if start == 0 else max(0, start - WINDOW) + _BEFORE
    return Window(start, end, before, end + _BEFORE if end < length else None)


def parts(text: str, sections: Sequence[Any], shown: Window, mark: tuple[int, int] | None) -> list[Part]:
    """The sections within a window, each cut where a marked passage begins and ends."""
    whole: list[dict[str, Any]] = [{"start": 0, "end": len(text), "headings": [], "page": None, "place": ""}]
    found: list[Part] = []
    for s in sections or whole:
        start, end = max(s["start"], shown.start), min(s["end"], shown.end)
        if start < end and text[start:end].strip():
            place = (s.get("headings") or [], s.get("page"), s.get("place") or "")
            found.append(Part(*place, list(_cut(text, start, end, mark))))
    return found


def _cut(text: str, start: int, end: int, mark: tuple[int, int] | None) -> Iterator[Piece]:
    a, b = mark or (start, start)
    a, b = min(max(a, start), end), min(max(b, start), end)
    for piece in (Piece(text[start:a]), Piece(text[a:b], True), Piece(text[b:end])):
        if piece.text:
            yield piece


def folded(lines: Sequence[Any], around: int = 3) -> list[dict[str, Any]]:
    """A diff with long unchanged stretches folded into one ``gap`` line that says how many there are."""
    near: set[int] = set()
    for i, line in enumerate(lines):
        if line["kind"] != "same":
            near.update(range(i - around, i + around + 1))
    found: list[dict[str, Any]] = []
    for i, line in enumerate(lines):
        if i in near:
            found.append({"kind": line["kind"], "text": line["text"].rstrip("\r\n"), "count": 0})
        elif found and found[-1]["kind"] == "gap":
            found[-1]["count"] += 1
        else:
            found.append({"kind": "gap", "text": "", "count": 1})
    return found
