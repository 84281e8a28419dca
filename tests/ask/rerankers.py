"""Rerankers of the tests, named by dotted path as a user would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document


class Holding(BaseDocumentCompressor):
    """Passages that hold a word, the longest first; all others are left out."""

    word: str

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """See the class."""
        return sorted((d for d in documents if self.word in d.page_content), key=lambda d: -len(d.page_content))


class Broken:
    """Fails when it is used."""

    def compress_documents(self, documents: Any, query: str) -> Any:
        """See the class."""
        raise RuntimeError("no such device")
