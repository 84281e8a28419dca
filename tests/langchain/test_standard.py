"""LangChain's own standard tests (package ``langchain-tests``), every one of them.

None had to be left out or changed: adding, replacing by id, deleting, getting by id and
searching behave as they ask, in the synchronous and the asynchronous form.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from knowledge import make
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from indexer.langchain import IndexerRetriever, IndexerVectorStore


class TestVectorStore(VectorStoreIntegrationTests):
    """An empty knowledge base with LangChain's test embeddings handed over as an object."""

    @pytest.fixture
    def vectorstore(self, tmp_path: Path) -> Iterator[VectorStore]:
        """Empty, in a folder of its own."""
        store = IndexerVectorStore.open(tmp_path, self.get_embeddings())
        yield store
        store.knowledge_base.close()


class TestVectorStoreBesideFiles(VectorStoreIntegrationTests):
    """The same in a knowledge base that is updated from a folder, once that is empty again."""

    @pytest.fixture
    def vectorstore(self, tmp_path: Path) -> Iterator[VectorStore]:
        """Two commits of history, nothing findable; the embeddings come from ``indexer.toml``."""
        model = 'model = "python:langchain_core.embeddings:DeterministicFakeEmbedding"\noptions = { size = 6 }'
        kb = make(tmp_path, {"a.txt": "foo\n", "b.md": "# bar\n\nbaz\n"}, embedding=model)
        for path in (tmp_path / "knowledge_base").iterdir():
            path.unlink()
        kb.update(allow_deletions=True)
        yield kb.vectorstore()
        kb.close()


class TestRetriever(RetrieversIntegrationTests):
    """A knowledge base of five files."""

    @pytest.fixture(autouse=True)
    def _knowledge_base(self, tmp_path: Path) -> Iterator[None]:
        numbers = ("one", "two", "three", "four", "five")
        files = {f"{n}.txt": f"The {n} rule: staff have {n} days of leave." for n in numbers}
        self.kb = make(tmp_path, files)
        yield
        self.kb.close()

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        """The class under test."""
        return IndexerRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        """What it searches."""
        return {"knowledge_base": self.kb}

    @property
    def retriever_query_example(self) -> str:
        """A query with an answer."""
        return "days of leave"
