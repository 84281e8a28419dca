"""Answers as the API tells them."""

from __future__ import annotations

from typing import Any

from ...ask import Answer, Citation, Kept
from ...ask.wire import shown
from ...core.model import display
from . import plain, when


def told(answer: Answer, lang: str) -> dict[str, Any]:
    """An answer, its notes in the reader's language."""
    facts = shown(answer, lang)
    texts = {name: plain(facts[name]) for name in ("question", "text", "model", "as_of")}
    facts |= {**texts, "created": when(answer.created_ns), "notes": [plain(note) for note in facts["notes"]]}
    facts["citations"] = citations(answer.citations)
    del facts["created_ns"]
    return facts


def citations(found: tuple[Citation, ...]) -> list[dict[str, Any]]:
    """The passages it rests on."""
    return [_citation(c) for c in found]


def _citation(c: Citation) -> dict[str, Any]:
    facts = {name: plain(value) if isinstance(value, str) else value for name, value in c._asdict().items()}
    return {
        **facts, "source": display(c.source), "path": display(c.path), "headings": [plain(h) for h in c.headings],
        "score": round(float(c.score), 6),
    }  # fmt: skip


def kept(found: Kept, lang: str) -> dict[str, Any]:
    """A kept answer and how it stands."""
    return {**told(found.answer, lang), "standing": [s._asdict() for s in found.standing]}
