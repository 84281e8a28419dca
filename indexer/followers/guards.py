"""Which documents are not worth sending, or too much for the other side."""

from __future__ import annotations

from ..core.model import Message
from .model import Document


def unfit(document: Document, least: int, most_kb: float) -> Message | None:
    """Why a document is outside of the configured sizes; 0 is no limit."""
    return (too_short(document, least) if least else None) or too_long(document, most_kb)


def too_short(document: Document, least: int) -> Message | None:
    """Too few characters; white space does not count."""
    n = len("".join(document.text.split()))
    if n == 0:
        return Message("it has no text")
    return Message("it has {count} characters, fewer than min_chars ({least})", {"count": n, "least": least}) if n < least else None  # fmt: skip


def too_long(document: Document, most_kb: float) -> Message | None:
    """More text than is configured."""
    size = len(document.text.encode("utf-8", "surrogatepass")) / 1024
    if not most_kb or size <= most_kb:
        return None
    return Message("it has {size} KB of text, more than max_kb ({most})", {"size": round(size), "most": most_kb})
