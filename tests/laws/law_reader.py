"""One reader process: searches in a loop and writes down what it saw and when.

    python law_reader.py HOME OUT NUMBER

Every line of OUT: [start, end (monotonic ns), commit, [[path, text], ...]] or {"error": ...}.
It ends when HOME/stop is there. Readers 0 and 1 keep one knowledge base, the others open a new one every time.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from law_writer import kb_of


def main(home: Path, out: Path, number: int) -> None:
    """Search until told to stop."""
    warnings: list[str] = []  # a segment that is left out is an error here
    kb = kb_of(home, warnings.append)
    with out.open("w") as log:
        while not (home / "stop").exists():
            start = time.monotonic_ns()
            try:
                if number > 1:
                    kb = kb_of(home, warnings.append)
                hits = kb.search("which document", 1000)
                commits = {h.commit for h in hits}
                found = sorted([h.key.path, h.text] for h in hits)
                line: object = [start, time.monotonic_ns(), sorted(commits), found]
                if warnings:
                    raise RuntimeError(warnings.pop())
                if number > 1:
                    kb.close()
            except Exception as e:
                line = {"error": repr(e)}
            log.write(json.dumps(line) + "\n")
            log.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
