"""A run that is no update: going back, documents added in Python. It goes on record like any other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..core.errors import DONE, IndexerError
from ..store.author import Author
from ..store.catalog import Catalog
from ..store.local import Store

Summary = dict[str, Any]


def next_run(catalog: Catalog) -> int:
    """A number no run had before."""
    return int(catalog.db.value("SELECT seq FROM sqlite_sequence WHERE name='run'") or 0) + 1


@contextmanager
def recorded(store: Store, author: Author, clock_ns: Callable[[], int]) -> Iterator[tuple[int, int, Summary]]:
    """(number, beginning, what to tell of it) of a run on somebody's behalf; on record at its end, however it ends."""
    store.author = author.named()
    run, started = next_run(store.catalog), clock_ns()
    summary: Summary = {}
    try:
        yield run, started, summary
    except IndexerError as e:
        summary["error"] = [e.message.text, dict(e.message.args)]
        with suppress(IndexerError, OSError):
            record(store, run, (started, clock_ns()), summary, e.exit_code)
        raise
    record(store, run, (started, clock_ns()), summary)


def record(store: Store, run: int, when: tuple[int, int], summary: Summary, exit_code: int = DONE) -> None:
    """Write a run's row; ``when``: began and ended, in ns."""
    author = store.author
    report = json.dumps({**summary, **({"client": author.client} if author.client else {})}, default=str)
    row = (run, *when, author.actor, author.trigger, exit_code, report)
    with store.catalog.db.write():
        store.catalog.db.run(
            "INSERT OR REPLACE INTO run(id,started,finished,actor,trigger,exit_code,report) VALUES(?,?,?,?,?,?,?)", row
        )
