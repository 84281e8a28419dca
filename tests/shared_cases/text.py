"""Prints a file's whole parsed text in UTF-8; a refused file ends with 1 and the reason on stderr."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from indexer.core.errors import FileProblem
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers
from indexer.sources.rules import junk


def text(path: Path) -> str:
    """The parsed text of a file. Raises FileProblem."""
    parsers = Parsers(ParseLimits())
    try:
        return parsers.parse(path.name, path.read_bytes()).text
    finally:
        parsers.close()


def main(path: Path) -> int:
    """The exit code for one file."""
    rule = junk(os.fsencode(path.name))
    if rule is not None:
        print(f"ignored: {rule}", file=sys.stderr)
        return 1
    try:
        sys.stdout.buffer.write(text(path).encode())
    except FileProblem as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
