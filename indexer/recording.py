"""A run as it goes on record, and who made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from .look import Request
from .store.author import Author
from .store.author import whoami as actor
from .store.local import Store

__all__ = ["Recorded", "actor", "author", "record"]


class Recorded(NamedTuple):
    """``when``: began and ended, in ns."""

    id: int
    when: tuple[int, int]
    request: Request
    exit_code: int
    summary: Mapping[str, Any]


def record(store: Store, run: Recorded) -> None:
    """Write a run's row, inside the caller's transaction."""
    request = run.request
    more = {"due": request.due_ns, "full": not request.paths, "client": request.client}
    report = json.dumps({**run.summary, **{k: v for k, v in more.items() if v}}, default=str)
    store.catalog.db.run(
        "INSERT OR REPLACE INTO run(id,started,finished,actor,trigger,exit_code,report) VALUES(?,?,?,?,?,?,?)",
        (run.id, *run.when, request.actor or actor(), request.trigger, run.exit_code, report),
    )


def author(request: Request) -> Author:
    """On whose behalf a request is served."""
    return Author(request.actor, request.client, request.trigger).named()
