"""Texts to tokens for lexical search: Chinese characters and pairs, words, numbers, and codes as they are written.

A token is a number: a character, a pair of neighbours, or a hash of a word. `docs/decisions/012` says
why pairs and characters, what else was measured, and why tokens come from arrays: 20 times the speed of a loop.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Points = NDArray[np.uint32]
    Marks = NDArray[np.bool_]
    Numbers = NDArray[np.uint64]
    Rows = NDArray[np.int64]

VERSION = 1
"""Of what a text's tokens are; an index of another version is made anew."""

JOINERS = frozenset("-._/+:'’@,&#")
"""Between two letters or digits they make a code of both: AB-1234, GB/T, 3.14, a_b."""

# Scripts written without blanks between words: found by characters and pairs of neighbours.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029),
    (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF),
    (0x1100, 0x11FF), (0x1B000, 0x1B16F), (0x20000, 0x323AF),
)  # fmt: skip
_OTHER, _WORD, _UNSPACED_LETTER, _JOINER, _UNKNOWN = 0, 1, 2, 3, 255
_NEVER, _UNKNOWN_POINT = 0x110000, 0x110001  # no character has such a number
_PAIR, _HASHED = 21, 63  # bits: a pair is two code points, the highest bit marks a hash
_BASE = 0x9E3779B97F4A7C15  # odd, as splitmix64 has it


class Tokens(NamedTuple):
    """Every token of some texts and the number of its text; within one kind of token in reading order."""

    keys: Numbers
    rows: Rows


def normal(text: str) -> str:
    """A text as it is compared: width, ligatures and case do not matter (NFKC, case folded)."""
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFKC", folded)


def plain(text: str) -> str:
    """Normal, with each stretch of white space as one blank: how quoted words are looked for."""
    return " ".join(normal(text).split())


def contains(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text as it is, but for case, width and white space; never within a longer word."""
    inside, wanted = plain(text), plain(phrase)
    at = inside.find(wanted)
    while at >= 0 and wanted:
        end = at + len(wanted)
        if not (_joined(inside[at - 1 : at + 1] if at else "") or _joined(inside[end - 1 : end + 1])):
            return True
        at = inside.find(wanted, at + 1)
    return False


def _joined(pair: str) -> bool:
    """Whether two neighbours belong to one word."""
    return len(pair) == 2 and all(_kind(ord(character)) == _WORD for character in pair)


def tokens(texts: Sequence[str], *, codes: bool = True) -> Tokens:
    """The tokens of texts: characters and pairs, words, and (with ``codes``) codes made of several words."""
    import numpy as np

    points, rows = _normal(texts)
    kinds = _kinds(points)
    letters = kinds == _UNSPACED_LETTER
    pairs = np.flatnonzero(letters[:-1] & letters[1:])
    single = np.flatnonzero(letters)
    wide = points.astype(np.uint64)
    found = [
        (wide[single], rows[single]),
        ((wide[pairs] << np.uint64(_PAIR)) | wide[pairs + 1], rows[pairs]),
        *_words(points, rows, kinds, codes),
    ]
    return Tokens(np.concatenate([k for k, _ in found]), np.concatenate([r for _, r in found]))


def _normal(texts: Sequence[str]) -> tuple[Points, Rows]:
    """What :func:`normal` makes of texts, a line end after each, and the number of each character's text.

    A hundred times as fast where characters become one character whatever stands beside them, as nearly all do.
    """
    import numpy as np

    points, rows = _points(texts)
    alone = _looked_up(_singles(), points, _single, _UNKNOWN_POINT)
    if not (others := np.unique(rows[alone == _NEVER])).size:
        return alone, rows
    wanted = set(others.tolist())
    points, rows = _points([normal(text) if n in wanted else text for n, text in enumerate(texts)])
    done = np.isin(rows, others)
    points[~done] = _singles()[points[~done]]
    return points, rows


def _points(texts: Sequence[str]) -> tuple[Points, Rows]:
    import numpy as np

    joined = "\n".join([*texts, ""])
    points = np.frombuffer(bytearray(joined.encode("utf-32-le", "surrogatepass")), dtype=np.uint32)
    return points, np.repeat(np.arange(len(texts)), [len(text) + 1 for text in texts])


def _single(code: int) -> int:
    """The one character that a character becomes whatever stands beside it; ``_NEVER`` when there is none.

    Only marks and the later letters of a Korean syllable can join what stands before them (Unicode, UAX 15).
    """
    made = normal(chr(code))
    joins = any(unicodedata.category(c)[0] == "M" or 0x1160 <= ord(c) <= 0x11FF for c in (chr(code), *made))
    return _NEVER if joins or len(made) != 1 else ord(made)


def _words(points: Points, rows: Rows, kinds: NDArray[np.uint8], codes: bool) -> list[tuple[Numbers, Rows]]:
    """Words, and codes: words with single joiners between them."""
    import numpy as np

    word = kinds == _WORD
    if not word.any():
        return []
    joins = np.zeros_like(word)
    joins[1:-1] = (kinds[1:-1] == _JOINER) & word[:-2] & word[2:]
    found = [_runs(points, rows, word)]
    if codes and joins.any():
        found.append(_runs(points, rows, word | joins, joins))
    return found


def _runs(points: Points, rows: Rows, inside: Marks, wanted: Marks | None = None) -> tuple[Numbers, Rows]:
    """A hash of each run of marked characters; ``wanted``: only of runs with such a character."""
    import numpy as np

    at = np.flatnonzero(inside)
    first = np.flatnonzero(np.diff(at, prepend=-2) > 1)
    within = np.arange(len(at)) - np.repeat(first, np.diff(first, append=len(at)))
    with np.errstate(over="ignore"):  # hashes wrap around
        powers = np.cumprod(np.full(int(within.max()) + 1, _BASE, dtype=np.uint64))
        hashes = _mixed(np.add.reduceat(_mixed(points[at].astype(np.uint64)) * powers[within], first))
    keys, where = hashes | np.uint64(1 << _HASHED), rows[at[first]]
    if wanted is None:
        return keys, where
    some = np.add.reduceat(wanted[at].astype(np.int64), first) > 0
    return keys[some], where[some]


def _mixed(x: Numbers) -> Numbers:
    """Every bit of a number in every bit of the result (splitmix64)."""
    import numpy as np

    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _kinds(points: Points) -> NDArray[np.uint8]:
    """What each character is."""
    return _looked_up(_table(), points, _kind, _UNKNOWN)


def _looked_up(table: NDArray[Any], points: Points, of: Callable[[int], int], unknown: int) -> NDArray[Any]:
    """A table's entry of each character; Python is asked once for each one that occurs."""
    import numpy as np

    there = np.flatnonzero(np.bincount(points, minlength=1))
    for code in there[table[there] == unknown].tolist():
        table[code] = of(code)
    found: NDArray[Any] = table[points]
    return found


@cache
def _table() -> NDArray[np.uint8]:
    import numpy as np

    return np.full(0x110000, _UNKNOWN, dtype=np.uint8)


@cache
def _singles() -> Points:
    import numpy as np

    return np.full(0x110000, _UNKNOWN_POINT, dtype=np.uint32)


def _kind(code: int) -> int:
    character = chr(code)
    if character in JOINERS:
        return _JOINER
    if unicodedata.category(character)[0] not in "LNM":
        return _OTHER
    return _UNSPACED_LETTER if any(first <= code <= last for first, last in _UNSPACED) else _WORD
