"""What a look found, taken through in batches: files in, one commit whenever a batch is full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .core.diff import Candidate
from .core.model import Key, unraw
from .core.plan import first_and_rest
from .embedding import Embedding
from .intake import Intake, Rules, record_attempts
from .look import DAY_NS, Looked, Request, World
from .report import Report
from .sources import folder
from .store import disk, upkeep
from .store.batch import Batch, removal, standing
from .store.local import Store

_FIRST_BATCH = 128
"""Passages before the model's speed is known: a first build is searchable within seconds."""


class Batches:
    """Works on one generation; ``wrote`` tells whether anything was published.

    ``floor``: new commits have numbers above it. ``run_id`` is asked for when it is needed.
    """

    def __init__(
        self, world: World, request: Request, store: Store, embedding: Embedding, report: Report,
        run_id: Callable[[], int], floor: int = 0,
    ) -> None:  # fmt: skip
        self.world, self.request, self.store, self.embedding = world, request, store, embedding
        self.report, self.tally, self.run_id, self.floor = report, report.tally, run_id, floor
        self.wrote = False

    def work(self, looked: Iterable[Looked]) -> None:
        """Deletions and quick things first, so that they are visible before the long ones."""
        for x in looked:
            first, rest = first_and_rest(x.changes, (g for g in x.changes.gone if g.path in set(x.deletions.remove)))
            batch = self._new()
            self._retire(x, batch)
            self._through(x, first, batch, last=not rest)
            if rest:
                self._through(x, rest, self._new() if batch.texts or first else batch, last=True)

    def retire(self, looked: Iterable[Looked]) -> None:
        """Only what is gone."""
        for x in looked:
            batch = self._new()
            self._retire(x, batch)
            if batch:
                self.store.add_documents(batch)

    def _new(self) -> Batch:
        now, days = self.world.now_ns(), self.world.settings.scrub_days
        batch = Batch(run=self.run_id(), at=now, note=self.request.trigger, scrub_ns=days * DAY_NS)
        batch.above = self.floor
        return batch

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
                batch, started = self._new(), self.world.now_ns()
            stat = intake.take(c, batch)
            x.files[c.folder][c.name] = stat
            x.left[c.folder] -= 1
            self.world.tell("file", {"source": x.source.name, "path": unraw(c.path)})
            if alone or self._full(texts, batch, started):
                self._commit(x, batch, texts)
                batch, started = self._new(), self.world.now_ns()
        self._commit(x, batch, texts)

    def _full(self, texts: Mapping[bytes, str], batch: Batch, started: int) -> bool:
        s = self.world.settings
        limit = (
            min(s.batch_passages, max(_FIRST_BATCH, int(self.embedding.rate * s.batch_seconds)))
            if self.embedding.rate
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
            batch.vectors = self.embedding.vectors(batch.texts)
        self.report.commit = self.store.add_documents(batch)
        self.world.tell("commit", {"commit": self.report.commit, "documents": len(batch.settled)})

    def _open_attempts(self, x: Looked, batch: Batch) -> list[tuple[int, bytes, bytes, int]]:
        """Parsing them went well, so they count one attempt whatever happens from here.

        Embedding is work too: if it kills the process, these files are taken one by one.
        """
        return [(x.id, d.path, d.sha, 1) for d in batch.settled if d.content in batch.drafts and d.sha]
