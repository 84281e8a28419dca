"""Whether anything that was found has to do with the question.

Two kinds of evidence, each blind where the other sees: how far the best passage stands out from what the
question's cosine is with the index on the whole, and how many of the question's own words one passage has.
A cosine by itself says little: multilingual-e5 gives unrelated Chinese texts 0.85 and related English
ones 0.82; and to stand out from the next best says little where a whole index is about one thing, such
as law. Measured by ``benchmarks/found.py``; figures in docs/ask.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.model import Hit
from .words import asked, language, share, terms

DEPTH = 30
"""So many hits are looked at, whatever the answer is made from: the best cosine need not be the first of them."""
_LOOKED_AT = 8  # for words
_WORDS = 0.32  # their weight beside the cosine
_ENOUGH, _ENOUGH_OF_OTHERS = 0.40, 0.34  # what both must reach together: the bundled model, any other
_FEW_WORDS = 0.3  # an index too small for a background: the words alone
_E5 = {"en": 0.845, "zh": 0.88}  # ... or a cosine that the bundled model gives to related texts only
_OTHER = 0.5  # ... or that of another model


def relevant(question: str, hits: Sequence[Hit], usual: float | None, model: str) -> bool:
    """Whether to answer at all. ``usual``: see :func:`.background.usual`; ``model``: the embedding model's name."""
    wanted = asked(question)
    words = max((share(wanted, terms(h.text)) for h in hits[:_LOOKED_AT]), default=0.0)
    best = max((h.score for h in hits), default=0.0)
    bundled = model == "builtin:e5-small"
    if usual is not None and best > 0:
        evidence = (best - usual) / max(1 - usual, 1e-6) + _WORDS * words
        return evidence >= (_ENOUGH if bundled else _ENOUGH_OF_OTHERS)
    return words >= _FEW_WORDS or best >= (_E5[language(question)] if bundled else _OTHER)
