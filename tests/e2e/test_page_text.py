"""Text cut into pieces for the pages: nothing is lost, nothing is added, and the right pieces are marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.web.ui import marks, words


def marked(pieces: list[marks.Piece]) -> list[str]:
    return [p.text for p in pieces if p.marked]


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("Remote work is work.", "How much remote work?", ["Remote", "work", "work"]),
        ("The workshop", "work", []),
        ("员工可享受婚假十天。", "婚假有几天？", ["婚假"]),
        ("LW-300P and LW-300", "LW-300", ["LW-300"]),
        ("<b>days</b>", "days", ["days"]),
        ("anything", "the of a", []),
        ("anything", "", []),
    ],
)
def test_words_of_a_query(text: str, query: str, found: list[str]) -> None:
    """Whole words in any case, Chinese by its words, nothing that every text holds."""
    assert marked(marks.matched(text, query)) == found


@given(st.text(max_size=200), st.text(max_size=60))
def test_marking_changes_no_text(text: str, query: str) -> None:
    """The pieces together are the text."""
    assert "".join(p.text for p in marks.matched(text, query)) == text


@given(st.text(alphabet="a[]123 ", max_size=60), st.sets(st.integers(1, 12)))
def test_references_change_no_text(text: str, numbers: set[int]) -> None:
    """Only numbers that are there are references; the pieces together are the text."""
    pieces = marks.referenced(text, frozenset(numbers))
    assert "".join(p.text for p in pieces) == text
    assert {p.number for p in pieces} - {0} <= numbers


@given(st.integers(0, 300_000), st.integers(0, 400_000))
def test_windows(length: int, around: int) -> None:
    """What is asked for is shown, and the windows next to it leave no gap and lead on."""
    shown = marks.window(length, around)
    assert 0 <= shown.start <= shown.end <= length
    assert shown.end - shown.start <= marks.WINDOW
    assert shown.start <= min(around, length) <= shown.end
    if shown.after is None:
        assert shown.end == length
    else:
        later = marks.window(length, shown.after)
        assert shown.start < later.start <= shown.end < later.end
    if shown.before is None:
        assert shown.start == 0
    else:
        earlier = marks.window(length, shown.before)
        assert earlier.start < shown.start <= earlier.end


def test_a_passage_across_sections() -> None:
    """A passage is marked in every section it reaches into; sections keep their places."""
    sections = [
        {"start": 0, "end": 5, "headings": ["A"], "page": 1, "place": ""},
        {"start": 5, "end": 9, "headings": [], "page": 2, "place": "L3"},
    ]
    found = marks.parts("abcd\nefgh", sections, marks.window(9, 0), (3, 7))
    assert [(p.headings, p.page, p.place) for p in found] == [(["A"], 1, ""), ([], 2, "L3")]
    assert [marked(list(p.pieces)) for p in found] == [["d\n"], ["ef"]]


def test_long_unchanged_stretches_are_folded() -> None:
    """A difference shows three lines around it, and how many it leaves out."""
    same = [{"kind": "same", "text": f"line {n}\n"} for n in range(10)]
    lines = marks.folded([*same, {"kind": "added", "text": "new\n"}, *same])
    assert [(line["kind"], line["count"]) for line in lines] == [
        ("gap", 7), *[("same", 0)] * 3, ("added", 0), *[("same", 0)] * 3, ("gap", 7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 B"), (1023, "1023 B"), (2048, "2.0 KB"), (50_000, "49 KB"), (3 * 2**30, "3.0 GB"), (None, "–")],
)
def test_sizes(value: int | None, text: str) -> None:
    """Bytes as people say them."""
    assert words.size(value) == text


def test_how_long_ago() -> None:
    """In both languages, for what was and for what comes."""
    at = 1_800_000_000
    for seconds, english, chinese in (
        (30, "30 s ago", "30 秒前"),
        (-25, "in 25 s", "25 秒后"),
        (7200, "2 h ago", "2 小时前"),
        (-7200, "in 2 h", "2 小时后"),
    ):
        moment = (at - seconds) * 10**9
        assert words.ago(moment, "en", lambda: at) == english
        assert words.ago(moment, "zh", lambda: at) == chinese
    assert words.ago(None, "en") == words.ago("no time", "en") == ""
