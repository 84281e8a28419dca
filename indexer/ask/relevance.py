"""Whether anything that was found has to do with the question."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.model import Hit


def relevant(question: str, hits: Sequence[Hit], model: str) -> bool:
    """To be measured."""
    return bool(hits)
