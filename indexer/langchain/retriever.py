"""The retriever: ``KnowledgeBase.as_retriever()``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from ..api import KnowledgeBase
from . import reading
from .documents import document


class IndexerRetriever(BaseRetriever):
    """The best passages, best first, each with its ``score`` (cosine) in the metadata.

    Every field can be given to ``invoke`` too, for one call.
    """

    knowledge_base: KnowledgeBase
    k: int = 5
    """How many documents at most."""
    inside: str = ""
    """A glob or folder over ``source/path``: only documents that match."""
    as_of: str = ""
    """A commit number or ISO time: the index as it was then."""
    score_threshold: float | None = None
    """A least cosine; fewer than ``k`` documents may be left."""
    filter: Mapping[str, Any] | Callable[[dict[str, Any]], bool] | None = None
    """A dictionary of metadata, or a function of it."""
    mode: str = ""
    """``hybrid``, ``vector`` or ``lexical``; empty: as ``[search] mode`` says."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        names = ("inside", "as_of", "score_threshold", "filter", "mode")
        options = {name: kwargs.get(name, getattr(self, name)) for name in names}
        found = reading.hits(self.knowledge_base, query, kwargs.get("k", self.k), **options)
        return [document(h, score=True) for h in found]
