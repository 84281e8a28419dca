"""LangChain's view of a knowledge base: vector store, retriever, embeddings, export.

    kb = KnowledgeBase("my-folder")
    kb.as_retriever(k=5)                    a BaseRetriever over everything indexed
    kb.vectorstore()                        a VectorStore: add_documents, delete, similarity_search…
    export(kb, "folder")                    for the stock FAISS.load_local, without this package

Importing this package imports langchain-core (about half a second); nothing else here does.
"""

from __future__ import annotations

from .embeddings import IndexerEmbeddings
from .exporting import export
from .retriever import IndexerRetriever
from .vectorstore import IndexerVectorStore

__all__ = ["IndexerEmbeddings", "IndexerRetriever", "IndexerVectorStore", "export"]
