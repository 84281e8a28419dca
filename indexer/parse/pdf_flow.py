"""Lines to text: running text loses its line ends and its hyphens, all else keeps its lines.

A line goes on in the next when the next one's first word had no room on it. Lists, rows of
tables, listings, headings and lines under each other that are short stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from .pdf_chars import Line

MIN_WIDTH = 8.0  # of a column of running text, in heights of its lines, where a line begins in small letters
SURE_WIDTH = 13.0  # where nothing but the width of the line says that it goes on
FILLED = 0.6  # of the column: a line that is cut before a small letter
SAME_HEIGHT = 1.12
NEXT_LINE = 2.2  # distance of base lines in heights, at most
APART = 1.35  # times the usual distance: an empty line is seen
MAX_WORDS = 400_000

_ITEM = re.compile(
    r"[-–—•·●○■□◆◇▪◦➢✓*\uf0b7]\s|[•●○■□◆◇▪◦➢✓]|[（(\[]?(?:[0-9]{1,3}|[一二三四五六七八九十百]{1,4}|[a-zA-Z]|[ivx]{1,5})[、.．)）\]](?![0-9])"
    r"|[0-9]{1,2}(?:\.[0-9]{1,3}){1,4}\s|第\s*[一二三四五六七八九十百千零〇0-9]{1,7}\s*[章节条款部编篇]|[①-⑳]"
)
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6“”‘’…—]"
)
_ENDS = (".", "!", "?", ":", ";")
_HYPHENS = "-\u2010\u00ad"
_BROKEN = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_FIRST = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# Words that stand before a hyphen of their own more often than before a broken line.
_OWN_HYPHEN = frozenset(
    (
        *("all", "cross", "double", "e", "ex", "first", "five", "four", "full", "half", "high", "ill", "large", "long"),
        *("low", "mid", "multi", "near", "non", "one", "part", "post", "quasi", "real", "second", "self", "semi"),
        *("short", "single", "six", "state", "third", "three", "top", "two", "user", "well"),
    )
)


class Words(NamedTuple):
    """How the document writes words where no line breaks them."""

    whole: frozenset[str] = frozenset()
    hyphened: frozenset[str] = frozenset()


NO_WORDS = Words()


def words(lines: Iterable[Line]) -> Words:
    """The words inside the lines of a document."""
    whole: set[str] = set()
    hyphened: set[str] = set()
    for line in lines:
        for word in _WORD.findall(line.text[:-1]):
            (hyphened if "-" in word else whole).add(word.casefold())
        if len(whole) + len(hyphened) > MAX_WORDS:
            break
    return Words(frozenset(whole), frozenset(hyphened))


def text_of(lines: list[Line], breaks: Collection[int] = (), known: Words = NO_WORDS) -> str:
    """The text of a page; before the line numbers of ``breaks`` a line always ends."""
    if not lines:
        return ""
    usual = _usual_distance(lines)
    edges = _right_edges(lines)
    text = lines[0].text
    start = 0
    for number, (last, line) in enumerate(pairwise(lines), 1):
        if number not in breaks and _goes_on(last, line, lines[start], edges[number - 1], usual):
            text = _joined(text, line.text, known)
            continue
        text += "\n\n" if _apart(last, line, usual) else "\n"
        text += line.text
        start = number
    return text.strip("\n") + "\n"


def _usual_distance(lines: list[Line]) -> float:
    """Of the base lines of neighbours, in heights."""
    found = [
        (a.bottom - b.bottom) / b.height for a, b in pairwise(lines) if _below(a, b) and _alike(a, b) and b.height > 0
    ]
    return median(found) if found else 1.2


def _below(first: Line, second: Line) -> bool:
    """Whether a line stands under the other, in its column."""
    if not (first.placed and second.placed) or first.turn != second.turn:
        return False
    distance = first.bottom - second.bottom
    beside = min(first.right, second.right) < max(first.left, second.left)
    return not beside and 0 < distance < NEXT_LINE * max(first.height, second.height)


def _alike(first: Line, second: Line) -> bool:
    low, high = sorted((first.height, second.height))
    return high <= SAME_HEIGHT * low and (first.style == second.style or first.style[1] == second.style[0])


def _right_edges(lines: list[Line]) -> list[float]:
    """For each line, how far right the lines around it reach that stand in the same column."""
    edges = [line.right for line in lines]
    start = 0
    for number in range(1, len(lines) + 1):
        if (
            number < len(lines)
            and _below(lines[number - 1], lines[number])
            and _alike(lines[number - 1], lines[number])
        ):
            continue
        edge = max(line.right for line in lines[start:number])
        edges[start:number] = [edge] * (number - start)
        start = number
    return edges


def _goes_on(last: Line, line: Line, first: Line, edge: float, usual: float) -> bool:
    """Whether a line is the next one of the paragraph that began with ``first``."""
    if not _below(last, line) or not _alike(last, line) or last.fixed or last.cells or line.cells:
        return False
    unit = line.height
    if last.bottom - line.bottom > APART * usual * unit or _ITEM.match(line.text):
        return False
    width = edge - min(last.left, line.left)
    hanging = last is first and _ITEM.match(first.text) is not None
    if width < MIN_WIDTH * unit or (line.left - last.left > 0.7 * unit and not hanging):
        return False
    if line.text[:1].islower() and not last.text.endswith(_ENDS):
        return _BROKEN.search(last.text) is not None or last.right - last.left > FILLED * width
    return width > SURE_WIDTH * unit and edge - last.right < _first_word(line) + 0.3 * unit


def _first_word(line: Line) -> float:
    """About how wide it is; of Chinese, one character and the mark that must follow it."""
    if _WIDE.match(line.text):
        return 2.2 * line.height
    word = line.text.split(" ", 1)[0]
    return (line.right - line.left) * (len(word) + 1) / max(1, len(line.text))


def _apart(last: Line, line: Line, usual: float) -> bool:
    if not (last.placed and line.placed):
        return False
    if last.cells and line.cells and last.bottom > line.bottom:
        return False
    return not _below(last, line) or last.bottom - line.bottom > APART * max(usual, 1.0) * max(last.height, line.height)


def _joined(text: str, line: str, known: Words) -> str:
    """A paragraph and its next line: no blank beside Chinese, a word broken at the line end made whole."""
    broken = _BROKEN.search(text)
    if text.endswith("\u00ad"):
        return text[:-1] + line
    if broken:
        second = _FIRST.match(line)
        return text[:-1] + line if second and _one_word(broken[1], second[0], known) else text + line
    if text.endswith("/-"):
        return text[:-1] + line  # of a broken address
    if text[-1:] in _HYPHENS and text[-2:-1].isalnum():
        return text + line  # numbers and ranges
    if _WIDE.match(text[-1:]) or _WIDE.match(line[:1]):
        return text + line
    return f"{text} {line}"


def _one_word(first: str, second: str, known: Words) -> bool:
    """Whether a hyphen at a line end only broke a word; the document's own words decide before the rules do."""
    if not second[0].islower() or not (first.islower() or first.istitle()):
        return False
    first, second = first.casefold(), second.casefold()
    if f"{first}-{second}" in known.hyphened:
        return False
    if first + second in known.whole:
        return True
    return first not in _OWN_HYPHEN and "-" not in second
