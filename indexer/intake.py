"""One batch in the making: files are read, parsed, split and gathered until it is worth a commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .core.errors import FileProblem, ParserDied, ParseRefused, Unreadable
from .core.model import FileStat, Key, State, raw, unraw
from .core.ports import Parser, Splitter
from .core.tables import ParseLimits, Source
from .names import label_of
from .report import Problem, Tally
from .sources import folder
from .sources.rules import suffix
from .store.batch import Batch, Draft, Settled, standing
from .store.catalog import Catalog, DocumentRow, Spans, notes_json, notes_of
from .store.texts import key_of

if TYPE_CHECKING:
    from .ahead import Ahead, Job
    from .care.earlier import Earlier
    from .core.diff import Candidate
    from .sources.folder import Bytes

FINE = (State.INDEXED, State.WARNED, State.NO_TEXT)


class Rules(NamedTuple):
    """The settings an intake obeys."""

    limits: ParseLimits
    attempts: int
    retry_now: bool
    verify: bool


class Begun(NamedTuple):
    """A file that was read (``got`` is None when it could not be), and the job of its parser if it needs one."""

    candidate: Candidate
    row: DocumentRow | None
    got: Bytes | None
    problem: Unreadable | None = None
    job: Job | None = None
    tries: int = 0

    def ready(self, seconds: float = 0) -> bool:
        """Whether it can be finished without waiting for a parser, after at most so many seconds."""
        return self.job is None or self.job.wait(seconds)

    def size(self) -> int:
        """Bytes it holds in memory."""
        return len(self.got.data) if self.got is not None else 0


class Intake:
    """Turns the candidates of one source into the documents of a batch, in two steps: begin, finish."""

    def __init__(
        self, catalog: Catalog, source: Source, source_id: int, parser: Parser, ahead: Ahead, earlier: Earlier | None,
        split: Splitter, rules: Rules, clock_ns: Callable[[], int], tally: Tally,
    ) -> None:  # fmt: skip
        self.catalog, self.source, self.id, self.parser, self.split = catalog, source, source_id, parser, split
        self.ahead, self.earlier, self.rules, self.clock_ns, self.tally = ahead, earlier, rules, clock_ns, tally
        self.jobs: dict[bytes, Job] = {}
        self.rows: Mapping[bytes, DocumentRow] = {}
        self.tries: Mapping[bytes, tuple[bytes, int]] = {}

    def prepare(self, paths: Sequence[bytes]) -> None:
        """Load what the catalog knows of the files that come next."""
        self.rows = self.catalog.documents(self.id, paths)
        sql = "SELECT path,sha,tries FROM attempt WHERE source=? AND path IN ({})"
        self.tries = {p: (sha, n) for p, sha, n in self.catalog.db.among(sql, paths, (self.id,))}

    def suspect(self, path: bytes) -> bool:
        """Whether an earlier attempt at this file never ended: it is worked on alone."""
        return path in self.tries

    def begin(self, candidate: Candidate, batch: Batch) -> Begun:
        """Read one file; when its bytes are new and need a worker process, that starts now."""
        path, row = candidate.path, self.rows.get(candidate.path)
        try:
            got = folder.read(self.source, unraw(path), self.rules.limits.file_mb, self.clock_ns)
        except FileNotFoundError:
            return Begun(candidate, row, None)
        except Unreadable as e:
            return Begun(candidate, row, None, e)
        tries = self._earlier(path, got.sha256)
        return Begun(candidate, row, got, None, self._job(path, row, got, tries, batch), tries)

    def finish(self, begun: Begun, batch: Batch) -> FileStat:
        """Put a file into the batch; returns the stat to record (unsettled: look again next time)."""
        candidate, row, got, problem, _, _ = begun
        if got is None:
            if problem is not None:
                batch.settled.append(self._unreadable(candidate.path, row, problem))
            return folder.unsettled(candidate.stat)
        stat = folder.unsettled(got.stat) if got.racy else got.stat
        if row is not None and self._same(row, got.sha256):
            return self._touched(row, batch, stat)
        settled, again = self._settle(begun, got, batch)
        batch.settled.append(settled)
        self._report(candidate.path, row, settled)
        return folder.unsettled(got.stat) if again else stat

    def _job(self, path: bytes, row: DocumentRow | None, got: Bytes, tries: int, batch: Batch) -> Job | None:
        """The parser's work on these bytes, if they are new, are not only decoded, and may be tried.

        The attempt is on record before a parser sees hostile bytes.
        """
        made = content_key(path, got.sha256)
        if (row is not None and self._same(row, got.sha256)) or self.parser.trusted(unraw(path)):
            return None
        if tries >= self.rules.attempts or got.stat.size > self.rules.limits.file_mb << 20:
            return None
        if made in batch.drafts or self.catalog.contents([made]) or (self.earlier and self.earlier.has(made)):
            return None
        record_attempts(self.catalog, [(self.id, path, got.sha256, tries + 1)])
        if (job := self.jobs.get(made)) is None:  # a copy waits for the same answer
            job = self.jobs[made] = self.ahead.submit(unraw(path), got.data)
        return job

    def _same(self, row: DocumentRow, sha: bytes) -> bool:
        due = row.retry_at is not None and (self.rules.retry_now or row.retry_at <= self.clock_ns())
        return row.sha == sha and not row.denied and not due

    def _touched(self, row: DocumentRow, batch: Batch, stat: FileStat) -> FileStat:
        self.tally.touched += 1
        if row.held is not None:
            batch.settled.append(standing(row, held=None))
        return folder.unsettled(stat) if row.retry_at is not None else stat

    def _settle(self, begun: Begun, got: Bytes, batch: Batch) -> tuple[Settled, bool]:
        """The new standing of a file with these bytes; True when it must be tried again."""
        path, row, tries = begun.candidate.path, begun.row, begun.tries
        sha, made = got.sha256, content_key(path, got.sha256)
        self.jobs.pop(made, None)
        known = self.catalog.contents([made]).get(made)
        if known is not None:
            return Settled(self.id, path, sha, known[1], made, known[2]), False
        if (draft := batch.drafts.get(made)) is not None:
            return Settled(self.id, path, sha, draft.state, made, draft.notes), False
        if self.earlier is not None and (copied := self.earlier.draft(made)) is not None:
            batch.drafts[made], texts = copied
            batch.texts.update(texts)
            return Settled(self.id, path, sha, copied[0].state, made, copied[0].notes), False
        try:
            if tries >= self.rules.attempts:
                raise ParseRefused(_SET_ASIDE, tries=tries)
            batch.drafts[made] = draft = self._draft(path, got, begun.job, batch)
        except ParserDied as e:
            return self._failed(path, row, sha, e, tries + 1)
        except FileProblem as e:
            return self._failed(path, row, sha, e, tries if tries >= self.rules.attempts else 0)
        return Settled(self.id, path, sha, draft.state, made, draft.notes), False

    def _earlier(self, path: bytes, sha: bytes) -> int:
        row = self.rows.get(path)
        open_ = self.tries.get(path, (b"", 0))
        return max(row.tries if row and row.sha == sha else 0, open_[1] if open_[0] == sha else 0)

    def _draft(self, path: bytes, got: Bytes, job: Job | None, batch: Batch) -> Draft:
        """What parser and splitter made of the bytes."""
        limit = self.rules.limits.file_mb
        if got.stat.size > limit << 20:
            raise ParseRefused(
                "The file is larger than the limit of {limit} MB; split it, or raise file_mb", limit=limit
            )
        parsed = job.result() if job is not None else self.parser.parse(unraw(path), got.data)
        chunks = self.split(parsed)
        self.tally.parsed += 1
        state = parsed.state if chunks or parsed.state is not State.INDEXED else State.NO_TEXT
        keys = tuple(key_of(c.text) for c in chunks)
        batch.texts.update(zip(keys, (c.text for c in chunks), strict=True))
        details = json.dumps(
            {**parsed.details, "parser": parsed.parser} | ({"label": label} if (label := label_of(parsed)) else {}),
            default=str,
        )
        return Draft(
            content_key(path, got.sha256),
            state,
            notes_json(parsed.notes),
            parsed.title,
            details,
            Spans.of(chunks).pack(),
            keys,
        )

    def _failed(
        self, path: bytes, row: DocumentRow | None, sha: bytes, e: FileProblem, tries: int
    ) -> tuple[Settled, bool]:
        again = isinstance(e, ParserDied) and tries < self.rules.attempts
        retry_at = self.clock_ns() + 600 * 10**9 * 6 ** (tries - 1) if again else None
        state = State.STALE if row and row.content else State.FAILED
        notes = notes_json([e.message])
        return Settled(self.id, path, sha, state, None, notes, tries, retry_at, keep=True), again

    def _unreadable(self, path: bytes, row: DocumentRow | None, e: Unreadable) -> Settled:
        """First look: the last good version stays. Second look without permission: hidden."""
        hide = e.denied and row is not None and row.denied > 0
        visible = row is not None and row.content is not None and not hide
        state = State.STALE if visible else State.FAILED
        self.tally.problems[Key(self.source.name, unraw(path))] = Problem(
            Key(self.source.name, unraw(path)), state, e.message
        )
        sha = row.sha if row else None
        return Settled(self.id, path, sha, state, None, notes_json([e.message]), denied=int(e.denied), keep=not hide)

    def _report(self, path: bytes, row: DocumentRow | None, settled: Settled) -> None:
        key = Key(self.source.name, unraw(path))
        if settled.keep:
            self.tally.problems[key] = Problem(key, settled.state, notes_of(settled.notes)[0])
        elif row is not None and row.content is not None:
            self.tally.modified.append(key)
        else:
            self.tally.added[key] = settled.sha


_SET_ASIDE = "set aside after {tries} attempts that crashed the parser; it is tried again when the file, the parser or the settings change"


def content_key(path: bytes, sha: bytes) -> bytes:
    """What decides a content: the SHA-256 of the bytes (first 32), and the suffix, which chooses the parser.

    By the hash alone a copy of ``a.txt`` named ``a.md`` would be found as plain text, and which
    of the two came first would decide what is found.
    """
    return sha + raw(suffix(path.rpartition(b"/")[2]))


def record_attempts(catalog: Catalog, rows: Sequence[tuple[int, bytes, bytes, int]]) -> None:
    """Put attempts (source, path, sha, number) on record before the work; one cheap write."""
    db = catalog.db
    db.con.execute("PRAGMA synchronous = NORMAL")
    try:
        with db.write():
            db.run_many("INSERT OR REPLACE INTO attempt(source,path,sha,tries) VALUES(?,?,?,?)", rows)
    finally:
        db.con.execute("PRAGMA synchronous = FULL")
