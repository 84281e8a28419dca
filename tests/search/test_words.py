"""The lexical index of a segment holds exactly the tokens of its texts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.errors import StoreDamaged
from indexer.store import texts, words
from indexer.store.texts import Texts
from indexer.tokens import tokens

TEXTS = st.lists(st.text(st.sampled_from("ab12-. 年假\n"), max_size=20), min_size=1, max_size=12)


def file(tmp_path: Path, data: list[str]) -> Texts:
    """A text file of these texts."""
    path = tmp_path / "000001.texts"
    path.write_bytes(texts.encode(range(5, 5 + len(data)), [t.encode() for t in data]))
    return Texts(path)


@given(TEXTS, st.integers(1, 5))
@settings(deadline=None)
def test_each_token_of_each_text(tmp_path_factory: pytest.TempPathFactory, data: list[str], portion: int) -> None:
    """As often as it stands there, whatever the portions they are made in."""
    kept = words._SLICE
    words._SLICE = portion
    try:
        opened = file(tmp_path_factory.mktemp("words"), data)
    finally:
        words._SLICE = kept
    index = opened.words()
    assert index is not None
    wanted = Counter((k, r) for r, text in enumerate(data) for k in tokens([text]).keys.tolist())
    keys = np.unique(np.array([k for k, _ in wanted], dtype=np.uint64))
    found = {
        (k, r): n
        for k, (rows, times) in zip(keys.tolist(), index.postings(keys), strict=True)
        for r, n in zip(rows.tolist(), times.tolist(), strict=True)
    }
    assert found == wanted
    assert index.lengths.tolist() == [len(tokens([t]).keys) for t in data]
    assert [len(rows) for rows, _ in index.postings(np.array([3, 2**63 - 1], dtype=np.uint64))] == [0, 0]
    assert [opened.get(5 + i) for i in range(len(data))] == data


PAIRS = st.integers(1, 40).flatmap(
    lambda bits: st.tuples(
        st.just(bits),
        st.lists(st.tuples(st.one_of(st.integers(0, 9), st.integers(0, 2**64 - 1)), st.integers(0, 2**bits - 1))),
    )
)


@given(PAIRS)
def test_pairs_in_order(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    """By the first number and then the second, whether both fit into one or not."""
    bits, pairs = drawn
    keys, low = words.in_order(*(np.array([p[i] for p in pairs], dtype=np.uint64) for i in (0, 1)), bits)
    assert list(zip(keys.tolist(), low.tolist(), strict=True)) == sorted(pairs)


def test_another_version_of_the_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is no index: the next update makes one; a file that says something else is damaged."""
    opened = file(tmp_path, ["tea", "rice"])
    with monkeypatch.context() as patched:
        patched.setattr(words, "VERSION", words.VERSION + 1)
        assert opened.words() is None
    data = bytearray(opened.path.read_bytes())
    at = data.index(words.MAGIC)
    for cut in (data[:at] + b"somewhat" + data[at + 8 :], data[: at + 20], data[:-9]):
        opened.path.with_suffix(".x").write_bytes(cut)
        with pytest.raises(StoreDamaged):
            Texts(opened.path.with_suffix(".x")).words()
