"""The language model that answers questions: whether its package is there, and with --deep whether it answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.errors import ConfigError
from ..core.model import Message
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning

if TYPE_CHECKING:
    from ..ask.chat import Chat

NAME = Message("language model")
_WORDS = 8
"""Tokens of the answer that is asked for: enough to see that there is one."""


def llm(case: Case, settings: Settings) -> Iterator[Finding]:
    """Made as a question would make it; with ``deep`` it is asked for a word."""
    from ..ask.failures import place

    if not settings.llm.model:
        yield ok(NAME, Message("none is configured: answers are sentences of the passages"))
        return
    words = {"model": settings.llm.model, "url": place(settings.llm)}
    try:
        if case.deep:
            yield from _asked(settings, words)
        else:
            _load(settings)
            yield ok(NAME, Message("{model} at {url}; --deep asks it", words))
    except ConfigError as e:
        yield problem(NAME, e.message, None, e.exit_code)


def _load(settings: Settings) -> Chat:
    from ..ask.loading import load
    from ..logs.mask import mask_of

    return load(settings.llm._replace(max_tokens=_WORDS), mask_of(settings))


def _asked(settings: Settings, words: dict[str, str]) -> Iterator[Finding]:
    from ..ask.failures import CutOff, ModelFailed

    model, began = _load(settings), time.perf_counter()
    try:
        for _ in model.stream([("user", "Say: yes")], lambda: False):
            break
    except (ModelFailed, CutOff) as e:
        text = Message("Until it answers, answers are sentences of the passages.")
        yield warning(NAME, e.note, text)
        return
    ms = {"ms": f"{(time.perf_counter() - began) * 1000:.0f}"}
    yield ok(NAME, Message("{model} at {url}: the first word came after {ms} ms", {**words, **ms}))
