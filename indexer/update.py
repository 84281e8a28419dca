"""One run: look, compare, decide, then parse, split, embed and commit in batches.

The folder is the queue: a run is idempotent and starts with a look, so whatever stopped the
last one, this one goes on from the newest commit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from .core.diff import Candidate
from .core.errors import EmbeddingFailed, IndexerError, ModelChanged, StoreDamaged
from .core.model import Key, Message, unraw
from .core.plan import first_and_rest
from .core.ports import Embedder
from .intake import Intake, Rules, record_attempts
from .look import DAY_NS, Looked, Looker, Request, World
from .report import Problem, Report
from .sources import folder
from .store import disk, generations, snapshots, upkeep
from .store.generations import Opened
from .store.local import Store
from .store.publish import Batch, removal, standing
from .store.recover import recover
from .store.verify import CATALOG, verify

__all__ = ["Report", "Request", "Run", "World", "update"]


_FIRST_BATCH = 128
"""Passages before the model's speed is known: a first build is searchable within seconds."""


class Run:
    """The work of one update; made and used once, under ``writer.lock``."""

    opened: Opened
    store: Store

    def __init__(self, world: World, request: Request) -> None:
        self.world, self.request = world, request
        self.report = Report(dry_run=request.dry_run)
        self.tally = self.report.tally
        self._model: Embedder | None = None
        self._donor: Any = None
        self.rate = 0.0
        self.floor = 0
        self.started = world.now_ns()
        self.wrote = False

    def go(self) -> Report:
        """Do it all; raises IndexerError when the run itself cannot go on."""
        layout, profile = self.world.layout, self.world.profile
        with disk.writer_lock(layout.lock):
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
                self.world.parser.close()
                if hasattr(self, "store"):
                    self.store.close()
        self.report.seconds = (self.world.now_ns() - self.started) / 1e9
        return self.report

    def _with_store(self, store: Store) -> None:
        """Work on one generation; started again on a new one when this one proves damaged."""
        self.store = store
        self.wrote, self._model, self._donor, self.floor = False, None, None, max(self.opened.floor, store.lost())
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
        if not self.opened.served and not self.opened.healed:
            self._retire_served()
        self._work(looked)
        self._finish(looked)

    def _heal(self, store: Store) -> None:
        """Put right what does not hold; a catalog that does not is given up (StoreDamaged)."""
        healed = self.report.healed
        if self.opened.healed:
            healed.append(Message("The catalog was damaged and is rebuilt ({why}).", {"why": self.opened.healed}))
        if self.request.repair and (broken := [f for f in verify(store, head=False) if f.what == CATALOG]):
            raise StoreDamaged(broken[0].message)
        healed += upkeep.heal_segments(store, self._embed, prove=self.request.repair)
        if self.request.repair:
            healed += snapshots.discard_damaged(self.world.layout, store.generation)
            if wrong := recover(store.catalog, always=True):
                healed.append(Message("{count} folder records were written again.", {"count": wrong}))
            if lost := store.lost():
                healed.append(Message(_TRUNCATED, {"lost": lost, "head": store.catalog.head()}))
                store.note_tip()
        if not self.opened.served and self.world.layout.named() is None:
            self.world.layout.serve(store.generation)

    def _retire_served(self) -> None:
        """While another generation is filled, what is deleted goes from the served one at once."""
        served = self.world.layout.named()
        if served is None or served == self.store.generation:
            return
        filling, opened = self.store, Store.open(self.world.layout, served)
        try:
            self.store = opened
            looker = Looker(self.world, self.request, opened.catalog, Report())
            for x in (x for s in self.world.settings.sources if (x := looker.look(s)) is not None):
                batch = self._batch()
                self._retire(x, batch)
                if batch:
                    opened.add_documents(batch)
            self.floor = opened.catalog.head()
        finally:
            opened.close()
            self.store = filling
            self.tally.deleted.clear()
            self.tally.held.clear()

    # ---- working -----------------------------------------------------------------

    def _work(self, looked: list[Looked]) -> None:
        for x in looked:
            first, rest = first_and_rest(x.changes, (g for g in x.changes.gone if g.path in set(x.deletions.remove)))
            batch = self._batch()
            self._retire(x, batch)
            self._through(x, first, batch, last=not rest)
            if rest:
                self._through(x, rest, self._batch() if batch.texts or first else batch, last=True)

    def _batch(self) -> Batch:
        now, days = self.world.now_ns(), self.world.settings.scrub_days
        batch = Batch(run=self._run_id(), at=now, note=self.request.trigger, scrub_ns=days * DAY_NS)
        batch.above = self.floor
        return batch

    def _run_id(self) -> int:
        if not self.report.run:
            db = self.store.catalog.db
            self.report.run = int(db.value("SELECT seq FROM sqlite_sequence WHERE name='run'") or 0) + 1
        return self.report.run

    def _retire(self, x: Looked, batch: Batch) -> None:
        """Deletions, holds and returns, for the first commit of the source."""
        catalog = self.store.catalog
        rows = catalog.documents(x.id, [*x.deletions.remove, *x.deletions.hold])
        for path in x.deletions.remove:
            row = rows.get(path)
            if row is not None and (row.content is not None or row.state != "gone" or row.pinned is not None):
                batch.settled.append(removal(row))
                if row.content is not None:
                    self.tally.deleted[Key(x.source.name, unraw(path))] = row.sha
        for path in x.deletions.hold:
            self.tally.held.append(Key(x.source.name, unraw(path)))
            if (row := rows.get(path)) is not None and row.held is None:
                batch.settled.append(standing(row, held=batch.run))
        seen = {c.path for c in x.changes.candidates}
        for path, row in catalog.held(x.id).items():
            if path not in seen and x.look.has(path):
                batch.settled.append(standing(row, held=None))
        if not x.deletions.emptied:
            batch.folders += [(x.id, v, None) for v in x.changes.vanished]
        self._flush_folders(x, batch)

    def _flush_folders(self, x: Looked, batch: Batch) -> None:
        """Record the folders whose every candidate is settled; the others are looked at again."""
        for path in [f for f, n in x.left.items() if n == 0]:
            del x.left[path]
            batch.folders.append((x.id, path, folder.pack(x.files.pop(path))))
            if path in x.due:
                batch.scrubbed.append((x.id, path))

    def _through(self, x: Looked, candidates: Iterable[Candidate], batch: Batch, *, last: bool) -> None:
        """Take files into the batch, committing whenever it is full."""
        todo = list(candidates)
        s = self.world.settings
        rules = Rules(s.limits, s.attempts, self.request.retry_now, self.request.verify_content)
        texts: dict[bytes, str] = {}
        intake = Intake(
            self.store.catalog,
            x.source,
            x.id,
            self.world.parser,
            self.world.split,
            rules,
            self.world.now_ns,
            self.tally,
        )
        intake.into(texts)
        started = self.world.now_ns()
        for i, c in enumerate(todo):
            self.world.stop()
            if i % 500 == 0:
                intake.prepare([n.path for n in todo[i : i + 500]])
            alone = intake.suspect(c.path)
            if alone and batch:
                self._commit(x, batch, texts)
                batch, started = self._batch(), self.world.now_ns()
            stat = intake.take(c, batch)
            x.files[c.folder][c.name] = stat
            x.left[c.folder] -= 1
            self.world.tell("file", {"source": x.source.name, "path": unraw(c.path)})
            if alone or self._full(texts, batch, started):
                self._commit(x, batch, texts)
                batch, started = self._batch(), self.world.now_ns()
        self._commit(x, batch, texts)

    def _full(self, texts: Mapping[bytes, str], batch: Batch, started: int) -> bool:
        s = self.world.settings
        limit = (
            min(s.batch_passages, max(_FIRST_BATCH, int(self.rate * s.batch_seconds)))
            if self.rate
            else min(_FIRST_BATCH, s.batch_passages)
        )
        return (
            len(texts) >= limit or len(batch.settled) >= 5000 or self.world.now_ns() - started > s.batch_seconds * 1e9
        )

    def _commit(self, x: Looked, batch: Batch, texts: dict[bytes, str]) -> None:
        """Embed what is new and publish the batch; the moment it becomes visible and durable."""
        self._flush_folders(x, batch)
        if not batch:
            return
        batch.unfinished = bool(x.left)
        if batch.drafts:  # before any step that may fail: a full disk is no fault of the files
            record_attempts(self.store.catalog, self._open_attempts(x, batch))
        if not self.wrote:
            self.wrote = True
            upkeep.before_first_write(self.store, self.world.settings, self.world.now_ns())
        known = self.store.catalog.passages(list(texts))
        batch.texts = {k: t for k, t in texts.items() if k not in known}
        self.tally.reused += len(texts) - len(batch.texts)
        texts.clear()
        if batch.texts:
            disk.require_room(self.world.layout.vectorstore, len(batch.texts) * 8192, self.world.settings.min_free_mb)
            batch.vectors = self._vectors(batch.texts)
        self.report.commit = self.store.add_documents(batch)
        self.world.tell("commit", {"commit": self.report.commit, "documents": len(batch.settled)})

    def _open_attempts(self, x: Looked, batch: Batch) -> list[tuple[int, bytes, bytes, int]]:
        """Parsing them went well, so they count one attempt whatever happens from here.

        Embedding is work too: if it kills the process, these files are taken one by one.
        """
        return [(x.id, d.path, d.sha, 1) for d in batch.settled if d.content in batch.drafts and d.sha]

    # ---- embedding ---------------------------------------------------------------

    def _vectors(self, texts: Mapping[bytes, str]) -> Any:
        """One vector for each text, copied from a donor where it has one."""
        import numpy as np

        if self.opened.donor and self._donor is None:
            from .store.donor import Donor

            self._donor = Donor(self.world.layout, self.opened.donor)
        have = self._donor.vectors(list(texts)) if self._donor else {}
        missing = [t for k, t in texts.items() if k not in have]
        made = iter(self._embed(missing)) if missing else iter(())
        self.tally.reused += len(have)
        return np.stack([have[k] if k in have else next(made) for k in texts])

    def _embed(self, texts: list[str]) -> Any:
        start = self.world.now_ns()
        self.world.tell("embedding", {"texts": len(texts)})

        def progress(n: int) -> None:
            self.world.tell("embedded", {"texts": n})
            self.world.stop()

        rows = self._embedder().embed_documents(texts, progress)
        if rows.shape != (len(texts), self.store.catalog.meta("dimension")):
            raise EmbeddingFailed(
                "The model gave {got} numbers where {want} were due.", got=str(rows.shape), want=len(texts)
            )
        self.tally.embedded += len(texts)
        self.rate = len(texts) / max((self.world.now_ns() - start) / 1e9, 1e-6)
        return rows

    def _embedder(self) -> Embedder:
        """The model, proved to be the one the generation was made with."""
        if self._model is None:
            import numpy as np

            model = self.world.profile.embedder()
            probe = np.frombuffer(self.store.catalog.meta("probe"), dtype=np.float32)
            now = model.embed_documents([generations.PROBE])[0]
            if now.shape != probe.shape or float(np.abs(now - probe).max()) > 0.02:
                raise ModelChanged(
                    "The model answers, but with other vectors than the index was made with: it was exchanged under the same name. "
                    "Run `indexer repair --rebuild` to embed everything with the new one."
                )
            self._model = model
        return self._model

    # ---- finishing ---------------------------------------------------------------

    def _record_failure(self, e: IndexerError) -> None:
        """A run that could not go on is on record too: nobody learns of it days later."""
        if self.request.dry_run or not hasattr(self, "store"):
            return
        with suppress(IndexerError, OSError), self.store.catalog.db.write():
            self._record(e.exit_code, {**self.report.summary(), "error": [e.message.text, dict(e.message.args)]})
            # whoever can say why it stops was not killed by a file: no first attempt is held against one
            self.store.catalog.db.run("DELETE FROM attempt WHERE tries=1")

    def _record(self, code: int, summary: Mapping[str, Any]) -> None:
        self.store.catalog.db.run(
            "INSERT OR REPLACE INTO run(id,started,finished,actor,trigger,exit_code,report) VALUES(?,?,?,?,?,?,?)",
            (
                self._run_id(),
                self.started,
                self.world.now_ns(),
                actor(),
                self.request.trigger,
                code,
                json.dumps(summary, default=str),
            ),
        )

    def _finish(self, looked: list[Looked]) -> None:
        """Serve a filled generation, tidy the store, record the run."""
        layout, store = self.world.layout, self.store
        self.tally.pair_moves()
        done = not self.report.unavailable and not self.request.paths
        self.report.generation, self.report.suffixes = store.generation, self.world.parser.suffixes()
        self.report.roots = {x.source.name: x.look.root_id for x in looked}
        roots = [(*x.look.root_id, x.id) for x in looked if not x.deletions.emptied]
        for p in upkeep.standing_problems(store, self.world.settings.sources):
            self.tally.problems.setdefault(p[0], Problem(*p))
        if done and layout.named() != store.generation:
            self._carry_over()
        with store.catalog.db.write():
            store.catalog.db.run_many("UPDATE source SET device=?,inode=? WHERE id=? AND (device,inode) IS NOT (?,?)",
                                      [(d, i, s, d, i) for d, i, s in roots])  # fmt: skip
            if done and not store.catalog.meta("complete"):
                store.catalog.set_meta(complete=1)
            self._record(self.report.exit_code, self.report.summary())
        if done and layout.named() != store.generation:
            layout.serve(store.generation)
        upkeep.tidy(store, self.world.settings, self.world.now_ns(), wrote=self.wrote)

    def _carry_over(self) -> None:
        """What no folder can give comes along from the served generation.

        Documents handed in through the API, and last good versions of what cannot be read now.
        """
        from .store import handmade, succession

        how = (self.world.layout, self.store, self._vectors, self._run_id(), self.world.now_ns())
        carried = handmade.carry_over(*how)
        brought = carried.brought + succession.carry(*how)
        self.wrote = self.wrote or brought > 0
        self.report.commit = self.store.catalog.head()
        for key in carried.lost:
            self.tally.problems[key] = Problem(key, "failed", Message(_LOST))


_TRUNCATED = (
    "The commits after {head} up to {lost} were lost with the damaged end of the catalog's log; "
    "what lies in the folders is indexed again."
)
_LOST = "the damaged catalog no longer holds this document, which lies in no folder; add it again"


def actor() -> str:
    """Who ran it, for the record."""
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "?")
    try:
        import pwd

        return f"{pwd.getpwuid(os.getuid()).pw_name}@{host}"
    except (ImportError, KeyError):
        return f"{os.environ.get('USERNAME', '?')}@{host}"


def update(world: World, request: Request) -> Report:
    """Bring the index up to date with the folders."""
    return Run(world, request).go()
