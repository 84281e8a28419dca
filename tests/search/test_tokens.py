"""Laws of the tokeniser."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import tokens as module
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


@settings(max_examples=500)
@given(
    st.lists(
        st.one_of(
            TEXT, st.text("ががｶﾞ각ㄱㅏ가ᄀ" + chr(0x1161) + chr(0x11A8) + "e\u0301\u3099é\u0323İﬀ…①㎏Ａ", max_size=8)
        ),
        max_size=4,
    )
)
def test_texts_together_are_normal_like_each_alone(texts: list[str]) -> None:
    """The table of single characters is a short cut, not another rule."""
    points, rows = module._normal(texts)
    for i, text in enumerate(texts):
        assert "".join(map(chr, points[rows == i].tolist())) == normal(text) + "\n"


def test_a_single_character_stands_for_itself() -> None:
    """None that the table answers for can join what stands before it, as Unicode's own compositions tell."""
    code_points = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in ("Cn", "Co")]
    pairs = [d.split() for c in code_points if (d := unicodedata.decomposition(c)) and d[0] != "<"]
    joiners = {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2}
    joiners |= {chr(n) for n in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    answered = [c for c in code_points if module._single(ord(c)) != module._NEVER]
    assert len(answered) > 0.9 * len(code_points)
    for c in answered:
        for form in (c, unicodedata.normalize("NFKC", c).casefold()):
            first = unicodedata.normalize("NFKD", form)[0]
            assert first not in joiners, f"U+{ord(c):04X}"
            assert unicodedata.combining(first) == 0, f"U+{ord(c):04X}"
        assert chr(module._single(ord(c))) == normal(c)


def test_what_a_token_is() -> None:
    """Characters and pairs, words, and codes of several words."""
    assert len(keys("年假")) == 3
    assert len(keys("年 假")) == 2
    assert len(keys("annual leave")) == 2
    assert len(keys("AB-1234")) == 3
    assert keys("!!! ---") == []
    assert keys("Straße ＡＢ") == keys("strasse ab")
    assert set(keys("3.14")) & set(keys("3.15")) == set(keys("3"))
