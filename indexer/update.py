"""One run: look, compare, decide, then parse, split, embed and commit in batches.

The folder is the queue: a run is idempotent and starts with a look, so whatever stopped the
last one, this one goes on from the newest commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from . import aside
from .batches import Batches
from .care import audit_mend, generations, lexicon, snapshots, upkeep
from .care.earlier import earlier
from .care.generations import Opened
from .care.verify import CATALOG, verify
from .core.errors import IndexerError, StoreDamaged
from .core.model import Message
from .embedding import Embedding
from .gaps import Passed
from .look import Looked, Looker, Request, World
from .recording import Recorded, actor, author, record
from .report import Problem, Report
from .store.local import Store
from .store.lock import writer_lock
from .store.recover import recover

__all__ = ["Report", "Request", "Run", "World", "actor", "update"]


class Run:
    """The work of one update; made and used once, under ``writer.lock``."""

    opened: Opened
    store: Store
    _batches: Batches

    def __init__(self, world: World, request: Request) -> None:
        self.world, self.request = world, request
        self.report = Report(dry_run=request.dry_run)
        self.tally = self.report.tally
        self.started = world.now_ns()
        self._floor = 0
        self._after = 0  # runs that went first, numbered after this one

    def go(self) -> Report:
        """Do it all; raises IndexerError when the run itself cannot go on."""
        layout, profile = self.world.layout, self.world.profile
        with writer_lock(layout.lock, self.request.trigger, self.world.busy):
            try:
                self.opened = generations.resolve(layout, profile, rebuild=self.request.rebuild)
                self._with_store(self.opened.store)
            except StoreDamaged as e:
                if self.request.dry_run or not hasattr(self, "opened") or self.opened.healed:
                    raise
                self.store.close()
                self.opened = generations.replace_damaged(layout, profile, self.store.generation, str(e))
                self._with_store(self.opened.store)
            except IndexerError as e:
                self._record_failure(e)
                raise
            finally:
                if not self.world.lasting:
                    self.world.parser.close()
                if hasattr(self, "store"):
                    self.store.close()
        self.report.seconds = (self.world.now_ns() - self.started) / 1e9
        return self.report

    def _with_store(self, store: Store) -> None:
        """Work on one generation; started again on a new one when this one proves damaged."""
        self.store, store.author = store, author(self.request)
        self.embedding = Embedding(self.world, store.catalog, self.opened.donor, self.tally)
        self.report.commit_before = self.report.commit = store.catalog.head()
        if not self.request.dry_run:
            self._heal(store)
        looker = Looker(self.world, self.request, store.catalog, self.report)
        looked = [x for s in self.world.settings.sources if (x := looker.look(s)) is not None]
        looked += [] if self.request.paths else looker.unconfigured()
        self.world.tell("plan", {"files": sum(len(x.changes.candidates) for x in looked)})
        if self.request.dry_run:
            looker.classify(looked)
            return
        floor = max(self.opened.floor, store.lost())
        if not self.opened.served and not self.opened.healed:
            floor = max(floor, self._retire_served(self.request))
        self._floor = floor
        source = earlier(self.world.layout, *self.opened.earlier) if self.opened.earlier else None
        batches = self._batches = Batches(
            self.world, self.request, store, self.embedding, self.report, self._run_id, floor, source, self._give_way
        )
        try:
            batches.work(looked)
        finally:
            del self._batches  # each knows the other: all that was looked at would stay until garbage is collected
            if source is not None:
                source.close()
        self._finish(looked, wrote=batches.wrote)

    def _heal(self, store: Store) -> None:
        """Put right what does not hold; a catalog that does not is given up (StoreDamaged)."""
        healed = self.report.healed
        if self.opened.healed:
            healed.append(Message("The catalog was damaged and is rebuilt ({why}).", {"why": self.opened.healed}))
        if self.request.repair and (broken := [f for f in verify(store, head=False) if f.what == CATALOG]):
            path = str(self.world.layout.metadata / store.generation)
            raise StoreDamaged(
                "The catalog {path} is damaged ({why}); run `indexer repair`.", path=path, why=broken[0].message
            )
        healed += lexicon.mend(store, prove=self.request.repair)
        healed += upkeep.heal_segments(store, self.embedding.embed, prove=self.request.repair)
        if self.request.repair:
            healed += audit_mend.mend(store, self._run_id(), self.world.now_ns())
            self.report.commit = store.catalog.head()
            healed += snapshots.discard_damaged(self.world.layout, store.generation)
            if wrong := recover(store.catalog, always=True):
                healed.append(Message("{count} folder records were written again.", {"count": wrong}))
            if lost := store.lost():
                healed.append(Message(_TRUNCATED, {"lost": lost, "head": store.catalog.head()}))
                store.note_tip()
        if not self.opened.served and self.world.layout.named() is None:
            self.world.layout.serve(store.generation)

    def _retire_served(self, request: Request, run: int = 0) -> int:
        """While another generation is filled, what is deleted goes from the served one at once.

        Returns the served generation's newest commit, 0 when none is served.
        """
        served = self.world.layout.named()
        if served is None or served == self.store.generation:
            return 0
        opened, scratch = Store.open(self.world.layout, served), Report()
        try:
            number = run or self._run_id(opened)
            looker = Looker(self.world, request, opened.catalog, scratch)
            looked = [x for s in self.world.settings.sources if (x := looker.look(s)) is not None]
            floor = self.store.catalog.head()  # no two commits of a knowledge base have one number
            Batches(self.world, request, opened, self.embedding, scratch, lambda: number, floor).retire(looked)
            return opened.catalog.head()
        finally:
            opened.close()

    def _give_way(self, passed: Passed) -> None:
        """Whoever waits and may go first is served in the middle of this run, as a run of its own."""
        while self.world.waiting():
            request = self.world.take()
            self._after += 1
            place = aside.Place(self.store, self.opened.donor, self._floor, self._run_id() + self._after)
            self.world.tell("run", {"run": place.run})
            report = aside.serve(self.world, request, place, passed)
            if not self.opened.served:
                self._batches.floor = self._floor = max(self._floor, self._retire_served(request, place.run))
            self.world.tell("passed", {"report": report})

    def _run_id(self, store: Store | None = None) -> int:
        if not self.report.run:
            sql = "SELECT seq FROM sqlite_sequence WHERE name='run'"
            self.report.run = max(int(s.catalog.db.value(sql) or 0) for s in (self.store, store or self.store)) + 1
            self.world.tell("run", {"run": self.report.run})
        return self.report.run

    def _record_failure(self, e: IndexerError) -> None:
        """A run that could not go on is on record too: nobody learns of it days later."""
        if self.request.dry_run or not hasattr(self, "store"):
            return
        summary = {**self.report.summary(), "error": [e.message.text, dict(e.message.args)]}
        with suppress(IndexerError, OSError), self.store.catalog.db.write():
            self._record(e.exit_code, summary)
            # whoever can say why it stops was not killed by a file: no first attempt is held against one
            self.store.catalog.db.run("DELETE FROM attempt WHERE tries=1")

    def _record(self, code: int, summary: Mapping[str, Any]) -> None:
        when = (self.started, self.world.now_ns())
        record(self.store, Recorded(self._run_id(), when, self.request, code, summary))

    def _finish(self, looked: list[Looked], *, wrote: bool) -> None:
        """Serve a filled generation, tidy the store, record the run."""
        layout, store = self.world.layout, self.store
        self.tally.pair_moves()
        done = not self.report.unavailable and not self.request.paths and not self.report.left
        self.report.generation, self.report.suffixes = store.generation, self.world.parser.suffixes()
        self.report.roots = {x.source.name: x.look.root_id for x in looked}
        roots = [(*x.look.root_id, x.id) for x in looked if not x.deletions.emptied]
        for p in upkeep.standing_problems(store, self.world.settings.sources):
            self.tally.problems.setdefault(p[0], Problem(*p))
        if done and layout.named() != store.generation:
            wrote = self._carry_over() or wrote
        with store.catalog.db.write():
            store.catalog.db.run_many("UPDATE source SET device=?,inode=? WHERE id=? AND (device,inode) IS NOT (?,?)",
                                      [(d, i, s, d, i) for d, i, s in roots])  # fmt: skip
            if done and not store.catalog.meta("complete"):
                store.catalog.set_meta(complete=1)
            self._record(self.report.exit_code, self.report.summary())
        if done and layout.named() != store.generation:
            layout.serve(store.generation)
        wrote = lexicon.fill(store) or wrote
        upkeep.tidy(store, self.world.settings, self.world.now_ns(), wrote=wrote)

    def _carry_over(self) -> bool:
        """What no folder can give comes along from the served generation.

        Documents handed in through the API, and last good versions of what cannot be read now. Whether anything did.
        """
        from .care import handmade, succession

        how = (self.world.layout, self.store, self.embedding.vectors, self._run_id(), self.world.now_ns(), self._floor)
        carried = handmade.carry_over(*how)
        brought = carried.brought + succession.carry(*how)
        self.report.commit = self.store.catalog.head()
        for key in carried.lost:
            self.tally.problems[key] = Problem(key, "failed", Message(_LOST))
        return brought > 0


_TRUNCATED = (
    "The commits after {head} up to {lost} were lost with the damaged end of the catalog's log; "
    "what lies in the folders is indexed again."
)
_LOST = "the damaged catalog no longer holds this document, which lies in no folder; add it again"


def update(world: World, request: Request) -> Report:
    """Bring the index up to date with the folders."""
    return Run(world, request).go()
