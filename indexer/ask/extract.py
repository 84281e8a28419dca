"""An answer without a model: the sentences of the best passages that say most of what is asked, word for word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from .model import Citation
from .words import asked, sentences, share, terms

PASSAGES, SENTENCES, LONGEST = 3, 3, 300
"""Looked at, shown at most, and characters of one."""
_LEAST_TERMS = 4  # "Yes." stands in many a passage and says nothing of it
_WORDS = re.compile(r"[^\W_]+(?:[.,]\d+)*")


def extract(question: str, citations: Sequence[Citation]) -> str:
    """One sentence a line, each with its number, in the order of the passages; "" without passages.

    The best passage is always there: its place in the search is evidence of its own.
    """
    wanted = asked(question)
    rated = [
        (share(wanted, terms(s)) + (0.3 if c is citations[0] else 0.0), -c.n, -i, s)
        for c in citations[:PASSAGES]
        for i, s in enumerate(sentences(c.text))
        if s.strip("# ") not in c.headings
    ]
    best = max(rated, default=None)
    if best is None:
        return ""
    chosen = [r for r in sorted(rated, reverse=True) if r[0] >= 0.6 * best[0]]
    unique = {r[3]: r for r in reversed(chosen)}  # overlapping chunks say the same sentence twice
    shown = sorted(sorted(unique.values(), reverse=True)[:SENTENCES], key=lambda r: (-r[1], -r[2]))
    return "\n".join(f"{_short(s)} [{-n}]" for _, n, _, s in shown)


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 1].rstrip() + "…"


def supported(text: str, citations: Sequence[Citation]) -> str:
    """The text with numbers where a sentence stands in a passage, but for case, blanks and marks.

    Only for a model that named no passage at all. Nothing less will do: one word makes "up to two
    days" "up to five days", or puts a "not" before it. Other sentences stay without a number.
    """
    known = [(c.n, _letters(c.text)) for c in citations]
    for sentence in dict.fromkeys(sentences(text)):
        letters = _letters(sentence)
        n = next((n for n, within in known if letters in within), 0)
        if n and len(terms(sentence)) >= _LEAST_TERMS:
            text = text.replace(sentence, _before_stop(sentence, n), 1)
    return text


def _letters(text: str) -> str:
    """Letters and digits in words, which are apart in scripts that part them."""
    return f" {' '.join(_WORDS.findall(unicodedata.normalize('NFKC', text).casefold()))} "


def _before_stop(sentence: str, n: int) -> str:
    body = sentence.rstrip("。！？!?.；; ")
    return f"{body} [{n}]{sentence[len(body) :]}"
