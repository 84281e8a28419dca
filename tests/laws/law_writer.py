"""What the writer of the readers' law does: 200 updates over a small folder, and a log of the truth."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from indexer import KnowledgeBase
from indexer.care import upkeep
from indexer.core.tables import EmbeddingSettings, Source, SplitSettings
from indexer.settings import Settings
from indexer.store.local import Store
from indexer.store.lock import writer_lock
from indexer.update import Request, update

DAY = 86_400 * 10**9


class Entry(NamedTuple):
    """One commit: what it shows, and when the update that made it began and returned (monotonic ns)."""

    commit: int
    found: list[list[str]]
    began: int
    returned: int


def settings_of(home: Path, size: int = 200, salt: str = "") -> Settings:
    """A small knowledge base under ``home``."""
    return Settings(
        home=str(home), sources=(Source("kb", str(home / "kb")),), split=SplitSettings(size, 0), min_free_mb=0, snapshots_kept=2,
        embedding=EmbeddingSettings("python:law_embedder:LawEmbedder", options={"dimension": 16, "salt": salt}),
    )  # fmt: skip


def kb_of(home: Path, warn: Callable[[str], None] = lambda text: None) -> KnowledgeBase:
    """A reader's knowledge base: whatever is configured, it follows what is served."""
    return KnowledgeBase(settings_of(home), warn=warn)


class Writer:
    """Makes changes and updates, and notes what each commit shows."""

    def __init__(self, home: Path, seed: int = 0) -> None:
        self.home, self.rng = home, random.Random(seed)  # noqa: S311
        self.offset, self.turn, self.settings = 10 * 10**9, 0, settings_of(home)
        self.log: list[Entry] = []
        (home / "kb").mkdir(parents=True)
        for i in range(12):
            self._write(i)

    def _write(self, i: int) -> None:
        self.turn += 1
        text = f"Document {i} in turn {self.turn}.\n\n" + "\n\n".join(
            f"Part {p} of document {i}, turn {self.turn}." * 4 for p in range(3)
        )
        (self.home / f"kb/{i}.txt").write_text(text)

    def step(self, n: int) -> None:
        """One small change and its update; now and then time passes, garbage goes, the profile changes."""
        i = self.rng.randrange(1, 30)
        file = self.home / f"kb/{i}.txt"
        if file.exists() and self.rng.random() < 0.35:
            file.unlink()
        else:
            self._write(i)
        if n % 20 == 10:
            self.offset += 2 * DAY
        if n % 60 == 30:
            self.offset += 31 * DAY
        if n % 50 == 25:
            self.settings = settings_of(self.home, 200 + n, "m" * (n % 3))
        if n % 40 == 15:
            self._collect()
        self.update()

    def update(self) -> None:
        """One update; every commit it made is noted with what it shows."""
        began = time.monotonic_ns()
        kb = KnowledgeBase(self.settings)
        report = update(kb.world(now_ns=self.now_ns), Request())
        returned = time.monotonic_ns()
        shown = dict(self._shown(kb, report.commit_before, report.commit))
        self.log += [Entry(c, found, began, returned) for c, found in shown.items()]
        kb.close()

    def _shown(self, kb: KnowledgeBase, before: int, commit: int) -> Iterator[tuple[int, list[list[str]]]]:
        first = kb.reader().catalog.db.value("SELECT min(n) FROM log") or 0
        for c in range(max(before + 1, first), commit + 1):
            yield c, sorted([h.key.path, h.text] for h in kb.search("which document", 1000, as_of=str(c)))

    def now_ns(self) -> int:
        """The injected clock."""
        return time.time_ns() + self.offset

    def _collect(self) -> None:
        kb: Any = kb_of(self.home)
        with writer_lock(kb.layout.lock):
            store = Store.open(kb.layout, kb.layout.served())
            upkeep.forget(store, self.now_ns() - 30 * DAY, self.now_ns())
            while upkeep.merge(store):
                pass
            upkeep.sweep(store)
            store.close()
