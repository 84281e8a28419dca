"""The plain script: hash every file, compare with a JSON registry, keep LangChain's FAISS in step.

Generous to it: it deletes what is gone (by ids kept in the registry) and loads the store only
when something changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmarks.baselines.common import OVERLAP, SIZE, Counted, load, main

Registry = dict[str, dict[str, Any]]


def look(tree: Path) -> Registry:
    """SHA-256, size and mtime of every text under ``tree``, by relative path."""
    seen: Registry = {}
    for folder, _, names in os.walk(tree):
        for name in names:
            if not name.endswith(".txt"):
                continue
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            stat = os.stat(path)
            seen[os.path.relpath(path, tree)] = {"sha256": digest, "size": stat.st_size, "mtime": stat.st_mtime}
    return seen


def replace(tree: Path, store: FAISS, stale: list[str], fresh: list[str], seen: Registry) -> None:
    """Delete the vectors ``stale``; split, embed and add the files ``fresh``, noting their ids in ``seen``."""
    if stale:
        store.delete(stale)
    splitter = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=OVERLAP)
    documents = [Document((tree / path).read_text(encoding="utf-8"), metadata={"source": path}) for path in fresh]
    chunks = splitter.split_documents(documents)
    ids = store.add_documents(chunks) if chunks else []
    for path in fresh:
        seen[path]["ids"] = []
    for chunk, key in zip(chunks, ids, strict=True):
        seen[chunk.metadata["source"]]["ids"].append(key)


def update(tree: Path, folder: Path, embedding: Counted) -> None:
    """One run of the script."""
    registry = folder / "registry.json"
    known: Registry = json.loads(registry.read_text(encoding="utf-8")) if registry.exists() else {}
    seen = look(tree)
    for path, entry in seen.items():
        if path in known:
            entry["ids"] = known[path]["ids"]
    fresh = [p for p, entry in seen.items() if p not in known or known[p]["sha256"] != entry["sha256"]]
    gone = [p for p in known if p not in seen]
    stale = [key for p in (*fresh, *gone) if p in known for key in known[p]["ids"]]
    if fresh or gone:
        store = load(folder, embedding)
        replace(tree, store, stale, fresh, seen)
        store.save_local(str(folder))
    registry.write_text(json.dumps(seen, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(update)
