"""The rules asked about an event's name are the walk's own."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.tables import Source
from indexer.sources import folder
from indexer.triggers.watch.relevance import Relevance

SUFFIXES = (".txt", ".md", ".swp")
_NAME = st.sampled_from(
    ("a.txt", "A.TXT", "b.md", "b.md~", "~$a.txt", ".a.txt.swp", "x", ".txt", "c.txt.part", "d", "e", ".git", "4913", "two.dots.txt")
)  # fmt: skip
_PATH = st.lists(_NAME, min_size=1, max_size=3).map("/".join)
_RULES = st.lists(st.sampled_from(("*.txt", "/a.txt", "d/", "!a.txt", "d/*.md", "e")), max_size=3)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PATH, min_size=1, max_size=8), _RULES, _RULES, _RULES, st.sampled_from(((), ("*.txt",), ("d/",))))
def test_the_same_names_count(
    paths: list[str], top: list[str], deep: list[str], exclude: list[str], include: tuple[str, ...]
) -> None:
    """A file is a candidate of the walk exactly when every folder above it and its own name count."""
    root = Path(tempfile.mkdtemp())
    try:
        for path in paths:
            try:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text("x")
            except OSError:
                continue
        for where, lines in ((root, top), (root / "d", deep)):
            if where.is_dir():
                (where / ".indexerignore").write_text("\n".join(lines))
        source = Source("s", str(root), include, tuple(exclude))
        look = folder.scan(source, SUFFIXES, 0)
        for path in sorted(p for p in root.rglob("*") if p.is_file() and p.name != ".indexerignore"):
            rel = bytes(path.relative_to(root))
            assert _counts(source, root, rel) is look.has(rel), rel
    finally:
        shutil.rmtree(root)


def _counts(source: Source, root: Path, path: bytes) -> bool:
    relevance = Relevance(source, SUFFIXES)
    full, rules = bytes(root), relevance.rules(bytes(root), b"", relevance.top)
    at = b""
    for step in path.split(b"/")[:-1]:
        at = at + b"/" + step if at else step
        if not relevance.folder(at, rules):
            return False
        rules = relevance.rules(full, at, rules)
    return relevance.document(path, rules)


def test_rules_count_themselves() -> None:
    """A file of rules is no document, and changes what is one."""
    assert Relevance(Source("s", "/"), SUFFIXES).document(b"d/.indexerignore", None)
