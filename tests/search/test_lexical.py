"""What stands in a text is found by its words: codes, numbers, names, Chinese, phrases."""

from __future__ import annotations

import pytest
from search_scene import paths

from indexer import KnowledgeBase
from indexer.core.errors import UsageError


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("AB-1234/X", "parts.md"), ("ab-1235/x", "other.md"), ("77-0042", "parts.md"), ("３．１４", "other.md"),
        ("müller söhne", "parts.md"), ("GB/T 19001-2016", "年假.md"), ("19001", "年假.md"), ("HR-2024-007", "年假.md"),
        ("工伤保险费由谁缴纳", "工伤/工伤.txt"), ("年假有几天", "年假.md"), ("seal 密封 AB-1234", "parts.md"),
    ],
)  # fmt: skip
def test_the_right_document_comes_first(kb: KnowledgeBase, query: str, path: str, mode: str) -> None:
    """By its words alone, and in hybrid search though the vectors here know nothing."""
    hit = kb.search(query, 3, mode=mode)[0]
    assert hit.key.path == path
    assert "lexical" in hit.found_by


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"AB-1234/X"', ["parts.md"]), ('"ab-1234"', ["parts.md"]), ('"享受工伤保险"', ["工伤/工伤.txt"]), ('"工伤 保险"', []),
        ('pump "needs a valve"', ["other.md"]), ('"need"', []), ('"AB-12"', []), ('"NEEDS  a\nvalve"', ["other.md"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_a_phrase_in_quotes_is_found_exactly(kb: KnowledgeBase, query: str, found: list[str], mode: str) -> None:
    """As it stands but for case, width and white space, never within a longer word; otherwise nothing is found."""
    assert paths(kb.search(query, 50, mode=mode)) == found


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '""',
        "*",
        "AND OR NOT",
        "a*b",
        '"*"',
        "(",
        "！？。",
        " ",
        "",
        "NEAR(a b)",
        "x:y",
        '5" and 6"',
        "\ud800",
        "\0",
    ],
)
@pytest.mark.parametrize("mode", ["lexical", "hybrid", "vector"])
def test_marks_and_operators_are_text(kb: KnowledgeBase, query: str, mode: str) -> None:
    """No query is an error."""
    assert isinstance(kb.search(query, 3, mode=mode), list)


def test_by_words_no_model_is_asked(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it works while the model's server does not."""
    monkeypatch.setattr(kb, "model", None)
    [hit] = kb.search('"turbine in short"', 5, mode="lexical")
    assert (hit.score, hit.found_by) == (0.0, ("lexical",))


def test_everything_is_found_in_the_end(kb: KnowledgeBase) -> None:
    """With k large enough; and what comes first does not change with k."""
    everything = kb.search("turbines 年假", 10_000)
    assert sorted(everything) == sorted(
        h._replace(fused=e.fused, found_by=e.found_by)
        for h in kb.search("turbines 年假", 10_000, mode="vector")
        for e in everything
        if (e.key, e.start) == (h.key, h.start)
    )
    for k in (1, 3, 7):
        assert kb.search("turbines 年假", k) == everything[:k]


def test_the_score_is_the_cosine_whoever_found_it(kb: KnowledgeBase) -> None:
    """Also of what only the words found."""
    cosine = {(h.key, h.start): h.score for h in kb.search("AB-1234/X", 10_000, mode="vector")}
    for hit in kb.search("AB-1234/X", 10_000):
        assert hit.score == pytest.approx(cosine[hit.key, hit.start], abs=1e-6)


def test_room_for_other_documents(kb: KnowledgeBase) -> None:
    """So many of one document first, the others of it after all the rest, none lost."""
    plain, spread = (kb.search("turbine report bearings", 30, per_document=n) for n in (0, 2))
    assert paths(plain[:5]).count("long.txt") > 2
    assert paths(spread[:5]).count("long.txt") == 2
    assert sorted(map(str, spread)) == sorted(map(str, kb.search("turbine report bearings", 30, per_document=99)))


def test_no_four_in_a_row(kb: KnowledgeBase) -> None:
    """Of one document, while there are others."""
    found = paths(kb.search("turbine report bearings paragraph", 6))
    assert all(len(set(found[i : i + 4])) > 1 for i in range(3))


def test_a_mode_nobody_knows(kb: KnowledgeBase) -> None:
    """Is an error that names those there are."""
    with pytest.raises(UsageError, match="hybrid, vector, lexical"):
        kb.search("x", mode="fuzzy")
