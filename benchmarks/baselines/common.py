"""What both recipes share: arguments, the counted embedder, LangChain's FAISS store on disk."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable
from pathlib import Path

import faiss
from langchain_community.docstore.in_memory import InMemoryDocstore
from langchain_community.vectorstores import FAISS
from langchain_core.embeddings import Embeddings

SIZE, OVERLAP = 256, 50  # characters


class Counted(Embeddings):
    """Passes everything on and counts the texts that were embedded for storage."""

    def __init__(self, inner: Embeddings) -> None:
        self.inner = inner
        self.texts = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The inner embedder's vectors."""
        self.texts += len(texts)
        return self.inner.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """The inner embedder's vector; a question is not counted."""
        return self.inner.embed_query(text)


def embedder(dotted: str) -> Counted:
    """The LangChain ``Embeddings`` class at ``package.module:Class``, without arguments."""
    module, _, name = dotted.partition(":")
    return Counted(getattr(importlib.import_module(module), name)())


def load(store: Path, embedding: Counted) -> FAISS:
    """The store as saved, or an empty one."""
    if (store / "index.faiss").exists():
        return FAISS.load_local(str(store), embedding, allow_dangerous_deserialization=True)
    index = faiss.IndexFlatL2(len(embedding.embed_query("dimension")))
    return FAISS(embedding, index, InMemoryDocstore(), {})


def main(update: Callable[[Path, Path, Counted], None]) -> None:
    """Parse the arguments, do what they say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=Path)
    parser.add_argument("store", type=Path)
    parser.add_argument("--embeddings", required=True, metavar="package.module:Class")
    args = parser.parse_args()
    embedding = embedder(args.embeddings)
    args.store.mkdir(parents=True, exist_ok=True)
    update(args.tree, args.store, embedding)
    print(json.dumps({"embedded": embedding.texts}))
