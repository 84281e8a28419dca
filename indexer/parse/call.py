"""A parser by its registered name: a module of this package, or ``module:form`` for one that reads several forms."""

from __future__ import annotations

from importlib import import_module

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits


def call(name: str, data: bytes, limits: ParseLimits, *more: object) -> Parsed:
    """What the parser makes of the bytes; ``more`` are further arguments of its own."""
    module, _, form = name.partition(":")
    parse = import_module(f"{__package__}.{module}").parse
    parsed: Parsed = parse(data, limits, *((form,) if form else ()), *more)
    return parsed
