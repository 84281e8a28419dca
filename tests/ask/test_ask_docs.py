"""What docs/ask.md shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from model_server import Scripted

from indexer.config import load_settings

DOC = (Path(__file__).resolve().parents[2] / "docs" / "ask.md").read_text("utf-8")


def test_the_python_runs(
    home: Path, llm: Scripted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a knowledge base with an employee handbook."""
    monkeypatch.chdir(home)
    [code] = re.findall(r"(?s)```python\n(.*?)```", DOC)
    names: dict[str, object] = {}
    exec(compile(code, "docs/ask.md", "exec"), names)  # noqa: S102 - our own document
    said = capsys.readouterr().out
    assert said.startswith("sources\ntoken\nEmployees may work remotely up to two days a week")
    assert "state='unchanged'" in said
    names["kb"].close()  # type: ignore[attr-defined]


def test_the_configuration_holds(tmp_path: Path) -> None:
    """The block of [llm]."""
    [block] = re.findall(r"(?s)```toml\n(.*?)```", DOC)
    (tmp_path / "indexer.toml").write_text(block, "utf-8")
    assert load_settings(tmp_path, {}, {"MY_LLM_KEY": "k"}).llm.api_key == "k"


def test_exit_codes_and_keys_are_named() -> None:
    """Every key of [llm] that decides how an answer is made is in the text."""
    for key in ("llm.timeout_seconds", "llm.rerank", "answers_days", "base_url", "api_key_env", "provider"):
        assert key in DOC, key
