"""``indexer.toml`` < environment ``INDEXER_…`` < flags, validated, as :class:`~indexer.settings.Settings`.

Cheap to import. :func:`load_settings` answers from a sealed cache while nothing changed
(:mod:`.cache`), else validates with pydantic-settings (:mod:`.schema`, :mod:`.layers`,
:mod:`.places`) and lists every problem at once (:mod:`.problems`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import cache
from .inputs import FILE, OTHER_VARIABLES, gather, no_file, walk_up

if TYPE_CHECKING:
    from pathlib import Path

    from ..core.model import Message
    from ..settings import Settings

__all__ = ["FILE", "OTHER_VARIABLES", "absent", "check", "find_home", "load_settings", "resolve_home", "show"]

_NONE: Mapping[str, object] = {}


def find_home(start: str | os.PathLike[str]) -> Path | None:
    """The nearest folder at or above ``start`` that holds ``indexer.toml``; None if there is none."""
    from pathlib import Path

    found = walk_up(os.fspath(start))
    return Path(found) if found is not None else None


def resolve_home(flag: str | None = None, environ: Mapping[str, str] = os.environ, start: str = ".") -> str:
    """``--home`` if given, else INDEXER_HOME, else :func:`find_home`; ConfigError without one."""
    if named := flag or environ.get("INDEXER_HOME"):
        folder = os.path.abspath(os.path.expanduser(named))
        if os.path.basename(folder) == FILE and os.path.isfile(folder):
            return os.path.dirname(folder)
        if os.path.isfile(os.path.join(folder, FILE)):
            return folder
        raise no_file(folder)
    if (found := walk_up(start)) is None:
        raise no_file(os.path.abspath(start))
    return found


def load_settings(
    home: str | os.PathLike[str],
    flags: Mapping[str, object] = _NONE,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings of the knowledge base in ``home``; ConfigError lists every problem.

    ``flags`` has dotted keys (``{"split.size": 300}``); a value of None is "not given".
    Relative paths, wherever they are given, are relative to ``home``.
    """
    inputs = gather(os.path.abspath(home), {k: v for k, v in flags.items() if v is not None}, environ)
    if (settings := cache.load(inputs, environ)) is not None:
        return settings
    from . import layers, places

    read = layers.read(inputs)
    found = layers.validate(read)
    settings = places.settle(found, read, environ)
    cache.save(inputs, settings, {"embedding": found.embedding.api_key_env, "llm": found.llm.api_key_env})
    return settings


def show(settings: Settings, flags: Mapping[str, object] = _NONE, environ: Mapping[str, str] = os.environ) -> str:
    """Every key with its value and who set it, as TOML with comments; secrets are masked."""
    from . import report

    return report.show(settings, flags, environ)


def check(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[Message]:
    """What is valid but will not work on this machine: missing folders, packages, keys."""
    from . import report

    return report.check(settings, environ)


def absent(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[Message]:
    """The part of :func:`check` about modules, packages and secrets."""
    from . import report

    return report.absent(settings, environ)
