"""An answer without a model: the sentences of the best passages that say most of what is asked, word for word."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Citation
from .words import asked, sentences, share, terms

PASSAGES, SENTENCES, LONGEST = 3, 3, 300
"""Looked at, shown at most, and characters of one."""


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


def supported(text: str, citations: Sequence[Citation], least: float = 0.8) -> str:
    """The text with numbers where a sentence repeats a passage: ``least`` of its terms and all of its figures are there.

    Only for a model that named no passage at all. Less than repetition proves nothing, and such a
    sentence stays without a number.
    """
    known = [(c.n, terms(c.text)) for c in citations]
    for sentence in dict.fromkeys(sentences(text)):
        words = terms(sentence)
        figures = frozenset(w for w in words if any(ch.isdigit() for ch in w))
        score, n = max(((share(words, t), -n) for n, t in known if figures <= t), default=(0.0, 0))
        if len(words) >= 4 and score >= least:
            text = text.replace(sentence, f"{_before_stop(sentence, -n)}", 1)
    return text


def _before_stop(sentence: str, n: int) -> str:
    body = sentence.rstrip("。！？!?.；; ")
    return f"{body} [{n}]{sentence[len(body) :]}"
