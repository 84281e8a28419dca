"""Going back over HTTP: under ``writer.lock`` as the command does it, in its turn behind the run at work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..care import rollback
from ..care.own_run import recorded
from ..core.errors import Busy, UsageError
from ..store.author import Author
from ..store.local import Store
from ..store.lock import writer_lock
from .asking import NOBODY
from .facts import commits

if TYPE_CHECKING:
    from ..store.catalog import Catalog
    from .guard import Who
    from .site import Site

PATIENCE = 60.0
"""Seconds a rollback waits for its turn; after that the asker is told to come back."""


def preview(catalog: Catalog, n: int) -> dict[str, Any]:
    """What going back would change."""
    rollback.check_commit(catalog, n)
    found = rollback.changes(catalog, catalog.head(), n)
    return {"commit": catalog.head(), "preview": True, "changes": commits.changes(catalog, found)}


def go_back(site: Site, n: int, who: Who) -> dict[str, Any]:
    """Do it; raises UsageError (no such commit), Busy (an update is at work for longer than anybody waits)."""
    with _writing(site) as store:
        rollback.check_commit(store.catalog, n)
        with recorded(store, _author(who, "rollback"), site.now_ns) as (run, at, summary):
            head, found = rollback.rollback(store, n, run, at)
            summary["rolled_back"] = len(found)
        told = commits.changes(store.catalog, found)
    site.events.publish("commit", {"commit": head, "documents": len(told)})
    return {"commit": head, "preview": False, "changes": told}


def release(site: Site, who: Who) -> int:
    """End every pin; how many there were. The next look brings back what lies in the folders. Raises as :func:`go_back`."""
    with _writing(site) as store, recorded(store, _author(who, "release"), site.now_ns) as (run, at, summary):
        summary["released"] = count = rollback.release(store, run, at)
    return count


def _author(who: Who, trigger: str) -> Author:
    return Author(who.name or NOBODY, who.client, trigger)


@contextmanager
def _writing(site: Site) -> Iterator[Store]:
    """The store, for us alone."""
    layout = site.kb.layout
    served = layout.served()
    if served is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    end = site.clock() + PATIENCE

    def wait(busy: Busy) -> None:
        if site.clock() > end:
            raise busy
        time.sleep(0.05)

    with writer_lock(layout.lock, "rollback", wait):
        store = Store.open(layout, layout.served() or served)
        try:
            yield store
        finally:
            store.close()
