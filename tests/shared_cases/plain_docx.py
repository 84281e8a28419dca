"""The shared watch cases write plain text under a Word document's name: what is tested is the save."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document


class PlainText(BaseLoader):
    """The file as it is."""

    def __init__(self, file_path: str) -> None:
        self.file_path = file_path

    def lazy_load(self) -> Iterator[Document]:
        yield Document(Path(self.file_path).read_text("utf-8"))
