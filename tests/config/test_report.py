"""`config show` and `config check`."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from indexer.config import check, load_settings, show
from indexer.settings import Settings


def loaded(home: Path, toml: str, environ: dict[str, str] | None = None, **flags: object) -> tuple[Settings, str]:
    (home / "indexer.toml").write_text(toml, "utf-8")
    settings = load_settings(home, flags, environ or {})
    return settings, show(settings, flags, environ or {})


def origins(text: str) -> dict[str, str]:
    """Key to origin; list items and tables are told apart by their order only."""
    rows = [r for r in text.splitlines() if " = " in r]
    return {r.split(" = ")[0]: r.rsplit("# ", 1)[1] for r in rows}


def test_show_says_who_set_what(tmp_path: Path) -> None:
    """Each line carries default, file, environment or flag."""
    _, text = loaded(
        tmp_path, "[split]\nsize = 99\n[loaders]\nhtml='a:B'", {"INDEXER_SPLIT__OVERLAP": "9"}, retention_days=3
    )
    found = origins(text)
    assert found["size"] == found['".html"'] == "file"
    assert found["overlap"] == "environment"
    assert found["retention_days"] == "flag"
    assert found["attempts"] == found["path"] == "default"


def test_show_is_toml_that_means_the_same(tmp_path: Path) -> None:
    """What is shown, used as indexer.toml elsewhere, gives the same settings."""
    toml = (
        "language='zh'\n[[sources]]\nname='甲 \"乙\"'\npath='x\\y'\nexclude=['*.log']\n"
        "[embedding]\nmodel='python:a:B'\nquery_prefix='q: '\n"
        "[embedding.options]\na=[1, {b='\\u007f'}]\nc=true\n[loaders]\n'.x'='a:B'"
    )
    settings, text = loaded(tmp_path, toml)
    assert tomllib.loads(text)["language"] == "zh"
    other = tmp_path / "other"
    other.mkdir()
    (other / "indexer.toml").write_text(text, "utf-8")
    again = load_settings(other, {}, {})
    assert (again.sources, again.embedding, again.loaders) == (settings.sources, settings.embedding, settings.loaders)
    assert (again.split, again.limits, again.metadata) == (settings.split, settings.limits, settings.metadata)


def test_show_masks_secrets(tmp_path: Path) -> None:
    """Keys, tokens and passwords are masked wherever they stand."""
    toml = (
        "[embedding]\nmodel='openai:m'\nbase_url='https://me:SESAME@h/v1'\napi_key='SESAME'\n"
        "options={ access_token='SESAME', deep={ password=['SESAME'] }, url='http://u:SESAME@h' }"
    )
    _, text = loaded(tmp_path, toml)
    assert "SESAME" not in text
    assert 'api_key = "***"' in text


def test_check_is_silent_when_all_is_there(tmp_path: Path) -> None:
    """No complaint about a standard folder with a class that exists."""
    (tmp_path / "knowledge_base").mkdir()
    settings, _ = loaded(tmp_path, "[embedding]\nmodel='python:json.decoder:JSONDecoder'\n[loaders]\nx='os:fspath'")
    assert check(settings, {}) == []


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("", "source knowledge_base: there is no folder"),
        ("[loaders]\nx='no_such_package.y:Z'", 'loaders ".x": there is no Python module no_such_package'),
        ("[embedding]\nmodel='python:no_such_package:Z'", "embedding.model: there is no Python module"),
        ("[embedding]\nmodel='a/b'\napi_key_env='NO_SUCH'", "the environment variable NO_SUCH is not set"),
        ("metadata='indexer.toml/m'", "cannot be written"),
        ("min_free_mb=1000000000000", "must stay free (min_free_mb)"),
        ("[embedding]\nmodel='a/b'\napi_key='x'", "holds an api_key and others can read it"),
    ],
)
def test_check_names_what_will_not_work(tmp_path: Path, toml: str, said: str) -> None:
    """What validates but cannot work here is said with its remedy."""
    os.umask(0o022)
    settings, _ = loaded(tmp_path, toml)
    assert said in "\n".join(map(str, check(settings, {})))
