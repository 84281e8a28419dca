"""Everything the product finds, one ``[path, text]`` a line as JSON: ``python -m benchmarks.live HOME``.

A search for more chunks than there are returns them all, so this goes the way of every search.
"""

from __future__ import annotations

import json
import sys

from indexer.api import KnowledgeBase

ALL = 10_000_000


def main(home: str) -> None:
    """Print every hit of a search in the knowledge base ``home``."""
    base = KnowledgeBase(home)
    for hit in base.search("everything", ALL):
        print(json.dumps([hit.key.path, hit.text]))
    base.close()


if __name__ == "__main__":
    main(sys.argv[1])
