"""What ``embedding.model`` may say, and what a wrong one probably meant. Nothing heavy is imported."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from indexer.core.errors import ConfigError
from indexer.core.tables import EmbeddingSettings


class Engine(StrEnum):
    """Who makes the vectors."""

    E5 = "builtin:e5-small"
    USE = "builtin:use-multilingual"
    OPENAI = "openai"
    PYTHON = "python"
    SENTENCE_TRANSFORMERS = "sentence-transformers"


class Model(NamedTuple):
    """An engine and what is left of the name for it to resolve."""

    engine: Engine
    name: str


class Prefixes(NamedTuple):
    """What goes before a text; None: the engine asks the model's own configuration."""

    query: str | None
    passage: str | None


BUILTIN = {str(engine): engine for engine in (Engine.E5, Engine.USE)}
PRECISIONS = {
    Engine.E5: ("int8", "fp32"),
    Engine.SENTENCE_TRANSFORMERS: ("fp32", "bf16", "fp16"),
}
"""What ``embedding.precision`` may be, the default first; the other engines have no say in it."""
AUTO = "auto"
_SCHEMES = ("builtin", "openai", "python")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_FOLDER = re.compile(r"[./~\\]|[A-Za-z]:[\\/]")


def parse(model: str) -> Model:
    """Raises ConfigError for a name that no engine can take, with the nearest right one."""
    if model in BUILTIN:
        return Model(BUILTIN[model], model)
    if model.strip() and is_folder(model):
        return Model(Engine.SENTENCE_TRANSFORMERS, model)
    scheme, colon, rest = model.partition(":")
    if scheme == "openai" and rest.strip():
        return Model(Engine.OPENAI, rest)
    if scheme == "python" and _DOTTED.fullmatch(rest):
        return Model(Engine.PYTHON, rest)
    if colon or not model.strip() or f"builtin:{model}" in BUILTIN:
        raise _unknown(model, scheme if colon else "", rest)
    return Model(Engine.SENTENCE_TRANSFORMERS, model)


def is_folder(model: str) -> bool:
    """Whether the name is a path rather than the name of a published model."""
    return bool(_FOLDER.match(model)) or Path(model).is_dir()


def check(settings: EmbeddingSettings) -> Model:
    """Like :func:`parse`, and the precision must be one the engine has."""
    model = parse(settings.model)
    allowed = PRECISIONS.get(model.engine)
    if allowed and settings.precision not in (AUTO, *allowed):
        raise ConfigError(
            'embedding.precision = "{value}" is unknown to {model}; did you mean "{nearest}"? It may be {allowed}',
            value=settings.precision,
            model=settings.model,
            nearest=nearest(settings.precision, allowed),
            allowed=", ".join(allowed),
        )
    return model


def precision(settings: EmbeddingSettings, engine: Engine) -> str:
    """The arithmetic that is used; "" where the engine decides."""
    allowed = PRECISIONS.get(engine, ("",))
    return settings.precision if settings.precision in allowed else allowed[0]


def prefixes(settings: EmbeddingSettings, engine: Engine) -> Prefixes:
    """The configured prefixes, else e5's for e5, none for an engine that has no say in them."""
    query, passage = settings.query_prefix, settings.passage_prefix
    if engine is Engine.SENTENCE_TRANSFORMERS:
        return Prefixes(query, passage)
    default = ("query: ", "passage: ") if engine is Engine.E5 else ("", "")
    return Prefixes(default[0] if query is None else query, default[1] if passage is None else passage)


def nearest(word: str, known: Iterable[str]) -> str:
    """The most similar known word (the first one when nothing is similar)."""
    from difflib import SequenceMatcher

    return max(known, key=lambda candidate: SequenceMatcher(None, word, candidate).ratio())


def _unknown(model: str, scheme: str, rest: str) -> ConfigError:
    if scheme == "python" or (scheme and nearest(scheme, _SCHEMES) == "python"):
        return ConfigError(
            'embedding.model = "{model}" must name a class, as in "python:package.module:Class"', model=model
        )
    if scheme == "openai":
        return ConfigError(
            'embedding.model = "{model}" lacks the name of the model, as in "openai:bge-m3"', model=model
        )
    right = f"openai:{rest}" if scheme and nearest(scheme, _SCHEMES) == "openai" else nearest(model, BUILTIN)
    return ConfigError('embedding.model = "{model}" is unknown; did you mean "{nearest}"?', model=model, nearest=right)
