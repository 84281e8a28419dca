"""What a run did and what it found wrong, gathered while it works."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from .core import errors
from .core.model import Ask, Key, Message


class Problem(NamedTuple):
    """Something about one document that a person should know."""

    key: Key
    state: str
    reason: Message


class Tally:
    """What a run did, by kind of change, and what it found wrong."""

    def __init__(self) -> None:
        self.added: dict[Key, bytes | None] = {}
        self.modified: list[Key] = []
        self.deleted: dict[Key, bytes | None] = {}
        self.moved: list[tuple[Key, Key]] = []
        self.held: list[Key] = []
        self.problems: dict[Key, Problem] = {}
        self.touched = self.unknown = self.parsed = self.embedded = self.reused = 0

    def pair_moves(self) -> None:
        """A deleted and an added document with the same bytes are shown as one move."""
        old = {sha: key for key, sha in self.deleted.items() if sha}
        for key, sha in list(self.added.items()):
            if sha and (before := old.pop(sha, None)) is not None:
                self.moved.append((before, key))
                del self.added[key], self.deleted[before]


class Report:
    """What a run did. ``exit_code`` follows DESIGN 9."""

    def __init__(self, dry_run: bool = False) -> None:
        self.dry_run = dry_run
        self.run = self.commit_before = self.commit = self.skipped = 0
        self.left = 0
        """Files a budget left for the next run."""
        self.seconds = 0.0
        self.tally = Tally()
        self.unavailable: list[Message] = []
        self.healed: list[Message] = []
        self.generation = ""
        self.suffixes: Collection[str] = ()
        self.roots: dict[str, tuple[int, int]] = {}

    @property
    def exit_code(self) -> int:
        """0 done, 3 not everything, 4 a source is unavailable."""
        if self.unavailable:
            return errors.NO_SOURCE
        return errors.PARTIAL if self.tally.held or self.tally.problems or self.left else errors.DONE

    def summary(self) -> dict[str, Any]:
        """The counts of a run, as stored and as printed with --json."""
        t = self.tally
        return {
            "added": len(t.added), "modified": len(t.modified), "touched": t.touched, "deleted": len(t.deleted),
            "moved": len(t.moved), "held": len(t.held), "unknown": t.unknown, "problems": len(t.problems), "embedded": t.embedded, "reused": t.reused, "left": self.left,
        }  # fmt: skip


class Outcome(NamedTuple):
    """How one run ended: what the listeners of the service are told.

    ``ask`` is merged from all requests the run served; ``since_ns`` has the first event of each
    that knew one. ``run`` is its number in the history, 0 when it never got one; ``report`` is
    None when the run could not go on, ``error`` says why.
    """

    ask: Ask
    started_ns: int
    ended_ns: int
    run: int
    exit_code: int
    report: Report | None
    error: Message | None
    commit_before: int
    commit: int
    since_ns: tuple[int, ...] = ()
