"""Filters on metadata: what LangChain's own FAISS store understands, said in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from ..core.errors import UsageError

Metadata = Mapping[str, Any]
Keep = Callable[[dict[str, Any]], bool]
Filter = Mapping[str, Any] | Keep

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "$eq": eq, "$ne": ne, "$neq": ne, "$gt": gt, "$gte": ge, "$lt": lt, "$lte": le,
    "$in": lambda value, wanted: value in wanted,
    "$nin": lambda value, wanted: value not in wanted,
}  # fmt: skip


def compiled(filter: Filter | None) -> Keep:
    """A predicate over metadata.

    A callable is taken as it is. In a mapping all conditions must hold: ``{"key": value}``,
    ``{"key": [one, of, these]}``, ``{"key": {"$gte": 3, "$lt": 7}}``, ``{"$and": [...]}``,
    ``{"$or": [...]}``, ``{"$not": {...}}``. A comparison with a missing or incomparable value
    does not hold. Raises UsageError for anything else.
    """
    if filter is None:
        return lambda metadata: True
    if callable(filter):
        return filter
    if not isinstance(filter, Mapping):
        kind = type(filter).__name__
        raise UsageError("A filter is a dictionary of metadata or a function of it, not {given}.", given=kind)
    conditions = [_condition(str(key), wanted) for key, wanted in filter.items()]
    return lambda metadata: all(c(metadata) for c in conditions)


def _condition(key: str, wanted: Any) -> Keep:
    if key in ("$and", "$or"):
        parts = [compiled(part) for part in wanted]
        every = all if key == "$and" else any
        return lambda metadata: every(part(metadata) for part in parts)
    if key == "$not":
        inner = compiled(wanted)
        return lambda metadata: not inner(metadata)
    if key.startswith("$"):
        raise _unknown(key)
    if isinstance(wanted, Mapping) and any(str(name).startswith("$") for name in wanted):
        tests = [_test(key, str(name), value) for name, value in wanted.items()]
        return lambda metadata: all(test(metadata) for test in tests)
    if isinstance(wanted, list | tuple | set | frozenset):
        # a list condition means "one of", unless the metadata itself is that list (such as headings)
        return lambda metadata: _holds(lambda: metadata.get(key) in wanted or metadata.get(key) == wanted)
    return lambda metadata: _holds(lambda: metadata.get(key) == wanted)


def _test(key: str, name: str, wanted: Any) -> Keep:
    if name not in _OPERATORS:
        raise _unknown(name)
    operator = _OPERATORS[name]
    return lambda metadata: _holds(lambda: operator(metadata.get(key), wanted))


def _holds(test: Callable[[], Any]) -> bool:
    """None < 3 and the like are no errors here: the document just does not match."""
    try:
        return bool(test())
    except TypeError:
        return False


def _unknown(name: str) -> UsageError:
    known = ", ".join([*_OPERATORS, "$and", "$or", "$not"])
    return UsageError("The filter operator {name} is unknown; there are {known}.", name=name, known=known)
