"""LangChain's indexing API: ``index()`` with a ``SQLRecordManager`` on SQLite, ``cleanup="full"``.

Generous to it: files are read directly instead of through ``DirectoryLoader``, the key is a
blake2b, and the store is saved only when the result says that something changed.
"""

from __future__ import annotations

import os
from pathlib import Path

from langchain_classic.indexes import SQLRecordManager
from langchain_core.documents import Document
from langchain_core.indexing import index
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmarks.baselines.common import OVERLAP, SIZE, Counted, load, main

BATCH = 20_000  # chunks; one record takes several SQL variables and SQLite allows 250,000 a statement


def documents(tree: Path) -> list[Document]:
    """Every text under ``tree``, whole."""
    paths = [Path(folder, name) for folder, _, names in os.walk(tree) for name in names if name.endswith(".txt")]
    return [Document(p.read_text(encoding="utf-8"), metadata={"source": os.path.relpath(p, tree)}) for p in paths]


def update(tree: Path, folder: Path, embedding: Counted) -> None:
    """One run of the indexing API over the whole tree, as it asks for."""
    store = load(folder, embedding)
    records = SQLRecordManager("faiss/benchmark", db_url=f"sqlite:///{folder / 'records.db'}")
    records.create_schema()
    splitter = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=OVERLAP)
    result = index(
        splitter.split_documents(documents(tree)),
        records,
        store,
        batch_size=BATCH,
        cleanup="full",
        source_id_key="source",
        key_encoder="blake2b",
    )
    if result["num_added"] or result["num_updated"] or result["num_deleted"]:
        store.save_local(str(folder))


if __name__ == "__main__":
    main(update)
