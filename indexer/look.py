"""The first half of a run: what the folders show, how it differs, what of it is withheld."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .care import upkeep
from .care.generations import Profile
from .care.release import release
from .core.diff import ChangeSet, diff
from .core.errors import Busy, IndexerError, SourceUnavailable
from .core.model import Budget, FileStat, Key, Message, raw, unraw
from .core.plan import Deletions, HoldRule, withhold
from .core.ports import Parser, Splitter
from .core.tables import Source
from .report import Problem, Report
from .settings import Settings
from .sources import folder
from .store.catalog import Catalog
from .store.local import Layout
from .store.lock import refuse

if TYPE_CHECKING:
    from .quick import Walked
    from .sources.walk import Walk

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
    walked: Walked | None = None
    actor: str = ""
    client: str = ""
    due_ns: int = 0
    budget: Budget = Budget()
    released: tuple[Key, ...] = ()

    @property
    def witnessed(self) -> bool:
        """Whether events named what went: a source that is empty then was emptied by somebody, not unmounted."""
        return self.trigger == "watch" and bool(self.paths) and all(k.path for k in self.paths)


class World(NamedTuple):
    """The edges a run touches, as arguments: time, stop, model, parsers, and who listens."""

    settings: Settings
    parser: Parser
    split: Splitter
    profile: Profile
    now_ns: Callable[[], int]
    stop: Callable[[], None] = lambda: None
    tell: Callable[[str, Mapping[str, Any]], None] = lambda kind, facts: None
    waiting: Callable[[], bool] = lambda: False
    """Whether somebody waits who may go first, between two batches."""
    take: Callable[[], Request] = Request
    """What they ask for; called only when somebody waits."""
    busy: Callable[[Busy], None] = refuse
    """What to do while another process updates: raise it, or wait a while."""
    lasting: bool = False
    """The parser is used again after the run: its processes stay."""

    @property
    def layout(self) -> Layout:
        """Where the state lies."""
        return Layout(Path(self.settings.metadata), Path(self.settings.vectorstore))


class Looked(NamedTuple):
    """One source: the look, the changes, the decisions, and what is left to do by folder."""

    source: Source
    id: int
    look: folder.Look
    changes: ChangeSet
    deletions: Deletions
    left: dict[bytes, int]
    files: dict[bytes, dict[bytes, FileStat]]
    due: set[bytes]


class Looker:
    """Looks at the sources of one run; writes nothing but new sources, and that what was named is to be tried again."""

    def __init__(self, world: World, request: Request, catalog: Catalog, report: Report) -> None:
        self.world, self.request, self.catalog = world, request, catalog
        self.report, self.tally = report, report.tally

    def look(self, source: Source) -> Looked | None:
        """Registry first, then the walk, then the difference."""
        asked = [raw(k.path) for k in self.request.paths if k.source == source.name]
        if self.request.paths and not asked:
            return None
        source_id = self._source_id(source)
        if asked and self.request.retry_now and not self.request.dry_run:
            release(self.catalog, source_id, asked)
        known = self.catalog.folders(source_id)
        try:
            look = folder.scan(
                source, self.world.parser.suffixes(), self.world.now_ns(), self.world.stop, self._walk(source),
                {*asked, *self.catalog.held(source_id)} if asked else None,
            )  # fmt: skip
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
            due = upkeep.due_for_scrub(self.catalog, source_id, self.world.now_ns() - days * DAY_NS) if days else set()
        known = upkeep.unsettled(known, due) if due else known
        seen = folder.known_but(known, look, asked) if self.request.paths else look.folders
        changes = diff(known, seen, folder.unpack, look.unknown, _count)
        self.tally.unknown += changes.unknown
        files = {f: folder.unpack(seen[f]) for f in changes.folders}
        return self._decide(source, source_id, look, changes, due, files)

    def _walk(self, source: Source) -> tuple[tuple[int, int], Walk] | None:
        """A walk made just before this run, if nothing was put on record since."""
        walked, db = self.request.walked, self.catalog.db
        return walked.of(source.name, db.con, str(db.path.absolute())) if walked is not None else None

    def unconfigured(self) -> list[Looked]:
        """Sources that are configured no more: their documents are gone, many of them are held."""
        ours = {s.name for s in self.world.settings.sources}
        found = []
        for name, root in self.catalog.db.all("SELECT name,root FROM source WHERE root IS NOT NULL"):
            source = Source(name, root)
            if name not in ours and (known := self.catalog.folders(source_id := self._source_id(source))):
                changes = diff(known, {}, folder.unpack, lambda path: False, _count)
                found.append(
                    self._decide(
                        source, source_id, folder.Look(source, self.world.now_ns()), changes, set(), {}, empty=False
                    )
                )
        return found

    def _source_id(self, source: Source) -> int:
        db = self.catalog.db
        found = db.value("SELECT id FROM source WHERE name=?", (source.name,))
        if found is None and self.request.dry_run:
            return -1
        if found is None:
            with db.write():
                found = db.run("INSERT INTO source(name,root) VALUES(?,?)", (source.name, source.path)).lastrowid
        return int(found)

    def _decide(
        self, source: Source, source_id: int, look: folder.Look, changes: ChangeSet, due: set[bytes],
        files: dict[bytes, dict[bytes, FileStat]], *, empty: bool | None = None,
    ) -> Looked:  # fmt: skip
        """What of the gone files is removed, what is held."""
        held = self.catalog.held(source_id)
        parents = {p: p.rpartition(b"/")[0] for p in held}
        excluded = {p for p in {g.path for g in changes.gone} | held.keys() if look.excluded(p)}
        missing = {p for p in held if not look.has(p) and not look.unknown(parents[p])} - excluded
        gone = sorted(({g.path for g in changes.gone} - excluded) | missing)
        exactly = {raw(k.path) for k in self.request.released if k.source == source.name}
        if self.request.paths and not self.request.allow_deletions:
            gone = [p for p in gone if p not in held or p in exactly or p in {g.path for g in changes.gone}]
        root = self.catalog.db.one("SELECT device,inode FROM source WHERE id=?", (source_id,)) or (None, None)
        s = self.world.settings
        same = root[0] is None or root == look.root_id
        judge = partial(
            withhold, held_before=held, total=changes.known + len(missing),
            empty=(look.empty and not (same and self.request.witnessed)) if empty is None else empty,
            same_root=same, allow=self.request.allow_deletions,
            rule=HoldRule(s.hold_min_documents, s.hold_share), exactly=exactly if self.request.released else None,
        )  # fmt: skip
        deletions = judge(gone)
        if deletions.hold and changes.candidates:
            moved = self._moved(source, source_id, gone, changes)
            deletions = judge([p for p in gone if p not in moved])
            deletions = Deletions(deletions.remove + tuple(moved), deletions.hold, deletions.emptied)
        deletions = Deletions(deletions.remove + tuple(sorted(excluded)), deletions.hold, deletions.emptied)
        if deletions.emptied:
            self.report.unavailable.append(
                Message(_EMPTIED, {"name": source.name, "path": source.path, "count": len(deletions.hold)})
            )
        left: dict[bytes, int] = dict.fromkeys(changes.folders, 0)
        for c in changes.candidates:
            left[c.folder] = left.get(c.folder, 0) + 1
        return Looked(source, source_id, look, changes, deletions, left, files, due)

    def _moved(self, source: Source, source_id: int, gone: Sequence[bytes], changes: ChangeSet) -> list[bytes]:
        """Those of the gone files whose very bytes lie under a new name: moved, not deleted."""
        rows = self.catalog.documents(source_id, gone)
        sizes = {g.stat.size for g in changes.gone}
        unsized = not {g.path for g in changes.gone}.issuperset(gone)  # held since an earlier look
        here: Counter[bytes] = Counter()
        for c in changes.candidates:
            if not c.known and (unsized or c.stat.size in sizes):
                with suppress(IndexerError, FileNotFoundError):
                    here[
                        folder.read(source, unraw(c.path), self.world.settings.limits.file_mb, self.world.now_ns).sha256
                    ] += 1
        moved = []
        for path, row in rows.items():
            if row.sha is not None and here[row.sha] > 0:
                here[row.sha] -= 1
                moved.append(path)
        return moved

    def classify(self, looked: list[Looked]) -> None:
        """A dry run: hash the candidates and say what each is, change nothing."""
        for x in looked:
            rows = self.catalog.documents(x.id, [c.path for c in x.changes.candidates])
            for c in x.changes.candidates:
                key = Key(x.source.name, unraw(c.path))
                try:
                    got = folder.read(x.source, unraw(c.path), self.world.settings.limits.file_mb, self.world.now_ns)
                except (IndexerError, FileNotFoundError) as e:
                    self.tally.problems[key] = Problem(
                        key, "unknown", getattr(e, "message", Message("the file is gone"))
                    )
                    continue
                row = rows.get(c.path)
                if row is not None and row.sha == got.sha256:
                    self.tally.touched += 1
                elif row is not None and row.content is not None:
                    self.tally.modified.append(key)
                else:
                    self.tally.added[key] = got.sha256
            self.tally.deleted |= dict.fromkeys(Key(x.source.name, unraw(p)) for p in x.deletions.remove)
            self.tally.held += [Key(x.source.name, unraw(p)) for p in x.deletions.hold]


_EMPTIED = (
    "Source {name}: the folder {path} is empty, but {count} documents were in it. They stay as they are. "
    "Mount or restore the folder; if they were really deleted, run `indexer update --now --allow-deletions`."
)


def _count(blob: bytes) -> int:
    return int.from_bytes(blob[:4], "little")
