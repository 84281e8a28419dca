"""`indexer init`: everything a knowledge base needs, nothing of the user's touched."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from indexer.config import load_settings
from indexer.config.layers import TABLES, keys
from indexer.core.errors import ConfigError, UsageError
from indexer.scaffold import ignore_rules, init, template
from indexer.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    "indexer.toml",
    "knowledge_base",
    "knowledge_base/README.md",
    "knowledge_base/.indexerignore",
    "metadata",
    "metadata/README.md",
    "vectorstore",
    "vectorstore/README.md",
]


def rules(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]


def test_it_makes_all_and_says_so(tmp_path: Path) -> None:
    """The list is exactly what was made, the folder itself included."""
    home = tmp_path / "new" / "kb"
    assert init(home, environ={}) == [home, *(home / f for f in FILES)]
    assert load_settings(home, {}, {}) == Settings(str(home))
    assert rules(home / "knowledge_base" / ".indexerignore") == ["/README.md"]


def test_a_second_time_it_makes_nothing(tmp_path: Path) -> None:
    """Only what is missing is made; changed files stay as they are."""
    init(tmp_path, environ={})
    (tmp_path / "indexer.toml").write_text("language = 'zh'\n")
    (tmp_path / "metadata" / "README.md").unlink()
    assert init(tmp_path, model="builtin:use-multilingual", environ={}) == [tmp_path / "metadata" / "README.md"]
    assert (tmp_path / "indexer.toml").read_text() == "language = 'zh'\n"


def test_a_readme_of_the_user_stays_a_document(tmp_path: Path) -> None:
    """README.md is left out of the index only if it is ours."""
    (tmp_path / "knowledge_base").mkdir()
    (tmp_path / "knowledge_base" / "README.md").write_text("mine")
    init(tmp_path, environ={})
    assert (tmp_path / "knowledge_base" / "README.md").read_text() == "mine"
    assert rules(tmp_path / "knowledge_base" / ".indexerignore") == []


def test_an_existing_configuration_says_where(tmp_path: Path) -> None:
    """The folders indexer.toml names are made, but no source outside home (it may be a mount)."""
    outside = tmp_path / "mount"
    home = tmp_path / "kb"
    home.mkdir()
    (home / "indexer.toml").write_text(
        f"metadata = 'm'\n[[sources]]\npath = 'docs'\n[[sources]]\npath = '{outside}'\n", "utf-8"
    )
    init(home, environ={"INDEXER_VECTORSTORE": "v"})
    assert sorted(p.name for p in home.iterdir()) == ["docs", "indexer.toml", "m", "v"]
    assert [p.name for p in (home / "docs").iterdir()] == [".indexerignore"]
    assert not outside.exists()


@pytest.mark.parametrize("model", ["builtin:use-multilingual", "BAAI/bge-base-zh-v1.5", 'a"b\\c', "模型/甲"])
def test_the_model_is_written(tmp_path: Path, model: str) -> None:
    """The chosen model stands in indexer.toml, whatever characters it has."""
    init(tmp_path, model=model, environ={})
    assert tomllib.loads((tmp_path / "indexer.toml").read_text("utf-8"))["embedding"]["model"] == model
    assert load_settings(tmp_path, {}, {}).embedding.model == model


def test_a_wrong_model_leaves_nothing_half_made(tmp_path: Path) -> None:
    """A model that is none is refused, and no indexer.toml stays."""
    with pytest.raises(ConfigError, match="did you mean builtin:e5-small"):
        init(tmp_path, model="builtin:e5-smal", environ={})
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    """A file where a folder must be is not touched."""
    (tmp_path / "metadata").write_text("x")
    with pytest.raises(UsageError, match="metadata is a file"):
        init(tmp_path, environ={})
    assert (tmp_path / "metadata").read_text() == "x"


def uncommented() -> dict[str, Any]:
    """The template with every ``#key = value`` made active."""
    text = re.sub(r"(?m)^#([\w\".]+ += |\[\[)", r"\1", template("indexer.toml")).replace(
        "@MODEL@", '"builtin:e5-small"'
    )
    return tomllib.loads(text)


LISTS = ("sources", "followers")


def test_the_template_shows_every_key_with_its_default(tmp_path: Path) -> None:
    """Uncommented, the generated file names each key once and changes nothing."""
    table = uncommented()
    found = set(table) | {f"{t}.{k}" for t in TABLES if t not in LISTS for k in table[t]}
    found |= {f"{t}.{k}" for t in LISTS for k in table[t][0]}
    assert found == set(keys())
    for example in ("loaders", "followers"):  # not defaults
        table.pop(example)
    del table["embedding"]["query_prefix"], table["embedding"]["passage_prefix"]  # unset is the default
    (tmp_path / "indexer.toml").touch()
    assert load_settings(tmp_path, table, {}) == Settings(str(tmp_path))


def test_what_decides_the_vectors_is_pinned() -> None:
    """Model and sizes are active lines: a later default must not embed everything again."""
    table = tomllib.loads(template("indexer.toml").replace("@MODEL@", '"m"'))
    assert table["embedding"]["model"] == "m"
    assert table["split"] == {"size": 256, "overlap": 50, "provisions_factor": 2}


def test_the_repository_is_made_by_the_same_templates() -> None:
    """The project's own folders do not drift from what init writes."""
    for name, text in (
        ("indexer.toml", template("indexer.toml").replace("@MODEL@", '"builtin:e5-small"')),
        ("metadata/README.md", template("metadata.md")),
        ("vectorstore/README.md", template("vectorstore.md")),
        ("knowledge_base/.indexerignore", ignore_rules(readme_is_ours=True)),
    ):
        assert (ROOT / name).read_text("utf-8") == text, name
