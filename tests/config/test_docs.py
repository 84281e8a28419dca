"""docs/configuration.md lists exactly what the configuration has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from indexer.config import load_settings
from indexer.config.inputs import OTHER_VARIABLES
from indexer.config.layers import TABLES, keys, variable
from indexer.config.schema import ConfigFile

DOC = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text("utf-8")
ROWS = {m[1]: [c.strip() for c in m[2].split("|")] for m in re.finditer(r"(?m)^\| `([a-z_.]+)` \|(.*)\|$", DOC)}


def test_every_key_is_there_and_no_other() -> None:
    """The tables name the keys of the model, in its order."""
    assert list(ROWS) == list(keys())


@pytest.mark.parametrize("key", [k for k in keys() if not k.startswith(("sources.", "followers."))])
def test_environment_names(key: str) -> None:
    """Each key's variable is the one that works."""
    assert ROWS[key][2] == f"`{variable(key)}`"


@pytest.mark.parametrize("key", keys())
def test_defaults(key: str) -> None:
    """A default in the table is the model's own."""
    written = ROWS[key][1]
    if not written.startswith("`"):
        return
    table, _, leaf = key.rpartition(".")
    field = (TABLES[table] if table else ConfigFile).model_fields[leaf]
    assert json.loads(written.strip("`")) == field.get_default(call_default_factory=True)


def test_other_variables() -> None:
    """The variables that are no settings are all listed."""
    listed = set(re.findall(r"(?m)^\| `(INDEXER_\w+)` \|", DOC))
    assert listed == OTHER_VARIABLES


@pytest.mark.parametrize("block", re.findall(r"(?s)```toml\n(.*?)```", DOC))
def test_examples_load(tmp_path: Path, block: str) -> None:
    """What the document shows is a valid configuration."""
    (tmp_path / "indexer.toml").write_text(block, "utf-8")
    load_settings(tmp_path, {}, {})
