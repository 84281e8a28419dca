"""Folders, a knowledge base over them, the reference beside it, and the operations of a history.

An operation is a tuple of its name and plain arguments; one that does not apply (the file is not
there, say) does nothing, so any history stays valid when operations are taken out of it.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import hashlib
import json
import mmap
import os
import random
import re
import shutil
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import law_embedder
from reference import Reference, Version, Walk

from indexer import KnowledgeBase
from indexer.care import rollback, upkeep
from indexer.care.own_run import recorded
from indexer.care.verify import verify
from indexer.core.errors import IndexerError, ParserDied
from indexer.core.model import Hit, Key, Parsed
from indexer.core.tables import EmbeddingSettings, ParseLimits, Source, SplitSettings
from indexer.parse import Parsers
from indexer.settings import Settings
from indexer.store import disk
from indexer.store.author import Author
from indexer.store.local import Store
from indexer.store.lock import writer_lock
from indexer.update import Report, Request, update

DAY = 86_400 * 10**9
EVERYTHING = 10**6
Op = tuple[Any, ...]

# ---- texts -----------------------------------------------------------------------------

_WORDS = [
    "leave",
    "policy",
    "security",
    "badge",
    "server",
    "remote",
    "work",
    "travel",
    "expense",
    "manual",
    "battery",
    "handbook",
    "office",
    "salary",
    "notice",
]
_HANZI = [
    "婚假十五天，须提前申请。",
    "出差报销需附发票原件。",
    "设备充电前请检查接口是否干燥。",
    "员工手册适用于全体人员。",
    "离岗时须锁定屏幕。",
]


def paragraph(n: int) -> str:
    """The n-th paragraph of a small pool, so that documents share passages."""
    rng = random.Random(n)  # noqa: S311
    if n % 3 == 0:
        return f"第{n}条 " + "".join(rng.choices(_HANZI, k=3))
    return f"Rule {n}: " + " ".join(rng.choices(_WORDS, k=rng.randint(9, 18))) + "."


def document(n: int) -> bytes:
    """The n-th document: a heading now and then, shared paragraphs, one of its own."""
    rng = random.Random(1000 + n)  # noqa: S311
    parts = [paragraph(rng.randrange(24)) for _ in range(rng.randint(1, 3))] + [
        f"This is document number {n}, which no other one says."
    ]
    rng.shuffle(parts)
    if n % 2:
        parts.insert(0, f"# Title {n % 7}")
        parts.insert(2, f"# Part {n % 5}")
    return ("\n\n".join(parts) + "\n").encode()


BROKEN = b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0"
RULES = ("*.md\n", "deep/\n", "/a.txt\n", "b.txt\ndeep/er/\n", "*.bin\n!z.bin\n", "手册/\n*.TXT\n", "")


# ---- the edges -------------------------------------------------------------------------


class LawParsers(Parsers):
    """The real parsers, and ``.bin``: text that may kill its parser."""

    def __init__(self, revision: int = 0) -> None:
        super().__init__(ParseLimits())
        self.revision = revision

    def suffixes(self) -> frozenset[str]:
        """With ``.bin``."""
        return super().suffixes() | {".bin"}

    def trusted(self, path: str) -> bool:
        """``.bin`` is not."""
        return not path.endswith(".bin") and super().trusted(path)

    def fingerprint(self) -> Mapping[str, str]:
        """Another revision is another profile."""
        return {**super().fingerprint(), "bin": str(self.revision)}

    def parse(self, path: str, data: bytes) -> Parsed:
        """Dies of ``.bin`` files that begin with DIE."""
        if not path.endswith(".bin"):
            return super().parse(path, data)
        if data.startswith(b"DIE"):
            raise ParserDied("the parser died")
        return super().parse("x.txt", data)


class Stopped(IndexerError):
    """What the stop callable raises."""


class Fault(Exception):
    """What the fault hook raises: the program ends in the middle of a step."""


_CAPABILITIES = (1 << 1) | (1 << 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


@contextlib.contextmanager
def common_user() -> Iterator[None]:
    """Give up root's right to read everything (this thread); a no-op for anybody else."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.capget(header, data)
    before = data[0]
    data[0] &= ~_CAPABILITIES
    libc.capset(header, data)
    try:
        yield
    finally:
        data[0] = before
        libc.capset(header, data)


# ---- the laboratory --------------------------------------------------------------------


RUNS = ("update", "partial", "silent", "roll_back", "release", "collect")
"""Operations in which the product runs."""


class Lab:
    """One history in the making. ``ahead``: the clock runs ahead, so stamps are settled at once."""

    def __init__(self, home: Path, *, ahead: bool = True, size: int = 80, overlap: int = 20, batch: int = 1000) -> None:
        self.home, self.ahead = home, ahead
        self.offset = 5 * 10**9 if ahead else 0
        self.roots = {name: home / name for name in ("one", "two")}
        for root in self.roots.values():
            root.mkdir(parents=True)
        self.settings = self._settings(size, overlap, batch)
        self.served = self.settings
        self.revision = self.served_revision = self.profile = 0
        self.references = {name: Reference(root) for name, root in self.roots.items()}
        self.follower = KnowledgeBase(self.settings)
        self.past: dict[int, Counter[tuple[str, str, str]]] = {}
        self.versions: dict[int, dict[str, dict[str, Version]]] = {}
        self.old_bytes: dict[Path, list[bytes]] = {}
        self.maps: dict[Path, mmap.mmap] = {}
        self.commit = 0
        self.ended = False  # at the end every earlier commit is asked for, before that a few
        self.dozing = 0  # for how many checks the long-lived reader looks away
        self.quiet = False  # between a partial run and the next whole one
        self.shown: dict[Key, object] | None = None  # what the last partial run left to be found
        self.checked = 0
        self.parsers: Callable[[int], LawParsers] = LawParsers
        self.met: Counter[str] = Counter()  # which situations the history got into
        self.probe = home / "probe"
        self.tick = 0

    def _settings(self, size: int, overlap: int, batch: int) -> Settings:
        return Settings(
            home=str(self.home), sources=tuple(Source(n, str(r)) for n, r in self.roots.items()),
            split=SplitSettings(size, overlap), batch_passages=batch, min_free_mb=0, snapshots_kept=2,
            embedding=EmbeddingSettings("python:law_embedder:LawEmbedder", options={"dimension": 16, "salt": ""}),
        )  # fmt: skip

    def now_ns(self) -> int:
        """The injected clock."""
        return time.time_ns() + self.offset

    def close(self) -> None:
        """Let go of files."""
        self.follower.close()
        for m in self.maps.values():
            m.close()

    def run(self, op: Op) -> None:
        """Do one operation."""
        if op[0] not in ("away", "update") and not all(self.roots[a].is_dir() for a in op[1:] if a in self.roots):
            return  # there is no folder to do it in
        self._next_tick()
        # an operation on files may be impossible; what the product raises is a failure
        tolerant = contextlib.nullcontext() if op[0] in RUNS else contextlib.suppress(OSError)
        with common_user(), tolerant:
            getattr(self, op[0])(*op[1:])

    def _next_tick(self) -> None:
        """With settled stamps, wait until the file system's clock has moved since the last look."""
        while self.ahead or self.offset:
            self.probe.touch()
            if self.probe.stat().st_ctime_ns != self.tick:
                return
            time.sleep(0.001)

    # ---- operations on files ------------------------------------------------------------

    def _path(self, source: str, path: str) -> Path:
        return self.roots[source] / path

    def _file(self, source: str, path: str) -> Path | None:
        full = self._path(source, path)
        try:
            return full if full.is_file() and not full.is_symlink() else None
        except PermissionError:
            return None

    def _put(self, full: Path, data: bytes) -> None:
        with contextlib.suppress(OSError):
            full.parent.mkdir(parents=True, exist_ok=True)
            if full.is_fifo():
                full.unlink()  # opening a pipe to write would wait for a reader for ever
            full.write_bytes(data)
            self.old_bytes.setdefault(full, []).append(data)

    def write(self, source: str, path: str, n: int) -> None:
        """New bytes, in place or as a new file."""
        self._put(self._path(source, path), document(n))

    def replace_file(self, source: str, path: str, n: int) -> None:
        """New bytes as editors save: another file renamed over it."""
        full = self._path(source, path)
        full.parent.mkdir(parents=True, exist_ok=True)
        (full.parent / "save.tmp").write_bytes(document(n))
        os.replace(full.parent / "save.tmp", full)
        self.old_bytes.setdefault(full, []).append(document(n))

    def same_stat(self, source: str, path: str, n: int) -> None:
        """Other bytes of the same size, mtime put back."""
        if full := self._file(source, path):
            st = full.stat()
            self._put(full, _turned(full.read_bytes(), n))
            os.utime(full, ns=(st.st_atime_ns, st.st_mtime_ns))

    def append(self, source: str, path: str, n: int) -> None:
        """One more paragraph."""
        if full := self._file(source, path):
            self._put(full, full.read_bytes() + f"\n\nAppended {n}: {paragraph(n)}\n".encode())

    def touch(self, source: str, path: str) -> None:
        """Another mtime, the same bytes."""
        if full := self._file(source, path):
            os.utime(full)

    def mtime(self, source: str, path: str, seconds: int) -> None:
        """An mtime in the past or in the future."""
        if full := self._file(source, path):
            at = self.now_ns() + seconds * 10**9
            os.utime(full, ns=(at, at))

    def revert(self, source: str, path: str, n: int) -> None:
        """The bytes it had before, also after a deletion."""
        full = self._path(source, path)
        if old := self.old_bytes.get(full):
            self._put(full, old[n % len(old)])

    def empty(self, source: str, path: str) -> None:
        """Nothing in it."""
        self._put(self._path(source, path), b"")

    def broken(self, source: str, path: str, n: int) -> None:
        """Bytes that no parser takes."""
        self._put(self._path(source, path), BROKEN + bytes([n % 256]) * 9)

    def killer(self, source: str, path: str, n: int) -> None:
        """Bytes that kill their parser."""
        self._put(self._path(source, path), b"DIE" + document(n))

    def silent(self, source: str, path: str, n: int, future: int = 0) -> None:
        """An edit through a memory map that leaves the whole stat as it is; found by the scrub or by force.

        The page is made dirty before the look, so that the second write touches no stamp. With an
        mtime in the future (seconds), or a file too young, the next look finds it by itself.
        """
        full = self._file(source, path)
        try:
            data = full.read_bytes() if full else b""
        except PermissionError:
            return  # nobody edits what nobody may open
        if not full or not data:
            return
        self._cancel()
        with open(full, "r+b") as f:
            self.maps[full] = mapped = mmap.mmap(f.fileno(), 0)
        mapped[0:1] = mapped[0:1]
        if future:
            self.mtime(source, path, future)
        self.update()
        stat = full.stat()
        young = self.now_ns() - max(stat.st_mtime_ns, stat.st_ctime_ns) < 2 * 10**9  # on a busy machine it may not be
        mapped[:] = _turned(data, n)
        self.old_bytes.setdefault(full, []).append(bytes(mapped))
        self.maps.pop(full).close()
        racy = young or future > 0
        self.update("" if racy else "verify" if n % 2 else "scrub")

    def delete(self, source: str, path: str) -> None:
        """A file or a whole folder."""
        full = self._path(source, path)
        if full.is_dir() and not full.is_symlink():
            shutil.rmtree(full)
        else:
            full.unlink()

    def rename(self, source: str, old: str, to_source: str, new: str) -> None:
        """A file or a folder, also into another source."""
        a, b = self._path(source, old), self._path(to_source, new)
        if a.exists() and not b.is_dir() and not b.is_relative_to(a):
            b.parent.mkdir(parents=True, exist_ok=True)
            os.rename(a, b)

    def swap(self, source: str, a: str, b: str) -> None:
        """Two files or folders change names."""
        x, y, z = self._path(source, a), self._path(source, b), self.home / "swap"
        if x.exists() and y.exists() and not x.is_relative_to(y) and not y.is_relative_to(x):
            os.rename(x, z)
            os.rename(y, x)
            os.rename(z, y)

    def copy(self, source: str, old: str, to_source: str, new: str) -> None:
        """The same bytes under another name."""
        if full := self._file(source, old):
            self._put(self._path(to_source, new), full.read_bytes())

    def to_folder(self, source: str, path: str, n: int) -> None:
        """A file becomes a folder of the same name."""
        if full := self._file(source, path):
            full.unlink()
            self._put(full / "inside.txt", document(n))

    def to_file(self, source: str, path: str, n: int) -> None:
        """A folder becomes a file of the same name."""
        full = self._path(source, path)
        if full.is_dir() and not full.is_symlink():
            self.delete(source, path)
            if not full.exists():
                self._put(full, document(n))

    def link(self, source: str, path: str, to: str) -> None:
        """A symbolic link, which is never followed."""
        full = self._path(source, path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.symlink_to(self._path(source, to))

    def fifo(self, source: str, path: str) -> None:
        """A pipe with a document's name, which is never opened."""
        os.mkfifo(self._path(source, path))

    def chmod(self, source: str, path: str, mode: int) -> None:
        """Rights of a file or folder; 0 forbids to look."""
        if not self.quiet:
            where = self._path(source, path)
            # 0o644 gives a file back its bits; on what became a folder meanwhile that means 0o755
            where.chmod(0o755 if mode and where.is_dir() else mode, follow_symlinks=True)

    def rules(self, source: str, n: int) -> None:
        """Another ``.indexerignore``."""
        if RULES[n]:
            (self.roots[source] / ".indexerignore").write_text(RULES[n], "utf-8")
        else:
            (self.roots[source] / ".indexerignore").unlink(missing_ok=True)

    def many(self, source: str, folder: str, count: int, n: int) -> None:
        """A folder full of documents."""
        for i in range(count):
            self.write(source, f"{folder}/{i:02d}.txt", n + i)

    def away(self, source: str) -> None:
        """The source is unmounted, or comes back."""
        root = self.roots[source]
        if self.settings == self.served and self.revision == self.served_revision:
            gone = self.home / f"{source}.away"
            os.rename(*((root, gone) if root.exists() else (gone, root)))

    def wipe(self, source: str) -> None:
        """An empty folder where the source was, as when a mount is missing; again: all is back."""
        aside = self.home / f"{source}.aside"
        if self._pending() or (aside.exists() and any(self.roots[source].iterdir())):
            return
        if aside.exists():
            for path in aside.iterdir():
                os.rename(path, self.roots[source] / path.name)
            aside.rmdir()
        else:
            aside.mkdir()
            for path in self.roots[source].iterdir():
                os.rename(path, aside / path.name)

    def doze(self, n: int) -> None:
        """The long-lived reader answers no query for a while."""
        self.dozing = n

    def days(self, n: int) -> None:
        """Time passes."""
        self.offset += n * DAY

    # ---- operations on the configuration ------------------------------------------------

    def _present(self) -> bool:
        return all(r.is_dir() for r in self.roots.values())

    def chunk(self, size: int, overlap: int) -> None:
        """Other chunk sizes: another profile with the same model."""
        if self._present():
            self.settings = self.settings._replace(split=SplitSettings(size, overlap))

    def model(self, salt: str) -> None:
        """Another model."""
        if self._present():
            embedding = self.settings.embedding._replace(options={"dimension": 16, "salt": salt})
            self.settings = self.settings._replace(embedding=embedding)

    def parser(self, revision: int) -> None:
        """Another parser version."""
        if self._present():
            self.revision = revision

    # ---- runs -----------------------------------------------------------------------------

    def _run(self, request: Request, stop: Callable[[], None] = lambda: None) -> Report:
        kb, parser = KnowledgeBase(self.settings), self.parsers(self.revision)
        return update(kb.world(parser=parser, profile=kb.profile(parser), now_ns=self.now_ns, stop=stop), request)

    def _predicted(self, **how: Any) -> dict[str, Reference]:
        after = copy.deepcopy(self.references)
        for reference in after.values():
            reference.look(self.settings.split, self.profile + self._pending(), **how)
        return after

    def _pending(self) -> bool:
        return self.settings != self.served or self.revision != self.served_revision

    def _cancel(self) -> None:
        """A new profile is not filled while a source is away or emptied: take the change back."""
        if self._pending() and any(r.unavailable for r in self._predicted().values()):
            self.settings, self.revision = self.served, self.served_revision

    def update(self, how: str = "", source: str = "", inside: str = "") -> None:
        """A whole run, and everything that must hold after it."""
        self._cancel()
        pending = self._pending()
        if how == "scrub":
            self.days(9)
        if inside and (pending or self.quiet):
            return
        before = self.references
        if inside:
            after = copy.deepcopy(before)
            after[source].look(self.settings.split, self.profile, inside=inside)
        else:
            after = self._predicted(allow=how == "allow")
        paths = (Key(source, inside),) if inside else ()
        law_embedder.seen.clear()
        report = self._run(Request(allow_deletions=how == "allow", verify_content=how == "verify", paths=paths))
        self.references = after
        self.profile += pending
        self.served, self.served_revision, self.quiet = self.settings, self.revision, False
        self._settled(report, before, pending, whole=not inside)

    def partial(self, kind: str, n: int) -> None:
        """A run that ends early: what is found of a document is its old or its new version, whole."""
        self._cancel()
        if any(
            r.denied[p] == 1 or (r.denied[p] == 0 and d is None)
            for r in self._predicted().values()
            for p, d in r.known.items()
        ):
            return  # whether this counts as the first or the second look is not for the reference to know
        before, after = self.hits(self.references), self._predicted()
        try:
            with _failing(kind, n) as stop:
                self._run(Request(), stop)
        except (IndexerError, Fault):
            pass
        began, self.quiet = self.shown if self.quiet else None, True
        self.met["partial"] += 1
        now = self._found(KnowledgeBase(self.settings))
        self.shown = None if now is None else _by_document(now)
        if self.shown is not None:
            # a second run that ends early goes on from what the first one published
            olds, news, shown = (
                _by_document(before) if began is None else began,
                _by_document(self.hits(after)),
                self.shown,
            )
            for key in olds.keys() | news.keys() | shown.keys():
                assert shown.get(key) in (olds.get(key), news.get(key)), f"neither old nor new: {key}"

    def roll_back(self, back: int) -> None:
        """Show an earlier settled commit again."""
        known = [c for c in self.versions if c >= self._oldest()]
        if (
            not known
            or self._pending()
            or self.quiet
            or not self._present()
            or any(any(r.denied.values()) for r in self.references.values())
        ):
            return
        wanted = sorted(known)[max(len(known) - 1 - back, 0)]
        with self._store() as store, recorded(store, Author(trigger="rollback"), self.now_ns) as (run, at, _):
            head, _ = rollback.rollback(store, wanted, run, at)
        for name, reference in self.references.items():
            reference.roll_back(self.versions[wanted][name])
        self._check_commit(head)
        self._check()

    def release(self) -> None:
        """End the pins of rollbacks."""
        if self.past and not self._pending() and not self.quiet:
            with self._store() as store, recorded(store, Author(trigger="release"), self.now_ns) as (run, at, _):
                rollback.release(store, run, at)
            for reference in self.references.values():
                reference.release()
            self._check()

    def collect(self) -> None:
        """What ``indexer gc`` does."""
        if self.past and not self._pending() and not self.quiet:
            with self._store() as store:
                upkeep.forget(store, self.now_ns() - 30 * DAY, self.now_ns())
                while upkeep.merge(store):
                    pass
                upkeep.sweep(store)
            self._check()

    @contextlib.contextmanager
    def _store(self) -> Iterator[Store]:
        with writer_lock(self.follower.layout.lock):
            store = Store.open(self.follower.layout, self.follower.layout.served() or "")
            try:
                yield store
            finally:
                store.close()

    def _oldest(self) -> int:
        with self._store() as store:
            return int(store.catalog.meta("oldest") or 0)

    # ---- laws -----------------------------------------------------------------------------

    def hits(self, references: Mapping[str, Reference]) -> Counter[tuple[str, str, str]]:
        """(source, path, text) of everything that must be found."""
        return Counter((n, p, t) for n, r in references.items() for p, t in r.hits())

    def _found(self, kb: KnowledgeBase, as_of: str = "") -> Counter[tuple[str, str, str]] | None:
        if kb.layout.served() is None:
            return None
        found = kb.search("anything", EVERYTHING, as_of=as_of)
        kb.close()
        return Counter((*h.key, h.text) for h in found)

    def _settled(self, report: Report, before: Mapping[str, Reference], pending: bool, *, whole: bool) -> None:
        after = self.references
        fresh = pending and bool(self.past)
        if pending or not self.past:
            self.past.clear()
            self.versions.clear()
        old, new = ({t for _, _, t in self.hits(r)} for r in (before, after))
        if not pending:
            assert not set(law_embedder.seen) - (new - old), "a passage that was found already was embedded again"
        assert len(set(law_embedder.seen)) == len(law_embedder.seen), "a passage was embedded twice in a run"
        self._meet(report, before, fresh)
        self._check_moves(report, before)
        self._check_commit(report.commit)
        if whole:
            away = any(r.unavailable for r in after.values())
            bad = any(r.problems for r in after.values())
            assert report.exit_code == (4 if away else 3 if bad else 0), f"exit code {report.exit_code}"
        self._check()

    def _meet(self, report: Report, before: Mapping[str, Reference], fresh: bool) -> None:
        """Note which situations this update was, so that a test can see that all of them come up."""
        self.met["updates"] += 1
        self.met["several commits"] += report.commit - report.commit_before > 1
        self.met["new profile"] += fresh
        for name, r in self.references.items():
            old = before[name]
            self.met["held"] += bool(r.held)
            self.met["released"] += bool(old.held - r.held - r.known.keys())
            self.met["returned"] += bool(old.held & r.known.keys())
            self.met["emptied"] += r.unavailable and r.root.is_dir()
            self.met["away"] += not r.root.is_dir()
            self.met["stale"] += "stale" in r.state.values()
            self.met["hidden"] += any(n > 1 for n in r.denied.values())
            self.met["pinned"] += bool(r.pinned)
            self.met["deleted"] += bool(old.found.keys() - r.found.keys())
            self.met["unknown"] += r.unknown

    def _check_moves(self, report: Report, before: Mapping[str, Reference]) -> None:
        """A file that got another name in its source is found at every commit in between."""
        moved = set()
        for name, r in self.references.items():
            here = {v.sha256 for v in r.found.values() if v.chunks}
            old = before[name]
            gone = {
                p: v.sha256 for p, v in old.found.items() if p not in r.found and _sha(old.known.get(p)) == v.sha256
            }
            moved |= {(name, sha) for sha in gone.values() if sha in here}
        kb = KnowledgeBase(self.settings)
        for commit in range(report.commit_before + 1, report.commit) if report.commit_before in self.past else ():
            there = {(h.key.source, h.sha256) for h in kb.search("anything", EVERYTHING, as_of=str(commit))}
            assert not moved - there, f"a moved document is missing at commit {commit}"
        kb.close()

    def _check_words(self, kb: KnowledgeBase, wanted: Counter[tuple[str, str, str]]) -> None:
        """By its words exactly what holds a word is found, each passage as often as it is shown."""
        words = sorted({w for _, _, text in wanted for w in re.findall(r"(?<!\w)[a-z]{2,}(?!\w)", text)})
        for word in words[self.checked % 7 :: max(len(words) // 2, 1)][:2]:
            whole = re.compile(rf"(?<![^\W_]){word}(?![^\W_])", re.I)
            due = Counter({hit: n for hit, n in wanted.items() if whole.search(hit[2])})
            found = Counter((*h.key, h.text) for h in kb.search(word, EVERYTHING, mode="lexical"))
            assert found == due, f"by the word {word}: {_difference(due, found)}"

    def _check_commit(self, commit: int) -> None:
        assert commit >= self.commit, f"commits go backwards: {self.commit} to {commit}"
        self.commit = commit

    def _check(self) -> None:
        """Searches, documents, counts, time travel, and the proof of the store itself."""
        self.checked += 1
        wanted = self.hits(self.references)
        fresh = KnowledgeBase(self.settings)
        hits = fresh.search("anything", EVERYTHING)
        found = Counter((*h.key, h.text) for h in hits)
        assert found == wanted, _difference(wanted, found)
        self.dozing -= 1
        if self.dozing < 0:
            assert self.follower.search("anything", EVERYTHING) == hits, "a long-lived reader finds something else"
        self._check_hits(hits)
        self._check_words(fresh, wanted)
        documents = set(fresh.reader().documents()) if fresh.layout.served() else set()
        assert documents == {Key(n, p) for n, p, _ in wanted}, (
            f"documents: {documents ^ {Key(n, p) for n, p, _ in wanted}}"
        )
        with self._store() as store:
            counts = {k: n for k, n in store.catalog.counts().items() if k != "gone"}
            held = store.catalog.db.value("SELECT count(*) FROM document WHERE held IS NOT NULL")
            findings = [str(f.message) for f in verify(store)]
            oldest = int(store.catalog.meta("oldest") or 0)
            logged = store.catalog.db.value("SELECT 1 FROM log WHERE n=?", (self.commit,))
            self._check_trail(store)
        states = Counter(s for r in self.references.values() for s in r.state.values())
        assert counts == states, f"counts {counts}, due {dict(states)}"
        assert held == sum(len(r.held) for r in self.references.values()), "held"
        assert not findings, findings
        self._check_past(fresh, oldest, wanted if logged else None)
        fresh.close()

    def _check_trail(self, store: Store) -> None:
        """Whoever reads only the audit trail, from its beginning, knows what is shown now."""
        told: dict[tuple[str, str], str] = {}
        for (entry,) in store.catalog.db.all("SELECT entry FROM audit ORDER BY n"):
            for source, path, before, after in json.loads(zlib.decompress(entry))["documents"]:
                assert told.pop((source, path), None) == before, f"{source}/{path}: another version was there before"
                told |= {(source, path): after} if after else {}
        for name, r in self.references.items():
            assert {p: told.pop((name, p), None) for p in r.found} == {p: v.sha256 for p, v in r.found.items()}
        assert not [k for k in told if self.references[k[0]].state.get(k[1]) != "no_text"], f"too many: {told}"

    def _check_hits(self, hits: list[Hit]) -> None:
        for h in hits:
            v = self.references[h.key.source].found[h.key.path]
            assert h.sha256 == v.sha256, f"{h.key}: sha256 of other bytes"
            own = v.text[h.start : h.end]
            assert h.text.endswith(own), f"{h.key}: the span does not hold the text"
            lead = h.text[: len(h.text) - len(own)]  # the first words of a provision, see indexer/provisions.py
            assert not lead or (own and lead.rstrip("\n").rstrip("…") in v.text[: h.start]), (
                f"{h.key}: text from nowhere"
            )

    def _check_past(self, kb: KnowledgeBase, oldest: int, now: Counter[tuple[str, str, str]] | None) -> None:
        """Every commit shows for ever what it showed when it was the newest."""
        for commit in [c for c in self.past if c < oldest]:
            del self.past[commit]
            self.versions.pop(commit, None)
        earlier = sorted(c for c in self.past if c != self.commit)
        for commit in earlier if self.ended else earlier[-1:] + earlier[self.checked % 7 :: 7]:
            then, found = (
                self.past[commit],
                Counter((*h.key, h.text) for h in kb.search("anything", EVERYTHING, as_of=str(commit))),
            )
            assert found == then, f"as of {commit}: {_difference(then, found)}"
        if now is not None:
            self.past[self.commit] = now
            self.versions[self.commit] = {n: dict(r.found) for n, r in self.references.items()}
        self.probe.touch()
        self.tick = self.probe.stat().st_ctime_ns

    def end(self) -> None:
        """One more update, after which everything is asked for."""
        self.ended = True
        self.run(("update",))
        self._check_rebuild()

    def _check_rebuild(self) -> None:
        """An index made from nothing over the same folders agrees, scores and order included."""
        with common_user():
            if any(
                r.held or r.pinned or r.unavailable or r.found.keys() - Walk(r.root).files
                for r in self.references.values()
            ):
                return
        if any(s == "stale" for r in self.references.values() for s in r.state.values()):
            return
        settings = self.settings._replace(
            metadata=str(self.home / "rebuilt/m"), vectorstore=str(self.home / "rebuilt/v")
        )
        kb, parser = KnowledgeBase(settings), LawParsers(self.revision)
        with common_user():
            update(kb.world(parser=parser, profile=kb.profile(parser), now_ns=self.now_ns), Request())
        for query in ("anything", paragraph(3), "婚假有几天"):
            for k in (EVERYTHING, 4):
                one, two = (x.search(query, k) for x in (KnowledgeBase(self.settings), kb))
                a, b = (
                    [(h.key, h.text, h.score, h.start, h.headings, h.title, h.sha256) for h in hits]
                    for hits in (one, two)
                )
                assert a == b, f"a rebuilt index answers otherwise to {query!r} (k={k})"
        kb.close()


@contextlib.contextmanager
def _failing(kind: str, n: int) -> Iterator[Callable[[], None]]:
    """Something goes wrong after n texts, calls or steps."""
    left = [n]

    def count(*_: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise (Stopped("stopped") if kind == "stop" else Fault(f"step {n}"))

    try:
        if kind == "embed":
            law_embedder.fail_after[:] = [n]
        elif kind == "fault":
            disk.fault = count
        yield count if kind == "stop" else lambda: None
    finally:
        law_embedder.fail_after.clear()
        disk.fault = None


def _turned(data: bytes, n: int) -> bytes:
    """The same number of bytes with one ASCII letter changed."""
    places = [i for i, b in enumerate(data) if 97 <= b <= 122]
    if not places:
        return data
    at = places[n % len(places)]
    return data[:at] + bytes([97 + (data[at] - 97 + 1 + n % 25) % 26]) + data[at + 1 :]


def _sha(data: bytes | None) -> str:
    return hashlib.sha256(data).hexdigest() if data is not None else ""


def _by_document(hits: Counter[tuple[str, str, str]]) -> dict[tuple[str, str], frozenset[str]]:
    out: dict[tuple[str, str], set[str]] = {}
    for source, path, text in hits:
        out.setdefault((source, path), set()).add(text)
    return {k: frozenset(v) for k, v in out.items()}


def _difference(wanted: Counter[tuple[str, str, str]], found: Counter[tuple[str, str, str]]) -> str:
    missing, extra = list((wanted - found).elements()), list((found - wanted).elements())
    return f"missing {missing[:4]} ({len(missing)}), too much {extra[:4]} ({len(extra)})"
