"""LangChain's view of a knowledge base: vector store, retriever, embeddings, export.

    kb = KnowledgeBase("my-folder")
    kb.as_retriever(k=5)                    a BaseRetriever over everything indexed
    kb.vectorstore()                        a VectorStore: add_documents, delete, similarity_search…
    export(kb, "folder")                    for the stock FAISS.load_local, without this package

Loaded on first use: LangChain's retriever and store classes cost 1.5 s of CPU time to import
(most of it for tracing), and nothing else of the product needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .embeddings import IndexerEmbeddings
    from .exporting import export
    from .retriever import IndexerRetriever
    from .vectorstore import IndexerVectorStore

__all__ = ["IndexerEmbeddings", "IndexerRetriever", "IndexerVectorStore", "export"]

_HOMES = {
    "IndexerEmbeddings": "embeddings",
    "IndexerRetriever": "retriever",
    "IndexerVectorStore": "vectorstore",
    "export": "exporting",
}


def __getattr__(name: str) -> Any:
    """Import the module a name lives in."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(name)
