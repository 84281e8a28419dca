"""How a follower stands, as commands, the web service and metrics tell it."""

from __future__ import annotations

from typing import Any

from .follower import Follower
from .model import Item


def facts(follower: Follower, *, exact: bool = True) -> dict[str, Any]:
    """One follower; times in ns, 0 for never. ``behind``: documents that differ over there from what searches find.

    Not ``exact``: those that may differ, which costs no look at each.
    """
    name, settings = follower.name, follower.settings
    standing, counts, head = follower.standing(), follower.counts(), follower.feed.head()
    behind = follower.behind(exact=exact)
    state = "paused" if standing.paused else standing.state or ("well" if standing.ok_ns else "new")
    return {
        "name": name, "kind": settings.kind, "state": state, "since_ns": standing.since_ns, "ok_ns": standing.ok_ns,
        "error": [standing.error.text, dict(standing.error.args)] if standing.error else None,
        "next_ns": standing.next_ns if standing.state else 0,
        "cursor": standing.head.commit, "commit": head.commit if head else 0,
        "behind": behind.documents, "behind_since_ns": behind.since_ns,
        "documents": {
            "there": counts.get("done", 0), "skipped": counts.get("skipped", 0), "refused": counts.get("refused", 0),
            "failed": counts.get("failed", 0),
            "moving": sum(counts.get(step, 0) for step in ("deleting", "absent", "sending", "accepted")),
        },
    }  # fmt: skip


def troubles(follower: Follower) -> list[dict[str, Any]]:
    """The documents that are not over there though they should."""
    return [
        {
            "source": key.source, "path": key.path, "state": item.step, "retry_ns": item.retry_ns,
            "why": _why(item), "tries": item.tries,
        }
        for key, item in follower.troubled()
    ]  # fmt: skip


def _why(item: Item) -> list[Any]:
    return [item.note.text, dict(item.note.args)] if item.note else []
