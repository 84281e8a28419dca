"""The light engines: the hash twin, dotted paths, USE-multilingual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from embed_texts import EN, ZH, mixed
from embedder_contract import EmbedderContract

from indexer import embed
from indexer.core.errors import ConfigError, EmbeddingFailed
from indexer.core.ports import Embedder
from indexer.core.tables import EmbeddingSettings
from indexer.embed.hashing import HashEmbedder

HASH = "python:indexer.embed.hashing:HashEmbedder"


class TestHash(EmbedderContract):
    """The twin keeps the port's contract."""

    understands = False

    @pytest.fixture
    def embedder(self) -> Embedder:
        """A fresh one."""
        return HashEmbedder()


class TestDotted(EmbedderContract):
    """A class by dotted path keeps the port's contract."""

    understands = False

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The hash twin, loaded as a user would name it."""
        return embed.load(EmbeddingSettings(model=HASH, options={"dimension": 64}, batch_size=7))


class TestUse(EmbedderContract):
    """The fallback model keeps the port's contract."""

    @pytest.fixture
    def embedder(self, use: Embedder) -> Embedder:
        """Loaded once."""
        return use

    def test_threads(self, embedder: Embedder) -> None:
        """One thread gives the same bits as two; weights are in the identity, threads are not."""
        other = embed.load(EmbeddingSettings(model="builtin:use-multilingual", threads=1))
        assert np.array_equal(other.embed_documents(mixed()), embedder.embed_documents(mixed()))
        assert other.identity() == embedder.identity()
        assert len(dict(embedder.identity())["weights"]) == 2

    def test_two_languages(self, embedder: Embedder) -> None:
        """A Chinese question finds the Chinese passage."""
        assert int(np.argmax(embedder.embed_documents(ZH) @ embedder.embed_query("婚假有几天"))) == 0


def test_hash_vectors_tell_texts_apart() -> None:
    """Ten thousand texts have ten thousand vectors; the salt makes another model; it counts texts and calls."""
    embedder, before = HashEmbedder(), HashEmbedder.total_texts
    texts = [f"text {n}" for n in range(10_000)]
    rows = embedder.embed_documents(texts)
    assert len(np.unique(rows, axis=0)) == len(texts)
    assert np.sort(rows @ rows[77])[-2] < 0.9
    assert not np.array_equal(HashEmbedder(salt="b").embed_query("x"), embedder.embed_query("x"))
    assert HashEmbedder(salt="b").identity() != embedder.identity()
    assert (embedder.calls, embedder.texts, HashEmbedder.total_texts - before) == (1, 10_000, 10_000)


def test_hash_vectors_never_change() -> None:
    """The vector of a text is fixed for good: benchmarks of different versions can be compared."""
    assert np.argsort(HashEmbedder(dimension=8).embed_query("婚假")).tolist() == [6, 7, 2, 4, 1, 0, 3, 5]


class Lists:
    """A LangChain-style class that gives lists, not normalised, and knows its revision."""

    def __init__(self, revision: str = "1", api_key: str = "", width: int = 3) -> None:
        self.revision, self.api_key, self.width = revision, api_key, width

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Three numbers a text."""
        return [[float(len(text)), 1.0, 0.0][: self.width] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The same for a query."""
        return self.embed_documents([text])[0]

    def identity(self) -> Mapping[str, object]:
        """What else decides a vector."""
        return {"revision": self.revision}


class Broken(Lists):
    """Gives what no embedder should, for certain texts."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Each trigger word breaks another rule."""
        rows = super().embed_documents(texts)
        match texts[-1]:
            case "raise":
                raise RuntimeError("out of order")
            case "few":
                return rows[:-1]
            case "nan":
                rows[-1][0] = float("nan")
            case "width":
                return [row[:2] for row in rows]
            case "ragged":
                rows[-1] = [1.0]
            case "none":
                return None  # type: ignore[return-value]
        return rows


def _dotted(name: str, **options: object) -> Embedder:
    return embed.load(EmbeddingSettings(model=f"python:{__name__}:{name}", options=options))


def test_rows_of_a_foreign_class_are_normalised() -> None:
    """Whatever the class gives is scaled to norm 1."""
    rows = _dotted("Lists").embed_documents(["abc", "de"])
    assert np.allclose(rows[0], np.array([3, 1, 0]) / np.sqrt(10))


def test_identity_of_a_foreign_class() -> None:
    """Path, options, dimension and the class's own identity count; a secret's value does not and is never shown."""
    first = _dotted("Lists").identity()
    assert _dotted("Lists", revision="2").identity() != first
    assert _dotted("Lists", width=2).identity() != first
    assert "hunter2" not in str(_dotted("Lists", api_key="hunter2").identity())
    assert _dotted("Lists", api_key="a").identity() == _dotted("Lists", api_key="b").identity()
    assert first["own"] == {"revision": "1"}


@pytest.mark.parametrize("trigger", ["raise", "few", "nan", "width", "ragged", "none"])
def test_a_broken_class_fails_the_embedding(trigger: str) -> None:
    """Errors, missing rows, NaN, another width: EmbeddingFailed that names the class, never a wrong row."""
    embedder = _dotted("Broken")
    assert embedder.embed_documents(["fine"]).shape == (1, 3)
    with pytest.raises(EmbeddingFailed, match="Broken"):
        embedder.embed_documents(["fine", trigger])


@pytest.mark.parametrize(
    ("model", "options", "says"),
    [
        ("python:no_such_package.at_all:Class", {}, "cannot import no_such_package"),
        ("python:indexer.embed.hashing:HashEmbeder", {}, 'did you mean "HashEmbedder"'),
        (HASH, {"dimensions": 3}, "dimensions"),
        ("python:collections:OrderedDict", {}, "no LangChain Embeddings"),
    ],
)
def test_wrong_classes_are_configuration_errors(model: str, options: Mapping[str, object], says: str) -> None:
    """What cannot be imported, found, made or used names the cause and the nearest right name."""
    with pytest.raises(ConfigError, match=says):
        embed.load(EmbeddingSettings(model=model, options=options))


def test_a_real_langchain_class() -> None:
    """LangChain's own Embeddings classes load by dotted path."""
    embedder = embed.load(
        EmbeddingSettings(model="python:langchain_core.embeddings:DeterministicFakeEmbedding", options={"size": 16})
    )
    rows = embedder.embed_documents(EN)
    assert rows.shape == (len(EN), 16)
    assert np.array_equal(rows[0], embedder.embed_query(EN[0]))


def test_calls_are_cut_into_slices() -> None:
    """A class gets at most batch_size texts a call, so that progress and Ctrl-C come through."""
    seen: list[int] = []
    embedder = embed.load(EmbeddingSettings(model=HASH, batch_size=4))
    embedder.embed_documents(["x"] * 10, seen.append)
    assert seen == [4, 4, 2]


def _sequence_is_kept(texts: Sequence[str]) -> None:
    embedder = HashEmbedder()
    rows = embedder.embed_documents(tuple(texts))
    assert all(np.array_equal(row, embedder.embed_query(text)) for row, text in zip(rows, texts, strict=True))


def test_any_sequence_will_do() -> None:
    """Tuples serve as well as lists."""
    _sequence_is_kept(mixed())
