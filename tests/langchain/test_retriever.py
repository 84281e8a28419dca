"""``KnowledgeBase.as_retriever`` and what importing LangChain costs those who do not use it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from knowledge import make
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from indexer import KnowledgeBase

FILES = {
    "hr/leave.md": "# 假期\n\n## 婚假\n\n婚假有三天。\n\n## 病假\n\n病假需要证明。\n",
    "hr/rules.txt": "Marriage leave: three days.\n",
    "it/security.txt": "Passwords have twelve characters.\n",
}


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    """Three files in two folders."""
    made = make(tmp_path, FILES)
    yield made
    made.close()


def test_it_finds_what_search_finds(kb: KnowledgeBase) -> None:
    """Same passages, same order, same scores."""
    hits = kb.search("婚假有几天", 3)
    documents = kb.as_retriever(k=3).invoke("婚假有几天")
    assert [(d.page_content, d.metadata["score"]) for d in documents] == [(h.text, h.score) for h in hits]
    assert documents[0].metadata["source"] == "knowledge_base/hr/leave.md"
    assert documents[0].metadata["headings"] == ["假期", "婚假"]


def test_options_narrow_it_for_all_calls_or_one(kb: KnowledgeBase) -> None:
    """``inside``, ``as_of``, ``score_threshold``, ``filter``: at making, or at ``invoke``."""

    def paths(query: str, made: dict[str, Any], **call: Any) -> set[str]:
        return {d.metadata["path"] for d in kb.as_retriever(k=9, **made).invoke(query, **call)}

    assert paths("leave", {"inside": "hr/*"}) == {"hr/leave.md", "hr/rules.txt"}
    assert paths("leave", {}, inside="it") == {"it/security.txt"}
    assert paths("Marriage leave: three days.", {"score_threshold": 0.5}) == {"hr/rules.txt"}
    assert paths("x", {"filter": {"path": "hr/rules.txt"}}) == {"hr/rules.txt"}
    before = kb.reader().commit
    (Path(kb.settings.sources[0].path) / "hr" / "rules.txt").write_text("Marriage leave: five days.\n", "utf-8")
    kb.update()
    assert "five" in kb.as_retriever(k=1).invoke("Marriage leave days")[0].page_content
    assert "three" in kb.as_retriever(k=1, as_of=str(before)).invoke("Marriage leave days")[0].page_content


def test_added_documents_are_found_with_their_score(kb: KnowledgeBase) -> None:
    """A score of one's own in the metadata is not overwritten."""
    kb.vectorstore().add_texts(["canteen noon", "canteen evening"], [{}, {"score": "good"}], ids=["1", "2"])
    first, second = kb.as_retriever(k=2).invoke("canteen noon")
    assert (first.id, second.id, second.metadata) == ("1", "2", {"score": "good"})
    assert first.metadata == {"score": pytest.approx(1.0, abs=1e-5)}


def test_it_runs_in_a_chain_and_in_batches(kb: KnowledgeBase) -> None:
    """Prompt formatting finds every metadata key; ``batch`` searches from several threads."""
    retriever = kb.as_retriever(k=1)
    shown = RunnableLambda(lambda docs: "{page_content} ({metadata[source]} {metadata[page]})".format(**dict(docs[0])))
    chain = (
        {"context": retriever | shown, "question": RunnablePassthrough()}
        | PromptTemplate.from_template("{context} – {question}")
        | RunnableLambda(lambda p: p.to_string())
        | StrOutputParser()
    )
    answer = chain.invoke("Passwords characters")
    assert answer.startswith("Passwords have twelve characters. (knowledge_base/it/security.txt None)")
    answers = retriever.batch(["Passwords characters", "Marriage leave three"] * 8)
    assert [a[0].metadata["path"] for a in answers] == ["it/security.txt", "hr/rules.txt"] * 8


IMPORTS = ["import indexer; indexer.KnowledgeBase", "import indexer.cli", "import indexer.update, indexer.search"]


@pytest.mark.parametrize("work", IMPORTS)
def test_langchain_is_imported_by_nobody_else(work: str) -> None:
    """Half a second of import is paid by who asks for it."""
    heavy = ("langchain", "pydantic", "faiss", "numpy")
    code = f"import sys; {work}; print([m for m in sys.modules if m.startswith({heavy})])"
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert got.stdout.strip() == "[]"
