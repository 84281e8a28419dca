"""The embedding benchmark measures what it says: same texts, right rows, plain arithmetic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import embedding


def test_generated_chunks() -> None:
    """Chunks depend on their number alone, differ, have the stated sizes and languages."""
    made = embedding.texts(None, 50)
    assert made == embedding.texts(None, 50)
    for language, (low, high) in embedding._SIZES.items():
        assert len(set(made[language])) == 50
        assert all(low <= len(text) <= high for text in made[language])
    assert all(text.isascii() for text in made["en"])
    assert not any(character.isascii() for text in made["zh"] for character in text)


def test_texts_from_a_file(tmp_path: Path) -> None:
    """A file's texts are taken in order."""
    (tmp_path / "t.json").write_text(json.dumps({"zh": ["一", "二", "三"], "en": ["a", "b", "c"]}))
    assert embedding.texts(tmp_path / "t.json", 2) == {"zh": ["一", "二"], "en": ["a", "b"]}


def test_least_cosine() -> None:
    """The worst pair counts."""
    assert embedding.cosine([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.6, 0.8]]) == pytest.approx(0.8)


def test_a_worker_measures_our_engine(tmp_path: Path) -> None:
    """A real worker process loads our engine, embeds a round and tells time, memory and rows of norm 1."""
    process = embedding.Process("ours", tmp_path)
    answer = process.embed(["a", "b"])
    process.end()
    assert process.load_s > 0
    assert answer["wall_s"] > 0
    assert answer["rss_mb"] > 50
    assert embedding.cosine(answer["rows"], answer["rows"]) == pytest.approx(1, abs=1e-5)
