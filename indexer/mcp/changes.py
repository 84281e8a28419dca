"""`changes_since`: which documents were added, modified, deleted since a commit or a time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..care import rollback
from ..core.errors import UsageError
from ..core.model import Key, display, unraw
from ..docid import docid
from ..scope import matches
from . import asked, shown
from .desk import Call, Desk, read

if TYPE_CHECKING:
    from ..search import Reader


def changes_since(desk: Desk, given: asked.ChangesSince, call: Call) -> shown.Changes:
    """The changes, by path; raises UsageError."""
    return read(desk, lambda reader: _changes(reader, given))


def _changes(reader: Reader, given: asked.ChangesSince) -> shown.Changes:
    old = 0 if given.since.strip() == "0" else reader.commit_of(given.since.strip())
    new = reader.commit_of(given.until.strip()) if given.until.strip() else reader.catalog.head()
    if old > new:
        raise UsageError("Commit {old} is later than commit {new}: since comes before until.", old=old, new=new)
    found = [
        change for change in rollback.changes(reader.catalog, old, new)
        if not given.inside or matches(given.inside, change.source, unraw(change.path))
    ]  # fmt: skip
    counts = Counter(_kind(change) for change in found)
    end = given.offset + given.limit
    return shown.Changes(
        since=old, commit=new, total=len(found), added=counts["added"], modified=counts["modified"],
        deleted=counts["deleted"], changes=[_shown(change) for change in found[given.offset : end]],
        next=end if end < len(found) else None,
    )  # fmt: skip


def _kind(change: rollback.Change) -> str:
    return "added" if change.before is None else "deleted" if change.after is None else "modified"


def _shown(change: rollback.Change) -> shown.Change:
    key = Key(change.source, unraw(change.path))
    return shown.Change(document=docid(key), source=display(key.source), path=display(key.path), change=_kind(change))  # type: ignore[arg-type]
