"""One follower: which documents differ over there, step by step until none does, then the cursor moves.

The commit log says which documents changed, the catalog what they are now, the ledger what is known to be over
there. Only the newest state is ever sent. What was looked at and found right is remembered until the next commit, so
that a first filling of many documents is not gone through again at every step; after a restart it is looked at anew.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..core.following import FollowerSettings
from ..core.model import Key
from .feed import Feed, Head
from .ledger import Ledger, Standing
from .model import Document, Item, Target, Task

_PORTION = 64  # documents looked up at once
_COUNTED = 1000  # more than so many that may differ are not looked at one by one, only to count them
_SENT = ("url", "workspace", "store", "kind")  # where it goes: another one knows nothing of what the old one has


class Behind(NamedTuple):
    """How many documents may differ over there, and since when (ns; 0: none does)."""

    documents: int
    since_ns: int


class Follower:
    """``sources``: names of the sources that are followed; documents of others are not sent."""

    def __init__(
        self, settings: FollowerSettings, target: Target, feed: Feed, ledger: Ledger, sources: Sequence[str],
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:  # fmt: skip
        self.settings, self.target, self.feed, self.ledger, self.clock = settings, target, feed, ledger, now_ns
        self.name = settings.name
        self._sources = frozenset(sources)
        self._pending: dict[Key, None] = {}
        self._taken: Head | None = None
        self._prints = _print(settings, _SENT), _print(settings, _RULES)

    def begin(self) -> None:
        """Take down whom it follows to, before it works: of another target all is forgotten then, not by a look at it."""
        self.ledger.begin(self.name, *self._prints)

    # ---- what is to be done ----------------------------------------------------------

    def step(self) -> float | None:
        """One step: what is due goes to the target. Seconds until the next is worth while; None: nothing is due.

        Raises FollowerError.
        """
        self._take_in()
        tasks = self._batch()
        if tasks:
            return self.target.work(tasks, self)
        if self._taken is not None and self.standing().head != self._taken:
            self.ledger.advance(self.name, self._taken)
        return None

    def behind(self, *, exact: bool = True) -> Behind:
        """How far the other side is behind what searches find; not ``exact``: at most."""
        self._take_in()
        few = exact and len(self._pending) <= _COUNTED
        open_ = [key for key in self._pending if self._differs(key)] if few else list(self._pending)
        if not open_:
            return Behind(0, 0)
        known = self.standing().head
        same = self._taken is not None and known.generation == self._taken.generation
        since = self.feed.committed_ns(known.commit if same else 0)
        return Behind(len(open_), since or self.clock())

    def _take_in(self) -> None:
        """What was committed since the last look, and what is due again."""
        head = self.feed.head()
        if head is None:
            return
        if self._taken is None:
            self._add(self.feed.changed(self.standing().head))
        elif head != self._taken:
            self._add(self.feed.changed(self._taken))
        self._taken = head
        if self._same():
            self._add(self.ledger.unfinished(self.name, self.clock()))

    def _add(self, keys: list[Key] | None) -> None:
        if keys is None:
            keys = [*self.feed.shown(), *(self.ledger.keys(self.name) if self._same() else ())]
        self._pending.update(dict.fromkeys(keys))

    def _batch(self) -> list[Task]:
        """The next documents that differ; those that do not are struck off."""
        tasks: list[Task] = []
        skipped: dict[Key, Item | None] = {}
        keys = list(self._pending)
        for i in range(0, len(keys), _PORTION):
            portion = keys[i : i + _PORTION]
            known = self.ledger.items(self.name, portion)
            for key, document in self.feed.documents(portion):
                task = self._judged(key, known.get(key, Item()), document, skipped)
                if task is None:
                    del self._pending[key]
                elif task.item.retry_ns <= self.clock():
                    tasks.append(task)
                else:  # it comes back when it is due
                    del self._pending[key]
                if len(tasks) >= self.settings.batch:
                    break
            if len(tasks) >= self.settings.batch:
                break
        self.ledger.put(self.name, skipped)
        return tasks

    def _differs(self, key: Key) -> bool:
        """Whether a document is to be sent or removed."""
        item = self.ledger.items(self.name, [key]).get(key, Item()) if self._same() else Item()
        _, found = next(iter(self.feed.documents([key])))
        return self._judged(key, item, found, {}) is not None

    def _judged(self, key: Key, item: Item, document: Document | None, skipped: dict[Key, Item | None]) -> Task | None:
        """What is to be done for one document; ``skipped`` takes what is only to be written down."""
        why = None
        if document is not None and not self._followed(key):
            document = None
        if document is not None and (why := self.target.refuses(document)) is not None:
            document = None
        if document is None:
            if item.step in ("", "absent", "skipped", "refused") and not item.remote:
                kept = Item("skipped", note=why, at_ns=self.clock()) if why is not None else None
                if (kept is None) != (item.step == "") or (kept is not None and kept.note != item.note):
                    skipped[key] = kept
                return None
            return Task(key, item, None, "")
        digest = self.target.digest(document)
        if item.digest == digest and item.step in ("done", "refused"):
            return None
        if item.step in ("refused", "skipped", "failed") and item.digest != digest:  # it changed: all tries are new
            item = item._replace(tries=0, retry_ns=0)
        return Task(key, item, document, digest)

    def _followed(self, key: Key) -> bool:
        if key.source not in self._sources:
            return False
        return _matches(self.settings.include, key.path, default=True) and not _matches(
            self.settings.exclude, key.path, default=False
        )

    # ---- the ledger: what it says of another target is not so of this one -------------

    def _same(self) -> bool:
        return self.ledger.standing(self.name).target == self._prints[0]

    def standing(self) -> Standing:
        """How it stands."""
        known = self.ledger.standing(self.name)
        if known.target != self._prints[0]:
            return Standing(paused=known.paused)
        return known if known.rules == self._prints[1] else known._replace(head=Head("", 0))

    def counts(self) -> dict[str, int]:
        """Documents by step."""
        return self.ledger.counts(self.name) if self._same() else {}

    def troubled(self) -> list[tuple[Key, Item]]:
        """Documents that are not over there though they should, or not in the way asked for."""
        return self.ledger.troubled(self.name) if self._same() else []

    def remotes(self) -> dict[Key, Item]:
        """Everything that is known of every document."""
        return self.ledger.remotes(self.name) if self._same() else {}

    def put(self, items: Mapping[Key, Item | None]) -> None:
        """Take down how documents stand; a step without a time is taken now."""
        now = self.clock()
        self.ledger.put(self.name, {k: i and i._replace(at_ns=i.at_ns or now) for k, i in items.items()})

    def sharing(self, originals: Sequence[str]) -> dict[Key, Item]:
        """Documents that others stand for."""
        return self.ledger.sharing(self.name, originals)

    def now_ns(self) -> int:
        """Wall time."""
        return self.clock()

    def again(self) -> None:
        """Compare everything anew."""
        self.ledger.again(self.name)
        self._taken = None

    def sources(self) -> frozenset[str]:
        """Names of the sources that are followed."""
        return self._sources


_RULES = ("include", "exclude", "send", "min_chars", "max_kb", "with_text")


def _print(settings: FollowerSettings, fields: Sequence[str]) -> str:
    """What decides something, as a short hash: an address may hold a secret."""
    values = json.dumps([getattr(settings, name) for name in fields])
    return hashlib.sha256(values.encode()).hexdigest()[:16]


def _matches(patterns: tuple[str, ...], path: str, *, default: bool) -> bool:
    if not patterns:
        return default
    from pathspec import GitIgnoreSpec

    return bool(GitIgnoreSpec.from_lines(patterns).match_file(path))
