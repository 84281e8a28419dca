"""Prints what the product makes of one file, as the JSON object that check_files.py judges.

Runs the real parsers (with their worker process) and the real splitter at 250 characters without overlap.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from indexer.core.errors import FileProblem
from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits, SplitSettings
from indexer.parse import Parsers
from indexer.sources.rules import junk
from indexer.split import make_splitter

SPLIT = SplitSettings(size=250, overlap=0, provisions_factor=1)


def extract(path: Path) -> dict[str, object]:
    """The verdict on one file."""
    rule = junk(os.fsencode(path.name))
    if rule is not None:
        return verdict("ignored", str(rule))
    parsers = Parsers(ParseLimits())
    try:
        parsed = parsers.parse(path.name, path.read_bytes())
    except FileProblem as problem:
        return verdict("failed", str(problem))
    finally:
        parsers.close()
    return verdict(parsed.state.value, "; ".join(map(str, parsed.notes)), parsed)


def verdict(status: str, reason: str, parsed: Parsed | None = None) -> dict[str, object]:
    """The object in the form the checker wants."""
    chunks = make_splitter(SPLIT)(parsed) if parsed is not None else ()
    headings = [] if parsed is None else sorted({h for section in parsed.sections for h in section.headings})
    return {
        "status": status,
        "reason": reason,
        "chunks": [chunk.text for chunk in chunks],
        "pages": [chunk.page for chunk in chunks],
        "split_checked": True,
        "headings": headings,
    }


if __name__ == "__main__":
    print(json.dumps(extract(Path(sys.argv[1]))))
