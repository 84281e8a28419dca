"""One run: look, compare, decide, then parse, split, embed and commit in batches.

The folder is the queue: a run is idempotent and starts with a look, so whatever stopped the
last one, this one goes on from the newest commit.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from .core import errors
from .core.diff import Candidate, ChangeSet, diff
from .core.errors import EmbeddingFailed, IndexerError, ModelChanged, SourceUnavailable, StoreDamaged
from .core.model import Key, Message, Source, raw, unraw
from .core.plan import Deletions, HoldRule, first_and_rest, withhold
from .core.ports import Embedder, Parser, Splitter
from .intake import Intake, Problem, Rules, Tally, record_attempts, standing
from .settings import Settings
from .sources import folder
from .store import disk, generations, upkeep
from .store.generations import Opened, Profile
from .store.local import Layout, Store
from .store.publish import Batch, removal
from .store.verify import CATALOG, verify

DAY_NS = 86_400 * 10**9


class Request(NamedTuple):
    """What somebody asked for."""

    dry_run: bool = False
    allow_deletions: bool = False
    verify_content: bool = False
    rebuild: bool = False
    repair: bool = False
    paths: tuple[Key, ...] = ()
    trigger: str = "cli"
    retry_now: bool = True


class World(NamedTuple):
    """The edges a run touches, as arguments: time, stop, model, parsers, and who listens."""

    settings: Settings
    parser: Parser
    split: Splitter
    profile: Profile
    now_ns: Callable[[], int]
    stop: Callable[[], None] = lambda: None
    tell: Callable[[str, Mapping[str, Any]], None] = lambda kind, facts: None

    @property
    def layout(self) -> Layout:
        """Where the state lies."""
        from pathlib import Path

        return Layout(Path(self.settings.metadata), Path(self.settings.vectorstore))


class Report:
    """What a run did. ``exit_code`` follows DESIGN 9."""

    def __init__(self, dry_run: bool = False) -> None:
        self.dry_run = dry_run
        self.run = self.commit_before = self.commit = self.skipped = 0
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
        return errors.PARTIAL if self.tally.held or self.tally.problems else errors.DONE


class _Looked(NamedTuple):
    source: Source
    id: int
    look: folder.Look
    changes: ChangeSet
    deletions: Deletions
    left: dict[bytes, int]
    files: dict[bytes, dict[bytes, folder.FileStat]]
    due: set[bytes]


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
                if self.request.dry_run or self.opened.healed:
                    raise
                self.store.close()
                self.opened = generations.replace_damaged(layout, profile, self.store.generation, str(e))
                self._with_store(self.opened.store)
            finally:
                self.world.parser.close()
                if hasattr(self, "store"):
                    self.store.close()
        self.report.seconds = (self.world.now_ns() - self.started) / 1e9
        return self.report

    def _with_store(self, store: Store) -> None:
        """Work on one generation; started again on a new one when this one proves damaged."""
        self.store = store
        self.wrote, self._model, self._donor = False, None, None
        self.report.commit_before = self.report.commit = store.catalog.head()
        if self.opened.healed:
            self.report.healed.append(Message("The catalog was damaged and is rebuilt ({why}).", {"why": self.opened.healed}))
        if self.request.repair and (broken := [f for f in verify(store, head=False) if f.what == CATALOG]):
            raise StoreDamaged(broken[0].message)
        if not self.request.dry_run:
            self.report.healed += upkeep.heal_segments(store, self._embed, prove=self.request.repair)
        if not self.opened.served and self.world.layout.served() is None and not self.request.dry_run:
            self.world.layout.serve(store.generation)
        looked = [x for s in self.world.settings.sources if (x := self._look(s)) is not None]
        self.world.tell("plan", {"files": sum(len(x.changes.candidates) for x in looked)})
        if self.request.dry_run:
            self._classify(looked)
            return
        self._work(looked)
        self._finish(looked)

    # ---- looking -----------------------------------------------------------------

    def _look(self, source: Source) -> _Looked | None:
        """Registry first, then the walk, then the difference."""
        catalog = self.store.catalog
        source_id = self._source_id(source)
        known = catalog.folders(source_id)
        try:
            look = folder.scan(source, self.world.parser.suffixes(), self.world.now_ns(), self.world.stop)
        except SourceUnavailable as e:
            self.report.unavailable.append(e.message)
            self.tally.unknown += sum(map(_count, known.values()))
            return None
        self.report.skipped += len(look.skipped)
        for path, why in look.unreadable.items():
            key = Key(source.name, unraw(path))
            self.tally.problems[key] = Problem(key, "unknown", why)
        due = set(known)
        if not self.request.verify_content:
            days = self.world.settings.scrub_days
            due = upkeep.due_for_scrub(catalog, source_id, self.world.now_ns() - days * DAY_NS) if days else set()
        known = upkeep.unsettled(known, due) if due else known
        seen = self._only(known, look)
        changes = diff(known, seen, folder.unpack, look.unknown, _count)
        self.tally.unknown += changes.unknown
        files = {f: folder.unpack(seen[f]) for f in changes.folders}
        return self._decide(source, source_id, look, changes, due, files)

    def _source_id(self, source: Source) -> int:
        db = self.store.catalog.db
        found = db.value("SELECT id FROM source WHERE name=?", (source.name,))
        if found is None and self.request.dry_run:
            return -1
        if found is None:
            with db.write():
                found = db.run("INSERT INTO source(name,root) VALUES(?,?)", (source.name, source.path)).lastrowid
        return int(found)

    def _only(self, known: Mapping[bytes, bytes], look: folder.Look) -> Mapping[bytes, bytes]:
        """What was seen under the requested paths; everywhere else what is known."""
        if not self.request.paths:
            return look.folders
        wanted = [raw(k.path) for k in self.request.paths if k.source == look.source.name]
        inside = lambda p: any(not w or p == w or p.startswith(w + b"/") for w in wanted)  # noqa: E731
        merged = {f: blob for f, blob in known.items() if not inside(f)}
        for path in wanted:
            where, _, name = path.rpartition(b"/")
            if inside(where) or look.unknown(where):
                continue
            files, new = (folder.unpack(x[where]) if where in x else {} for x in (merged, look.folders))
            files.pop(name, None)
            files |= {name: new[name]} if name in new else {}
            merged[where] = folder.pack(files)
        return {f: b for f, b in merged.items() if _count(b)} | {f: b for f, b in look.folders.items() if inside(f)}

    def _decide(
        self, source: Source, source_id: int, look: folder.Look, changes: ChangeSet, due: set[bytes],
        files: dict[bytes, dict[bytes, folder.FileStat]],
    ) -> _Looked:  # fmt: skip
        """What of the gone files is removed, what is held."""
        catalog = self.store.catalog
        held = catalog.held(source_id)
        parents = {p: p.rpartition(b"/")[0] for p in held}
        missing = {p for p in held if not look.has(p) and not look.unknown(parents[p])}
        gone = sorted(({g.path for g in changes.gone} - look.ignored) | missing)
        if self.request.paths and not self.request.allow_deletions:
            gone = [p for p in gone if p not in held or p in {g.path for g in changes.gone}]
        root = catalog.db.one("SELECT device,inode FROM source WHERE id=?", (source_id,)) or (None, None)
        s = self.world.settings
        judge = partial(
            withhold, held_before=held, total=changes.known + len(missing), empty=not look.folders,
            same_root=root[0] is None or root == look.root_id, allow=self.request.allow_deletions,
            rule=HoldRule(s.hold_min_documents, s.hold_share),
        )  # fmt: skip
        deletions = judge(gone)
        if deletions.hold and changes.candidates:
            moved = self._moved(source, source_id, gone, changes)
            deletions = judge([p for p in gone if p not in moved])
            deletions = Deletions(deletions.remove + tuple(moved), deletions.hold, deletions.emptied)
        ignored = tuple(g.path for g in changes.gone if g.path in look.ignored)
        deletions = Deletions(deletions.remove + ignored, deletions.hold, deletions.emptied)
        if deletions.emptied:
            self.report.unavailable.append(Message(_EMPTIED, {"name": source.name, "path": source.path, "count": len(deletions.hold)}))
        left: dict[bytes, int] = dict.fromkeys(changes.folders, 0)
        for c in changes.candidates:
            left[c.folder] = left.get(c.folder, 0) + 1
        return _Looked(source, source_id, look, changes, deletions, left, files, due)

    def _moved(self, source: Source, source_id: int, gone: Sequence[bytes], changes: ChangeSet) -> list[bytes]:
        """Those of the gone files whose very bytes lie under a new name: moved, not deleted."""
        rows = self.store.catalog.documents(source_id, gone)
        sizes = {g.stat.size for g in changes.gone}
        here: Counter[bytes] = Counter()
        for c in changes.candidates:
            if not c.known and c.stat.size in sizes:
                with suppress(IndexerError, FileNotFoundError):
                    here[folder.read(source, unraw(c.path), self.world.settings.limits.file_mb, self.world.now_ns).sha256] += 1
        moved = []
        for path, row in rows.items():
            if row.sha is not None and here[row.sha] > 0:
                here[row.sha] -= 1
                moved.append(path)
        return moved

    def _classify(self, looked: list[_Looked]) -> None:
        """A dry run: hash the candidates and say what each is, change nothing."""
        for x in looked:
            rows = self.store.catalog.documents(x.id, [c.path for c in x.changes.candidates])
            for c in x.changes.candidates:
                key = Key(x.source.name, unraw(c.path))
                try:
                    got = folder.read(x.source, unraw(c.path), self.world.settings.limits.file_mb, self.world.now_ns)
                except (IndexerError, FileNotFoundError) as e:
                    self.tally.problems[key] = Problem(key, "unknown", getattr(e, "message", Message("the file is gone")))
                    continue
                row = rows.get(c.path)
                if row is not None and row.sha == got.sha256:
                    self.tally.touched += 1
                elif row is not None and row.content is not None:
                    self.tally.modified.append(key)
                else:
                    self.tally.added[key] = got.sha256
            self.tally.deleted |= dict.fromkeys((Key(x.source.name, unraw(p)) for p in x.deletions.remove))
            self.tally.held += [Key(x.source.name, unraw(p)) for p in x.deletions.hold]

    # ---- working -----------------------------------------------------------------

    def _work(self, looked: list[_Looked]) -> None:
        for x in looked:
            first, rest = first_and_rest(x.changes, (g for g in x.changes.gone if g.path in set(x.deletions.remove)))
            batch = self._batch()
            self._retire(x, batch)
            self._through(x, first, batch, last=not rest)
            if rest:
                self._through(x, rest, self._batch() if batch.texts or first else batch, last=True)

    def _batch(self) -> Batch:
        now = self.world.now_ns()
        return Batch(run=self._run_id(), at=now, note=self.request.trigger, scrub_ns=self.world.settings.scrub_days * DAY_NS)

    def _run_id(self) -> int:
        if not self.report.run:
            db = self.store.catalog.db
            self.report.run = int(db.value("SELECT seq FROM sqlite_sequence WHERE name='run'") or 0) + 1
        return self.report.run

    def _retire(self, x: _Looked, batch: Batch) -> None:
        """Deletions, holds and returns, for the first commit of the source."""
        catalog = self.store.catalog
        rows = catalog.documents(x.id, [*x.deletions.remove, *x.deletions.hold])
        for path in x.deletions.remove:
            if (row := rows.get(path)) is not None and (row.content is not None or row.state != "gone"):
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

    def _flush_folders(self, x: _Looked, batch: Batch) -> None:
        """Record the folders whose every candidate is settled; the others are looked at again."""
        for path in [f for f, n in x.left.items() if n == 0]:
            del x.left[path]
            batch.folders.append((x.id, path, folder.pack(x.files.pop(path))))
            if path in x.due:
                batch.scrubbed.append((x.id, path))

    def _through(self, x: _Looked, candidates: Iterable[Candidate], batch: Batch, *, last: bool) -> None:
        """Take files into the batch, committing whenever it is full."""
        todo = list(candidates)
        s = self.world.settings
        rules = Rules(s.limits, s.attempts, self.request.retry_now, self.request.verify_content)
        texts: dict[bytes, str] = {}
        intake = Intake(self.store.catalog, x.source, x.id, self.world.parser, self.world.split, rules, self.world.now_ns, self.tally)
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
            self.world.tell("file", {"path": str(Key(x.source.name, unraw(c.path)))})
            if alone or self._full(texts, batch, started):
                self._commit(x, batch, texts)
                batch, started = self._batch(), self.world.now_ns()
        self._commit(x, batch, texts)

    def _full(self, texts: Mapping[bytes, str], batch: Batch, started: int) -> bool:
        s = self.world.settings
        limit = min(s.batch_passages, max(256, int(self.rate * s.batch_seconds))) if self.rate else min(512, s.batch_passages)
        return len(texts) >= limit or len(batch.settled) >= 5000 or self.world.now_ns() - started > s.batch_seconds * 1e9

    def _commit(self, x: _Looked, batch: Batch, texts: dict[bytes, str]) -> None:
        """Embed what is new and publish the batch; the moment it becomes visible and durable."""
        self._flush_folders(x, batch)
        if not batch:
            return
        if not self.wrote:
            self.wrote = True
            upkeep.before_first_write(self.store, self.world.settings, self.world.now_ns())
        known = self.store.catalog.passages(list(texts))
        batch.texts = {k: t for k, t in texts.items() if k not in known}
        self.tally.reused += len(texts) - len(batch.texts)
        texts.clear()
        if batch.texts:
            disk.require_room(self.world.layout.vectorstore, len(batch.texts) * 8192, self.world.settings.min_free_mb)
            record_attempts(self.store.catalog, self._open_attempts(x, batch))
            batch.vectors = self._vectors(batch.texts)
        self.report.commit = self.store.add_documents(batch)
        self.world.tell("commit", {"commit": self.report.commit, "documents": len(batch.settled)})

    def _open_attempts(self, x: _Looked, batch: Batch) -> list[tuple[int, bytes, bytes, int]]:
        """Embedding is work too: if it kills the process, these files are taken one by one."""
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
            raise EmbeddingFailed("The model gave {got} numbers where {want} were due.", got=str(rows.shape), want=len(texts))
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

    def _finish(self, looked: list[_Looked]) -> None:
        """Serve a filled generation, tidy the store, record the run."""
        layout, store = self.world.layout, self.store
        self.tally.pair_moves()
        done = not self.report.unavailable and not self.request.paths
        self.report.generation, self.report.suffixes = store.generation, self.world.parser.suffixes()
        self.report.roots = {x.source.name: x.look.root_id for x in looked}
        roots = [(*x.look.root_id, x.id) for x in looked if not x.deletions.emptied]
        for p in upkeep.standing_problems(store, self.world.settings.sources):
            self.tally.problems.setdefault(p[0], Problem(*p))
        if done and layout.served() != store.generation:
            self._carry_over()
        with store.catalog.db.write():
            store.catalog.db.run_many("UPDATE source SET device=?,inode=? WHERE id=? AND (device,inode) IS NOT (?,?)",
                                      [(d, i, s, d, i) for d, i, s in roots])  # fmt: skip
            if done and not store.catalog.meta("complete"):
                store.catalog.set_meta(complete=1)
            store.catalog.db.run(
                "INSERT OR REPLACE INTO run(id,started,finished,actor,trigger,exit_code,report) VALUES(?,?,?,?,?,?,?)",
                (self._run_id(), self.started, self.world.now_ns(), _actor(), self.request.trigger,
                 self.report.exit_code, json.dumps(self.summary())),
            )  # fmt: skip
        if done and layout.served() != store.generation:
            layout.serve(store.generation)
        upkeep.tidy(store, self.world.settings, self.world.now_ns(), wrote=self.wrote)

    def _carry_over(self) -> None:
        """Documents handed in through the API lie in no folder: they come along from the served generation."""
        from .store import handmade

        carried = handmade.carry_over(self.world.layout, self.store, self._vectors, self._run_id(), self.world.now_ns())
        self.wrote = self.wrote or carried.brought > 0
        self.report.commit = self.store.catalog.head()
        for key in carried.lost:
            self.tally.problems[key] = Problem(key, "failed", Message(_LOST))

    def summary(self) -> dict[str, Any]:
        """The counts of a run, as stored and as printed with --json."""
        t = self.tally
        return {
            "added": len(t.added), "modified": len(t.modified), "touched": t.touched, "deleted": len(t.deleted),
            "moved": len(t.moved), "held": len(t.held), "unknown": t.unknown, "problems": len(t.problems), "embedded": t.embedded, "reused": t.reused,
        }  # fmt: skip


_LOST = "the damaged catalog no longer holds this document, which lies in no folder; add it again"
_EMPTIED = (
    "Source {name}: the folder {path} is empty, but {count} documents were in it. They stay as they are. "
    "Mount or restore the folder; if they were really deleted, run `indexer update --now --allow-deletions`."
)


def _count(blob: bytes) -> int:
    return int.from_bytes(blob[:4], "little")


def _actor() -> str:
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
