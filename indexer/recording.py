"""A run as it goes on record, and who made it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from .look import Request
from .store.local import Store


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


def actor() -> str:
    """Who runs this process, for the record: user@host."""
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "?")
    try:
        import pwd

        return f"{pwd.getpwuid(os.getuid()).pw_name}@{host}"
    except (ImportError, KeyError):
        return f"{os.environ.get('USERNAME', '?')}@{host}"
