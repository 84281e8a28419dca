"""The laws that every system's outcome is held against."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.right import wrongs

TEXT = "one two three\n\nfour five six\n\nfour five six\n"
RIGHT = [("a.txt", "one two three"), ("a.txt", "four five six"), ("a.txt", "four five six")]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """One file."""
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "live",
    [RIGHT, RIGHT[:2], [("a.txt", TEXT)], [("a.txt", TEXT[:20]), ("a.txt", TEXT[10:])]],
    ids=["each", "shared", "whole", "overlapping"],
)
def test_right_is_right(tree: Path, live: list[tuple[str, str]]) -> None:
    """However the text is cut: all of it is found, nothing else."""
    assert wrongs(tree, live) == []


@pytest.mark.parametrize(
    ("live", "reason"),
    [
        ([*RIGHT, ("a.txt", "one two 3")], "found 1 times, occurs 0"),
        ([*RIGHT, ("a.txt", "one two three")], "found 2 times, occurs 1"),
        (RIGHT[1:], "cannot be found: 'onetwothree'"),
        ([*RIGHT, ("b.txt", "one")], "b.txt: found, but not in the folder"),
        ([], "cannot be found"),
    ],
    ids=["stale", "leftover", "missing", "deleted", "empty"],
)
def test_wrong_is_seen(tree: Path, live: list[tuple[str, str]], reason: str) -> None:
    """Stale, left over, missing and deleted text are each named."""
    assert [w for w in wrongs(tree, live) if reason in w]
