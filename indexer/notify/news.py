"""What there is to tell of a run, as values: how many, and the first few by name.

A letter stays short whatever a run did: of 10,000 changed documents it has the number and 20 names.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..core.model import Key, Message

NAMES = 20
"""Documents kept by name, of each kind."""

_LONG = 120


class Named(NamedTuple):
    """So many documents, and the first of them by name."""

    total: int = 0
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, keys: Iterable[Key]) -> Named:
        """The first are those of the first folders."""
        found = list(keys)
        return cls(len(found), tuple(short(str(key)) for key in heapq.nsmallest(NAMES, found)))

    def __add__(self, other: object) -> Named:
        """Both together; a name is there once."""
        if not isinstance(other, Named):
            return NotImplemented
        return Named(self.total + other.total, tuple(dict.fromkeys(self.names + other.names))[:NAMES])


class Failed(NamedTuple):
    """A document that is not found in its newest version, and what to do about it."""

    name: str
    reason: Message


class News(NamedTuple):
    """One run (or several whose changes are told together) as far as it is new.

    ``errors``: why it could not go on, or what it could not look at (``whole`` is false then for the
    first). ``failing_ns``: the first failing run before this good one. ``held`` are newly held,
    ``held_now`` all that are.
    """

    at_ns: int = 0
    run: int = 0
    trigger: str = ""
    seconds: float = 0.0
    commit_before: int = 0
    commit: int = 0
    runs: int = 1
    stopped: bool = False
    errors: tuple[Message, ...] = ()
    failing_ns: int = 0
    failed: tuple[Failed, ...] = ()
    failed_count: int = 0
    held: Named = Named()
    held_now: int = 0
    fixed: Named = Named()
    released: Named = Named()
    returned: Named = Named()
    added: Named = Named()
    modified: Named = Named()
    deleted: Named = Named()
    moved: Named = Named()
    left: int = 0

    @property
    def kinds(self) -> frozenset[str]:
        """Which of the words of ``[notify] on`` it is about."""
        about = {
            "changes": any(n.total for n in (self.added, self.modified, self.deleted, self.moved)),
            "failures": bool(self.errors or self.failed_count),
            "held": bool(self.held.total),
            "recovery": bool(self.failing_ns or self.fixed.total or self.released.total or self.returned.total),
        }
        return frozenset(kind for kind, there in about.items() if there)

    def only(self, on: Iterable[str]) -> News:
        """Without the kinds nobody wants."""
        cut: dict[str, Any] = {}
        for kind in self.kinds.difference(on):
            cut |= {field: News._field_defaults[field] for field in _FIELDS[kind]}
        return self._replace(**cut)

    def after(self, earlier: News) -> News:
        """The changes of an earlier run told together with this one."""
        sums = {f: getattr(earlier, f) + getattr(self, f) for f in (*_FIELDS["changes"], "runs")}
        return self._replace(**sums, commit_before=earlier.commit_before)


_FIELDS = {
    "changes": ("added", "modified", "deleted", "moved"),
    "failures": ("errors", "failed", "failed_count", "stopped"),
    "held": ("held", "held_now"),
    "recovery": ("failing_ns", "fixed", "released", "returned"),
}


def short(name: str) -> str:
    """A name cut in its middle where it is very long: its folder and its suffix say most."""
    return name if len(name) <= _LONG else f"{name[: _LONG // 2]}…{name[-_LONG // 2 :]}"


def plain(value: Any) -> Any:
    """A value of this module as JSON: named tuples and messages as objects."""
    if hasattr(value, "_asdict"):
        return {k: plain(v) for k, v in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def news_of(stored: Mapping[str, Any]) -> News:
    """Inverse of :func:`plain` for News; raises KeyError, TypeError or ValueError for anything else."""
    values = {field: stored[field] for field in News._fields if field in stored}
    for field, default in News._field_defaults.items():
        if isinstance(default, Named) and field in values:
            values[field] = Named(int(values[field]["total"]), tuple(map(str, values[field]["names"])))
    values["errors"] = tuple(map(_message, values.get("errors", ())))
    values["failed"] = tuple(Failed(str(f["name"]), _message(f["reason"])) for f in values.get("failed", ()))
    return News(**values)


def _message(stored: Mapping[str, Any]) -> Message:
    args = stored["args"].items()
    return Message(
        str(stored["text"]), {k: _message(v) if isinstance(v, Mapping) and "text" in v else v for k, v in args}
    )
