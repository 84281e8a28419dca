"""What a knowledge base answers with: loaded by its first question, kept with it."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from .answering import Means
from .answers import Answers

if TYPE_CHECKING:
    from ..api import KnowledgeBase

_LOADED: weakref.WeakKeyDictionary[KnowledgeBase, Means] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def means_of(kb: KnowledgeBase) -> Means:
    """Model, reranker and kept answers of this configuration. Raises ConfigError."""
    with _LOCK:
        if kb not in _LOADED:
            _LOADED[kb] = _load(kb)
        return _LOADED[kb]


def answers_of(kb: KnowledgeBase) -> Answers:
    """The kept answers."""
    return Answers(Path(kb.settings.metadata), kb.settings.answers_days)


def _load(kb: KnowledgeBase) -> Means:
    model = rerank = None
    if kb.settings.llm.model:
        from ..logs.mask import mask_of
        from .loading import load

        model = load(kb.settings.llm, mask_of(kb.settings))
    if kb.settings.llm.rerank:
        from .rerank import load as load_reranker

        rerank = load_reranker(kb.settings.llm)
    return Means(model, rerank, answers_of(kb))
