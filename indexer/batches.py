"""What a look found, taken through in batches: files in, one commit whenever a batch is full."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence

from .ahead import Ahead
from .care import upkeep
from .care.earlier import Earlier
from .core.diff import Candidate
from .core.errors import EmbeddingFailed
from .core.model import FileStat, Key, unraw
from .core.plan import first_and_rest
from .embedding import Embedding
from .gaps import GiveWay, Passed, Spent
from .intake import Begun, Intake, Rules, record_attempts
from .look import DAY_NS, Looked, Request, World
from .report import Report
from .sources import folder
from .store import disk
from .store.author import Author
from .store.batch import Batch, removal, standing, stands
from .store.catalog import GONE
from .store.local import Store

_FIRST_BATCH = 128
"""Passages before the model's speed is known: a first build is searchable within seconds."""

_MANY = 5000
"""Documents in one commit."""

_AHEAD = 4
"""Files in work for each worker process: enough to keep them busy while one file is split or a batch embedded."""

_AHEAD_BYTES = 64 << 20


def workers_of(configured: int) -> int:
    """Worker processes; 0 is one for each core this process may use, at most 4: each may take 1 GB."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return configured or max(1, min(4, cores))


class Batches:
    """Works on one generation; ``wrote`` tells whether anything was published.

    ``floor``: new commits have numbers above it. ``run_id`` is asked for when it is needed.
    """

    def __init__(
        self, world: World, request: Request, store: Store, embedding: Embedding, report: Report,
        run_id: Callable[[], int], floor: int = 0, earlier: Earlier | None = None, give_way: GiveWay | None = None, nested: bool = False,
    ) -> None:  # fmt: skip
        self.world, self.request, self.store, self.embedding = world, request, store, embedding
        self.report, self.tally, self.run_id, self.floor = report, report.tally, run_id, floor
        self.wrote, self.earlier = False, earlier
        self.looked: list[Looked] = []
        self.retired = False
        self.give_way, self.nested, self.passed = give_way, nested, Passed()
        self.ahead = Ahead(world.parser, workers_of(world.settings.workers))
        self._begin()

    def _begin(self) -> None:
        now, days = self.world.now_ns(), self.world.settings.scrub_days
        by = Author(self.request.actor, self.request.client, self.request.trigger).named()
        self.batch = Batch(run=self.run_id(), at=now, note=by.trigger, scrub_ns=days * DAY_NS, author=by)
        self.batch.above, self.began = self.floor, now

    def work(self, looked: Sequence[Looked]) -> None:
        """What may have moved, then what is gone, then the rest: nothing is missing meanwhile."""
        try:
            self._work(looked)
        except EmbeddingFailed:
            self._retire_alone()
            raise
        finally:
            self.ahead.close()

    def _work(self, looked: Sequence[Looked]) -> None:
        self.looked = list(looked)
        spent = Spent(self.request.budget, self.world.now_ns, lambda: self.tally.embedded + len(self.batch.texts))
        gone = {(x.id, path) for x in looked for path in x.deletions.remove}
        sizes = {g.stat.size for x in looked for g in x.changes.gone if (x.id, g.path) in gone}
        parts = [(x, *first_and_rest(x.changes, sizes)) for x in looked]
        for x, first, _ in parts:
            self._through(x, first)
        self._retire_all()
        if any(first for _, first, _ in parts):
            self._commit()
        for x, _, rest in parts:
            done = self._through(x, rest, spent)
            self.report.left += len(rest) - done
        self._commit()

    def retire(self, looked: Sequence[Looked]) -> None:
        """Only what is gone."""
        self.looked = list(looked)
        self._retire_all()
        self._commit()

    def _retire_alone(self) -> None:
        """Without a model nothing new can come; what is gone goes all the same, but for what only moved."""
        settled, came = self.batch.settled, {s.sha for s in self.batch.settled}
        self._begin()
        for source in {s.source for s in settled}:
            gone = [s.path for s in settled if s.source == source and s.state == GONE]
            rows = self.store.catalog.documents(source, gone).values()
            self.batch.settled += [removal(row) for row in rows if row.sha not in came]
        if self.batch:
            self.batch.unfinished = True  # the folders' records still name them
            self.report.commit = self.store.add_documents(self.batch)
            self.world.tell("commit", {"commit": self.report.commit, "documents": len(self.batch.settled)})

    def _retire_all(self) -> None:
        for x in self.looked:
            self._retire(x)
        self.retired = True

    def _retire(self, x: Looked) -> None:
        """Deletions, holds and returns of one source."""
        batch, catalog = self.batch, self.store.catalog
        rows = catalog.documents(x.id, [*x.deletions.remove, *x.deletions.hold])
        for path in x.deletions.remove:
            row = rows.get(path) if not self.passed.has(x.id, path) else None
            if row is not None and stands(row):
                batch.settled.append(removal(row))
                if row.content is not None:
                    self.tally.deleted[Key(x.source.name, unraw(path))] = row.sha
        for path in x.deletions.hold:
            if (row := rows.get(path)) is not None and stands(row):
                self.tally.held.append(Key(x.source.name, unraw(path)))
                batch.settled += [standing(row, held=batch.run)] if row.held is None else []
        seen = {c.path for c in x.changes.candidates}
        for path, row in catalog.held(x.id).items():
            if path not in seen and x.look.has(path):
                batch.settled.append(standing(row, held=None))
        if not x.deletions.emptied:
            batch.folders += [(x.id, v, None) for v in x.changes.vanished if not self.passed.reaches(x.id, v)]

    def _flush_folders(self, x: Looked) -> None:
        """Record the folders whose every candidate is settled; the others are looked at again."""
        for path in [f for f, n in x.left.items() if n == 0]:
            del x.left[path]
            self.batch.folders.append((x.id, path, self._record(x.id, path, x.files.pop(path))))
            if path in x.due:
                self.batch.scrubbed.append((x.id, path))

    def _record(self, source: int, path: bytes, files: dict[bytes, FileStat]) -> bytes | None:
        """A folder's record; of files somebody else took meanwhile, what they recorded holds."""
        if self.passed.reaches(source, path):
            blob = self.store.catalog.folders(source).get(path)
            files = self.passed.merged(source, path, files, folder.unpack(blob) if blob else {})
        return folder.pack(files) if files else None

    def _through(self, x: Looked, candidates: Sequence[Candidate], spent: Spent | None = None) -> int:
        """Take files into the batch, committing whenever it is full; how many before the budget was spent."""
        intake = self._intake(x)
        begun: deque[Begun] = deque()
        for i, c in enumerate(candidates):
            self.world.stop()
            if spent is not None and spent():
                self._finish(x, intake, begun)
                return i
            if i % 500 == 0:
                intake.prepare([n.path for n in candidates[i : i + 500]])
            if alone := intake.suspect(c.path):
                self._finish(x, intake, begun)
                if self.batch:
                    self._commit()
            begun.append(intake.begin(c, self.batch))
            self._finish(x, intake, begun, 0 if alone else self.ahead.workers * _AHEAD)
            if alone:
                self._commit()
            self._let_pass()
        self._finish(x, intake, begun)
        return len(candidates)

    def _let_pass(self) -> None:
        """Whoever waits and may go first does so now: what is gathered is committed, then theirs."""
        if self.give_way is not None and self.world.waiting():
            self._commit()
            self.give_way(self.passed)
            self._begin()

    def _finish(self, x: Looked, intake: Intake, begun: deque[Begun], keep: int = 0) -> None:
        """Finish files in their order: those that are ready, and the oldest while more than ``keep`` wait."""
        while begun and (begun[0].ready() or len(begun) > keep or sum(b.size() for b in begun) > _AHEAD_BYTES):
            while not begun[0].ready(0.2):
                self.world.stop()
                self._let_pass()
            done = begun.popleft()
            folder_, name = done.candidate.folder, done.candidate.name
            if self.passed.has(x.id, done.candidate.path):  # read before somebody else took it: not the newest bytes
                x.files[folder_][name] = folder.unsettled(done.candidate.stat)
            else:
                x.files[folder_][name] = intake.finish(done, self.batch)
            x.left[folder_] -= 1
            self.world.tell("file", {"source": x.source.name, "path": unraw(done.candidate.path)})
            if self._full():
                self._commit()

    def _intake(self, x: Looked) -> Intake:
        world, request = self.world, self.request
        rules = Rules(world.settings.limits, world.settings.attempts, request.retry_now, request.verify_content)
        return Intake(
            self.store.catalog, x.source, x.id, world.parser, self.ahead, self.earlier, world.split, rules,
            world.now_ns, self.tally,
        )  # fmt: skip

    def _full(self) -> bool:
        s, rate = self.world.settings, self.embedding.rate
        wanted = max(_FIRST_BATCH, int(rate * s.batch_seconds)) if rate else _FIRST_BATCH
        late = self.world.now_ns() - self.began > s.batch_seconds * 1e9
        full = len(self.batch.texts) >= min(wanted, s.batch_passages) or len(self.batch.settled) >= _MANY
        return full or late or (self.give_way is not None and self.world.waiting())

    def _commit(self) -> None:
        """Embed what is new and publish the batch; the moment it becomes visible and durable."""
        batch, catalog, world = self.batch, self.store.catalog, self.world
        for x in self.looked:
            self._flush_folders(x)
        if not batch:
            self.began = world.now_ns()
            return
        # in the middle of another run only that one knows
        batch.unfinished = None if self.nested else not self.retired or any(x.left for x in self.looked)
        if batch.drafts:  # before any step that may fail: a full disk is no fault of the files
            record_attempts(catalog, self._open_attempts())
        if not self.wrote:
            self.wrote = True
            upkeep.before_first_write(self.store, world.settings, world.now_ns())
        texts, known = batch.texts, catalog.passages(list(batch.texts))
        batch.texts = {k: t for k, t in texts.items() if k not in known}
        self.tally.reused += len(known)
        if batch.texts:
            disk.require_room(world.layout.vectorstore, len(batch.texts) * 8192, world.settings.min_free_mb)
            batch.vectors = self.embedding.vectors(batch.texts)
        self.report.commit = self.store.add_documents(batch)
        world.tell("commit", {"commit": self.report.commit, "documents": len(batch.settled)})
        self._begin()

    def _open_attempts(self) -> list[tuple[int, bytes, bytes, int]]:
        """Parsing them went well, so they count one attempt whatever happens from here.

        Embedding is work too: if it kills the process, these files are taken one by one.
        """
        drafts = self.batch.drafts
        return [(d.source, d.path, d.sha, 1) for d in self.batch.settled if d.content in drafts and d.sha]
