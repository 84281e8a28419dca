"""The tokenizer of multilingual-e5: XLM-R's SentencePiece unigram model.

Written here because building the 250,002-piece trie of the package ``tokenizers`` takes
0.8 s and 100 MB for every process that embeds one query; this takes 0.1 s and 45 MB, and
its 0.4 ms a chunk are 2 % of the inference. Both give the same ids (tests/embed compares
them), with one difference on purpose: ``<s>``, ``</s>``, ``<mask>`` in a document are text,
never control tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

_UNKNOWN_PENALTY = 10.0
"""SentencePiece's: an unknown character scores the least probable piece minus this."""

_SPACE = "▁"
_PARTS = re.compile("▁[^▁]*")
_CACHED_LENGTH, _CACHED_WORDS = 24, 65_536


class Unigram:
    """Text to token ids. Thread-safe; equal texts always give equal ids."""

    def __init__(
        self,
        pieces: Sequence[str],
        scores: Sequence[float],
        normaliser: Mapping[int, str],
        control: Iterable[int],
        unknown: int,
    ) -> None:
        """``control``: ids that no text may produce. ``unknown``: id of anything without a piece."""
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        for number in control:
            del self._ids[pieces[number]]
        self._scores = scores
        self._unknown, self._unknown_score = unknown, min(scores) - _UNKNOWN_PENALTY
        self._normaliser = normaliser
        self._longest: dict[str, int] = {}
        """Length of the longest piece by its first character."""
        for piece, length in zip(pieces, map(len, pieces), strict=True):
            if length > self._longest.get(piece[0], 0):
                self._longest[piece[0]] = length
        self._known: dict[str, list[int]] = {}

    def normalise(self, text: str) -> str:
        """NFC, the model's own table, single spaces, none at the ends.

        The table knows single code points only; NFC first joins a letter and its combining
        marks (file names of macOS, many PDFs) as the model's normaliser would.
        """
        return " ".join(unicodedata.normalize("NFC", text).translate(self._normaliser).split())

    def encode(self, text: str) -> list[int]:
        """Ids of the whole text, however long, without begin and end."""
        ids: list[int] = []
        for word in self.normalise(text).split(" "):
            # U+2581 in the text itself begins a word too: it is the model's space
            for part in _PARTS.findall(_SPACE + word) if _SPACE in word else (_SPACE + word,):
                ids += self._word(part)
        return ids

    def _word(self, word: str) -> list[int]:
        if word == _SPACE:
            return []
        known = self._known.get(word)
        if known is None:
            known = self._segment(word)
            if len(word) <= _CACHED_LENGTH:
                if len(self._known) >= _CACHED_WORDS:
                    self._known = {}
                self._known[word] = known
        return known

    def _segment(self, word: str) -> list[int]:
        """The most probable pieces (Viterbi); of equally probable ones the first found."""
        ids, scores, longest = self._ids, self._scores, self._longest
        size = len(word)
        best: list[float | None] = [0.0, *[None] * size]
        came: list[tuple[int, int]] = [(0, 0)] * (size + 1)
        for start in range(size):
            here = best[start] or 0.0
            single = False
            for end in range(start + 1, min(start + longest.get(word[start], 0), size) + 1):
                piece = ids.get(word[start:end])
                if piece is None:
                    continue
                single = single or end == start + 1
                score, before = here + scores[piece], best[end]
                if before is None or score > before:
                    best[end], came[end] = score, (start, piece)
            if not single:
                score, before = here + self._unknown_score, best[start + 1]
                if before is None or score > before:
                    best[start + 1], came[start + 1] = score, (start, self._unknown)
        return self._backtrack(came, size)

    def _backtrack(self, came: Sequence[tuple[int, int]], at: int) -> list[int]:
        found: list[int] = []
        while at > 0:
            at, piece = came[at]
            if piece != self._unknown or not found or found[-1] != piece:  # a run of unknowns is one token
                found.append(piece)
        found.reverse()
        return found
