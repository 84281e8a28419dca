"""What docs/langchain.md shows is run, with the default model."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest
from knowledge import make

from indexer import embed

DOC = (Path(__file__).resolve().parents[2] / "docs" / "langchain.md").read_text("utf-8")
FILES = {
    "hr/leave.md": "# 假期制度\n\n## 婚假\n\n员工结婚享有三天婚假，须提前两周申请。\n\n## 病假\n\n病假需要医院证明。\n",
    "it/security.md": "# Security guide\n\n## Passwords\n\nA password has at least twelve characters.\n\n"
    "## Visitors\n\nVisitors wear a badge at all times.\n",
}


def test_every_block_runs_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One namespace for all blocks, in a knowledge base made as the document says."""
    blocks = re.findall(r"(?s)```python\n(.*?)```", DOC)
    assert len(blocks) == 8
    make(tmp_path, FILES, embedding=f'model = "{embed.default_model()}"').close()
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # langchain-community announces its end at import
        for block in blocks:
            exec(compile(block, "docs/langchain.md", "exec"), names)  # noqa: S102 - our own document


def test_the_metadata_table_is_complete(tmp_path: Path) -> None:
    """Every key a hit from a file has is in the table, and no other."""
    listed = re.findall(r"(?m)^\| (`\w+`(?:, `\w+`)*) \|", DOC)
    kb = make(tmp_path, {"a.md": "# A\n\ntext\n"})
    assert set(re.findall(r"\w+", " ".join(listed))) == set(kb.as_retriever(k=1).invoke("text")[0].metadata)
    kb.close()
