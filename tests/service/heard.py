"""What a service tells, kept in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from indexer.service import Service

Begin = Callable[..., tuple[Service, "Heard"]]


class Heard:
    """Everything the service tells, in order."""

    def __init__(self) -> None:
        self.all: list[tuple[str, Mapping[str, Any]]] = []

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Take one event."""
        self.all.append((kind, facts))

    def outcomes(self) -> list[Any]:
        """How the runs ended, in the order they did."""
        return [facts["outcome"] for kind, facts in self.all if kind == "end"]
