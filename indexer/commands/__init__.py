"""One module per group of commands: ``arguments`` says what they take, ``run`` does the work."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..cli import Out
    from ..settings import Settings


def knowledge_base(options: argparse.Namespace, out: Out) -> KnowledgeBase:
    """The knowledge base the options name."""
    from ..api import KnowledgeBase

    return KnowledgeBase(settings_of(options, out), warn=lambda text: out.warn("{text}", text=text))


def settings_of(options: argparse.Namespace, out: Out) -> Settings:
    """The settings the options name; from here on the words are in the configured language."""
    from ..config import load_settings, resolve_home

    settings = load_settings(resolve_home(options.home), flags_of(options))
    if settings.language in ("en", "zh"):
        out.lang = settings.language
    return settings


def flags_of(options: argparse.Namespace) -> dict[str, object]:
    """The configuration keys that --set gives; raises UsageError."""
    from ..core.errors import UsageError

    flags: dict[str, object] = {}
    for pair in options.set:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError("--set wants KEY=VALUE, such as --set split.size=300, not {given}.", given=pair)
        flags[key] = value
    return flags
