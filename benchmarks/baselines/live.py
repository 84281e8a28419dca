"""What a recipe's store holds: one ``[path, text]`` a line as JSON, for either recipe."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from langchain_core.documents import Document

from benchmarks.baselines.common import embedder, load


def main() -> None:
    """Print every chunk that a search in the store can return."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--embeddings", required=True, metavar="package.module:Class")
    args = parser.parse_args()
    store = load(args.store, embedder(args.embeddings))
    for key in store.index_to_docstore_id.values():
        found = store.docstore.search(key)
        assert isinstance(found, Document), found
        print(json.dumps([found.metadata["source"], found.page_content]))


if __name__ == "__main__":
    main()
