"""Laws of the tokeniser."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.tokens import contains, normal, plain, tokens

TEXT = st.text(st.one_of(st.characters(), st.sampled_from("ab12-./ 年假工伤ＡＢ\n'\"")), max_size=60)


def keys(text: str) -> list[int]:
    """Of one text."""
    return sorted(tokens([text]).keys.tolist())


@settings(deadline=None)
@given(st.lists(TEXT, max_size=8))
def test_each_text_has_its_own_tokens(texts: list[str]) -> None:
    """The same together with others as alone."""
    together = tokens(texts) if texts else None
    for i, text in enumerate(texts):
        assert together is not None
        assert sorted(together.keys[together.rows == i].tolist()) == keys(text)


@settings(deadline=None)
@given(TEXT)
def test_width_and_case_do_not_matter(text: str) -> None:
    """What is normal stays as it is, and has the same tokens."""
    assert normal(normal(text)) == normal(text)
    assert keys(text) == keys(normal(text))


@settings(deadline=None)
@given(TEXT, TEXT, TEXT)
def test_what_contains_a_phrase_has_its_tokens(before: str, phrase: str, after: str) -> None:
    """So the lexical index never hides a passage in which a phrase stands."""
    text = before + phrase + after
    if contains(text, phrase):
        assert plain(phrase) in plain(text)
        assert set(tokens([phrase], codes=False).keys.tolist()) <= set(keys(text))


def test_what_a_token_is() -> None:
    """Characters and pairs, words, and codes of several words."""
    assert len(keys("年假")) == 3
    assert len(keys("年 假")) == 2
    assert len(keys("annual leave")) == 2
    assert len(keys("AB-1234")) == 3
    assert keys("!!! ---") == []
    assert keys("Straße ＡＢ") == keys("strasse ab")
    assert set(keys("3.14")) & set(keys("3.15")) == set(keys("3"))
