"""A reranker chooses and orders the passages; one that fails leaves the order of the search."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from indexer import KnowledgeBase
from indexer.ask import Answer
from indexer.core.errors import ConfigError


def asked(home: Path, config: str, question: str = "How long are backups kept?") -> Answer:
    """An answer with this in [llm]."""
    (home / "indexer.toml").write_text(f"[llm]\n{config}\n")
    kb = KnowledgeBase(home)
    try:
        return kb.ask(question, 2)
    finally:
        kb.close()


def test_it_chooses_and_orders(home: Path) -> None:
    """What it leaves out is no passage of the answer; numbers follow its order."""
    answer = asked(home, 'rerank = "python:rerankers:Holding"\nrerank_options = { word = "day" }')
    assert [c.n for c in answer.citations] == [1, 2]
    assert all("day" in c.text for c in answer.citations)
    assert len(answer.citations[0].text) >= len(answer.citations[1].text)


def test_one_that_leaves_nothing(home: Path) -> None:
    """It judged that no passage answers: then nothing does."""
    answer = asked(home, 'rerank = "python:rerankers:Holding"\nrerank_options = { word = "zebra" }')
    assert (answer.grounded, answer.failed) == ("nothing", False)


def test_one_that_fails(home: Path) -> None:
    """The order of the search stands, and it is said."""
    answer = asked(home, 'rerank = "python:rerankers.Broken"')
    assert "35 days" in answer.text
    assert answer.failed
    assert "The reranker failed (no such device)" in str(answer.notes[0])


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('rerank = "python:rerankers:Nobody"', "cannot be imported"),
        ('rerank = "python:no_such_module:X"', "cannot be imported"),
        ('rerank = "python:pathlib:Path"', "no LangChain BaseDocumentCompressor"),
        ('rerank = "python:rerankers:Holding"', "cannot be made from llm.rerank_options"),
        ('rerank = "python:7"', "a class is named as"),
    ],
)
def test_what_is_no_reranker(home: Path, config: str, said: str) -> None:
    """Each is an error of the configuration that says what to do."""
    with pytest.raises(ConfigError, match=said):
        asked(home, config)


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is not None, reason="it is installed here")
def test_a_cross_encoder_needs_its_package(home: Path) -> None:
    """The extra is named."""
    with pytest.raises(ConfigError, match=r"indexer\[sentence-transformers\]"):
        asked(home, 'rerank = "BAAI/bge-reranker-base"')
