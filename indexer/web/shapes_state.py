"""How the index stands and what it was: status, commits, held deletions, snapshots, as the OpenAPI document shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from . import examples
from .shapes import Flag, Int, RunShown, Shape, shown
from .shapes_documents import Listed


class Fresh(Shape):
    """How long ago the folders were last looked at in full."""

    fresh: bool
    age_seconds: float | None
    watched: bool


class Disk(Shape):
    """Bytes."""

    free_bytes: int | None
    index_bytes: int
    reserve_bytes: int


class NextRun(Shape):
    """The next scheduled run."""

    at: str | None
    schedule: str


class Running(Shape):
    """The run at work."""

    trigger: str
    since: str | None


class Watched(Shape):
    """How a source is watched."""

    source: str
    how: str
    why: str


class FollowerShown(Shape):
    """A system that is kept in step with the index."""

    name: str
    kind: str
    state: Literal["well", "new", "paused", "down", "misconfigured"]
    since: str | None = Field(description="since when it is down or misconfigured")
    behind: int = Field(description="documents that may differ there from what searches find")
    behind_since: str | None
    error: str
    next_try: str | None
    documents: dict[str, int] = Field(description="number of documents by what became of them")


class TroubleShown(Shape):
    """A document that is not over there though it should be."""

    document: str
    source: str
    path: str
    state: Literal["failed", "refused"]
    why: str
    tries: int
    next_try: str | None


class OneFollower(FollowerShown):
    """A follower and the documents that do not get there."""

    model_config = shown(examples.FOLLOWER)
    troubles: list[TroubleShown]
    more_troubles: int = Field(description="how many are not listed here")


class FollowersShown(Shape):
    """Every configured follower."""

    model_config = shown({"followers": [examples.FOLLOWER]})
    followers: list[OneFollower]


class DaemonShown(Shape):
    """The process that serves this."""

    version: str | None
    mode: str | None
    started: str | None


class SourceShown(Shape):
    """A configured folder, by its name."""

    name: str


class Status(Shape):
    """How the index stands."""

    model_config = shown(examples.STATUS)
    commit: int
    committed: str | None
    documents: dict[str, int] = Field(description="number of documents by state")
    passages: int
    segments: int
    held: int
    pinned: int
    model: str
    sources: list[SourceShown]
    fresh: Fresh
    disk: Disk
    running: Running | None
    waiting: int
    next_run: NextRun | None
    last_run: RunShown | None
    last_success: RunShown | None
    watch: list[Watched]
    followers: list[FollowerShown]
    daemon: DaemonShown | None


class CommitShown(Shape):
    """One publication."""

    commit: int
    at: str | None
    run: int
    note: str
    added: int
    removed: int
    hash: str
    actor: str
    client: str
    trigger: str


class Commits(Shape):
    """Newest first; `next` is the `before` of the following page."""

    model_config = shown({"commits": [examples.COMMIT], "next": None})
    commits: list[CommitShown]
    next: int | None


class ChangeShown(Shape):
    """How one document differs between two commits."""

    document: str
    source: str
    path: str
    change: Literal["added", "modified", "deleted"]
    chunks_before: int
    chunks_after: int


class OneCommit(CommitShown):
    """A commit and what it changed."""

    model_config = shown({**examples.COMMIT, "changes": [examples.CHANGE]})
    changes: list[ChangeShown]


class Diff(Shape):
    """What differs between two commits."""

    model_config = shown({"from": 40, "to": 42, "changes": [examples.CHANGE]})
    old: int = Field(alias="from")
    new: int = Field(alias="to")
    changes: list[ChangeShown]


class RollbackAsked(Shape):
    """Which commit to show again."""

    model_config = shown({"commit": 40, "preview": True})
    commit: Int = Field(ge=0, le=2**53)
    preview: Flag = Field(False, description="say what would change, change nothing")


class RolledBack(Shape):
    """What a rollback changed, or would change."""

    model_config = shown({"commit": 43, "preview": False, "changes": [examples.CHANGE]})
    commit: int = Field(description="the new commit; with preview the newest one")
    preview: bool
    changes: list[ChangeShown]


class Held(Shape):
    """Deletions that wait; `token` names exactly this set."""

    model_config = shown(
        {"token": "9f86d081884c7d65", "documents": [{**examples.LISTED, "held": True, "state": "held"}]}
    )
    token: str
    documents: list[Listed]


class ReleaseAsked(Shape):
    """Release exactly the set that was shown."""

    model_config = shown({"token": "9f86d081884c7d65"})
    token: str = Field(max_length=200)


class SnapshotShown(Shape):
    """A commit kept restorable."""

    commit: int
    at: str | None
    bytes: int


class Snapshots(Shape):
    """Oldest first."""

    model_config = shown({"snapshots": [examples.SNAPSHOT]})
    snapshots: list[SnapshotShown]
