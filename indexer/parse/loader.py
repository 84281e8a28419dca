"""Any LangChain `BaseLoader` class as a parser, inside the worker.

The loader is given the path of a private copy of the bytes that were hashed, so it can neither
see nor change the user's file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from indexer.core.errors import ParserDied, ParseRefused
from indexer.core.model import Parsed, Section
from indexer.core.tables import ParseLimits


def load(spec: str, suffix: str, data: bytes, limits: ParseLimits) -> Parsed:
    """One section per LangChain Document, joined by an empty line.

    ``metadata["page"]`` counts from 0, as LangChain's loaders do. ParserDied if the class cannot
    be imported (installing it helps, so it is tried again); ParseRefused past the output limit.
    """
    loader_class = _resolve(spec)
    with tempfile.TemporaryDirectory(dir=".", prefix="copy-") as folder:
        path = Path(folder, f"document{suffix}").resolve()
        path.write_bytes(data)
        documents = list(_bounded(loader_class(str(path)).lazy_load(), limits))
    title = next((str(d.metadata["title"]) for d in documents if d.metadata.get("title")), "")
    return Parsed(tuple(_sections(documents)), parser=f"loader {spec}", title=title)


def _resolve(spec: str) -> Any:
    module, _, name = spec.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ParserDied(
            "The loader {loader} cannot be imported ({detail}); install it, or correct the configuration",
            loader=spec,
            detail=" ".join(str(error).split())[:200],
        ) from error


def _bounded(documents: Iterable[Any], limits: ParseLimits) -> Iterator[Any]:
    total = 0
    for document in documents:
        total += len(document.page_content)
        if total > limits.output_chars:
            raise ParseRefused(
                "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                limit=limits.output_chars,
            )
        yield document


def _sections(documents: list[Any]) -> Iterator[Section]:
    for index, document in enumerate(documents):
        text = document.page_content
        if index < len(documents) - 1:
            text = text.rstrip("\n") + "\n\n"
        page = document.metadata.get("page")
        yield Section(text, page=page + 1 if isinstance(page, int) and page >= 0 else None)
