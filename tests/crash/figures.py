"""How much is tried, and how much was."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

FULL = os.environ.get("INDEXER_TEST_CRASH") == "full"
"""Every step instead of a spread of them, more kills, more flips."""

tried: Counter[str] = Counter()


def line() -> str:
    """One line for the end of ``make crash``; empty when nothing was tried."""
    return "crash: " + ", ".join(f"{name} {count}" for name, count in tried.items()) if tried else ""


def spread(steps: Sequence[Sequence[str]], few: int, many: int = 10_000) -> list[int]:
    """Which steps to try: ``many`` at most in full mode, else ``few``; one of each kind and the others evenly."""
    at_most = many if FULL else few
    if len(steps) <= at_most:
        return list(range(len(steps)))
    kinds: dict[tuple[str, ...], int] = {}
    for n, (kind, what) in enumerate(steps):
        kinds.setdefault((kind, *what.split()[:3]) if kind == "sql" else (kind, what.rpartition(".")[2][:8]), n)
    chosen = set(list(kinds.values())[:at_most])
    every = max(1, len(steps) // max(1, at_most - len(chosen)))
    return sorted(chosen | set(range(0, len(steps), every)))
