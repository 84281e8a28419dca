"""Whether what can be found is what the folder holds; knows nothing of any splitter.

Three laws for every file: a chunk is a stretch of its present text (else it is stale), it is
found no more often than it occurs there (else it is a leftover), and every character that is
not white space lies in some chunk (else text is missing).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchmarks.trees import files_of


def wrongs(tree: Path, live: Iterable[tuple[str, str]]) -> list[str]:
    """What breaks a law, one sentence each; empty when all is right. ``live``: (POSIX path, chunk)."""
    chunks: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for path, text in live:
        chunks[path][text] += 1
    present = {p.relative_to(tree).as_posix(): p for p in files_of(tree)}
    found = [f"{path}: found, but not in the folder" for path in chunks if path not in present]
    for path, file in present.items():
        found += [f"{path}: {wrong}" for wrong in _of_file(file.read_text(encoding="utf-8"), chunks[path])]
    return found


def _of_file(text: str, chunks: Counter[str]) -> list[str]:
    wrong = []
    covered = bytearray(len(text))
    for chunk, count in chunks.items():
        places = _places(text, chunk)
        if count > len(places):
            wrong.append(f"found {count} times, occurs {len(places)} times: {chunk[:40]!r}")
        for at in places:
            covered[at : at + len(chunk)] = b"\x01" * len(chunk)
    missing = "".join(c for c, hit in zip(text, covered, strict=True) if not hit and not c.isspace())
    return [*wrong, f"cannot be found: {missing[:40]!r}"] if missing else wrong


def _places(text: str, chunk: str) -> list[int]:
    """Where ``chunk`` occurs, overlaps included."""
    places, at = [], text.find(chunk)
    while chunk and at >= 0:
        places.append(at)
        at = text.find(chunk, at + 1)
    return places
