"""One reader process: ``soak_reader.py HOME OUT NUMBER`` searches until HOME/stop is there, and writes down what it saw.

A line of OUT: [start, end (monotonic ns), commit, digest]; before the first of a digest {"digest", "shown": [[path,
sha256], ...]}; {"error": ...}. Reader 0 keeps one knowledge base, the others open a new one for every search.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path

from indexer import KnowledgeBase

PAUSE = 0.03
EVERYTHING = 10**5


def main(home: Path, out: Path, number: int) -> None:
    """Search until told to stop."""
    warnings: list[str] = []  # a segment that is left out is an error here
    kb = KnowledgeBase(home, warn=warnings.append)
    settings, known = kb.settings, set[str]()
    with out.open("w") as log:
        while not (home / "stop").exists():
            start = time.monotonic_ns()
            try:
                lines = seen(kb, start, known)
                if warnings:
                    raise RuntimeError(warnings.pop())
                if number:
                    kb.close()
                    kb = KnowledgeBase(settings, warn=warnings.append)
            except Exception as e:
                lines = [{"error": repr(e), "at": start}]
            log.writelines(json.dumps(line) + "\n" for line in lines)
            log.flush()
            time.sleep(PAUSE)


def seen(kb: KnowledgeBase, start: int, known: set[str]) -> list[object]:
    """What one search tells."""
    hits = kb.search("which document", EVERYTHING)
    commits = sorted({h.commit for h in hits})
    if len(commits) > 1:
        raise RuntimeError(f"one answer from commits {commits}")
    shown = sorted({(h.key.path, h.sha256) for h in hits})
    digest = hashlib.sha256(repr(shown).encode()).hexdigest()
    line = [start, time.monotonic_ns(), *(commits or [0]), digest]
    if digest in known:
        return [line]
    known.add(digest)
    return [{"digest": digest, "shown": shown}, line]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
