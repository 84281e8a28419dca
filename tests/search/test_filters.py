"""Filters: source, type, path, dates, version label; and the state of a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from search_scene import indexed, paths, put

from indexer import KnowledgeBase
from indexer.core.errors import UsageError
from indexer.core.model import Filters

MODES = ("hybrid", "vector", "lexical")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(types=("txt",)), {"工伤/工伤.txt", "turbine.txt", "long.txt", "marks.txt"}),
        (Filters(types=(".MD", "pdf")), {"parts.md", "other.md", "年假.md"}),
        (Filters(inside="工伤"), {"工伤/工伤.txt"}),
        (Filters(source="nowhere"), set()),
        (Filters(label="V2.1"), {"parts.md"}),
        (Filters(label="2.1", types=("md",)), {"parts.md"}),
        (Filters(label="v2"), set()),
        (Filters(after="2999-01-01"), set()),
        (Filters(before="2001-01-01"), set()),
    ],
)
def test_only_what_passes_is_found(kb: KnowledgeBase, filters: Filters, kept: set[str], mode: str) -> None:
    """In each mode, and all of it."""
    found = set(paths(kb.search("pump 工伤 turbine 年假 AB-1234/X", 1000, mode=mode, filters=filters)))
    assert found <= kept
    if mode != "lexical":
        assert found == kept


def test_a_time_that_is_none(kb: KnowledgeBase) -> None:
    """Is an error with an example."""
    with pytest.raises(UsageError, match="2026-11-30"):
        kb.search("x", filters=Filters(after="yesterday"))


@pytest.mark.parametrize("mode", MODES)
def test_dates_and_the_state_of_a_commit(tmp_path: Path, mode: str) -> None:
    """A version counts from the time of its commit; an old commit shows the old words."""
    kb = indexed(tmp_path, {"a.txt": "the old canteen", "b.txt": "the quiet library"})
    first = kb.search("canteen", 1)[0].commit
    middle = datetime.now(UTC) + timedelta(milliseconds=1)
    put(tmp_path, {"a.txt": "the new canteen"})
    while datetime.now(UTC) <= middle:
        pass
    kb.update()

    def found(**options: object) -> set[str]:
        return {h.text for h in kb.search("old new canteen library", 9, mode=mode, **options)}  # type: ignore[arg-type]

    assert found() == {"the new canteen", "the quiet library"}
    assert found(as_of=str(first)) == {"the old canteen", "the quiet library"}
    assert found(filters=Filters(after=middle.isoformat())) == {"the new canteen"}
    assert found(filters=Filters(before=middle.isoformat())) == {"the quiet library"}
    kb.close()
