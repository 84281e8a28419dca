"""A LangChain loader as a user would write one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document


class Blocks(BaseLoader):
    """One Document per block of a text."""

    def __init__(self, file_path: str) -> None:
        self.file_path = file_path

    def lazy_load(self) -> Iterator[Document]:
        for number, block in enumerate(Path(self.file_path).read_text("utf-8").split("\n\n")):
            yield Document(block, metadata={"page": number, "title": "块"})
