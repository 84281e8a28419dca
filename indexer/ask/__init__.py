"""Questions answered from the documents, with citations made by code.

    retrieve (hybrid) ▶ relevant? ▶ rerank ▶ numbered passages ▶ model ▶ its numbers become citations ▶ kept

Cheap to import: LangChain is loaded by the first question for which a model is configured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import Answer, Citation, Kept, Question, Standing, Turn

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from .answering import Means, Tell
    from .calling import Stop

__all__ = ["Answer", "Citation", "Kept", "Question", "Standing", "Turn", "ask", "kept", "latest"]


def ask(
    kb: KnowledgeBase, question: Question, means: Means | None = None, *, tell: Tell = lambda kind, facts: None,
    stop: Stop = lambda: False,
) -> Answer:  # fmt: skip
    """Answer a question, and keep the answer. May be called from several threads.

    ``means``: what to answer with, by default what is configured. ``tell(kind, facts)`` hears "sources"
    {"citations": (Citation, ...)} once and "token" {"text": str} as words arrive, in the calling thread.
    ``stop() -> bool`` is asked a few times a second: true withdraws the question (Interrupted, nothing kept).
    Raises UsageError (question, as_of), ConfigError (a package or class is missing), and what a search raises.
    """
    from .answering import answer
    from .session import means_of

    return answer(kb, question, means if means is not None else means_of(kb), tell=tell, stop=stop)


def kept(kb: KnowledgeBase, name: str) -> Kept:
    """A kept answer by its id (or a beginning of it that is enough), and how its documents stand now."""
    from .session import answers_of
    from .standing import standing

    found = answers_of(kb).get(name)
    catalog = kb.catalog()
    try:
        return Kept(found, standing(catalog, found.citations))
    finally:
        if catalog is not None:
            catalog.close()


def latest(kb: KnowledgeBase, limit: int = 20, before_ns: int = 0) -> list[Answer]:
    """The newest kept answers, newest first; ``before_ns``: only older ones."""
    from .session import answers_of

    return answers_of(kb).latest(limit, before_ns)
