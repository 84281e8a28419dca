"""Whether anything that was found has to do with the question.

Two kinds of evidence, each blind where the other sees: how far the best passage stands out from what the
index would answer to anything (the cosines of ranks 10 to 30), and how many of the question's own words
one passage has. A cosine by itself says little: multilingual-e5 gives unrelated Chinese texts 0.85 and
related English ones 0.82. Measured by ``benchmarks/found.py``; figures in docs/ask.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.model import Hit
from .words import asked, language, share, terms

DEPTH = 30
"""So many hits are looked at, whatever the answer is made from."""
_BACKGROUND = 10  # ranks from here on are taken for what any question finds
_LEAST_BACKGROUND = 6  # fewer of them are no background
_LOOKED_AT = 8
_WORDS, _ENOUGH = 0.42, 0.31  # weight of the words; what both must reach together
_FEW_WORDS = 0.3  # an index too small for a background: the words alone
_E5 = {"en": 0.845, "zh": 0.88}  # ... or a cosine that the bundled model gives to related texts only


def relevant(question: str, hits: Sequence[Hit], model: str) -> bool:
    """Whether to answer at all. ``hits``: up to :data:`DEPTH`, ``model``: the embedding model's name."""
    wanted = asked(question)
    words = max((share(wanted, terms(h.text)) for h in hits[:_LOOKED_AT]), default=0.0)
    scores = sorted((h.score for h in hits), reverse=True)
    background = scores[_BACKGROUND:DEPTH]
    if len(background) >= _LEAST_BACKGROUND and scores[0] > 0:
        usual = sum(background) / len(background)
        return (scores[0] - usual) / max(1 - usual, 1e-6) + _WORDS * words >= _ENOUGH
    if words >= _FEW_WORDS:
        return True
    return bool(scores) and scores[0] >= (_E5[language(question)] if model == "builtin:e5-small" else 0.5)
