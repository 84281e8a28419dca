"""Does the audit trail hold: each entry against its neighbours, the commits, the runs and the versions.

Read only, in one view of the catalog, entry by entry. What retention removed from the front,
what was lost by damage and which commits only filled a generation is said by entries
themselves, so that none of it can be taken for a reason why something else is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..core.errors import StoreDamaged
from ..core.model import Message, unraw
from ..store import audit, tip
from ..store.audit import NOTHING, Entry
from ..store.catalog import Catalog
from ..store.digests import chain
from ..store.local import Store
from .audit_links import Hole, Link, breaks, inside, named
from .findings import CATALOG, TRAIL, Finding

Shown = dict[tuple[str, str], list[str | None]]
"""Documents of one commit: SHA-256 before and after."""


class Checked(NamedTuple):
    """What was found, by commit; the links of the trail; what entries say about it that a person should know."""

    findings: list[tuple[int, Finding]]
    links: dict[int, Link]
    remarks: list[Message]
    log: dict[int, bytes]


class _Commit(NamedTuple):
    at: int
    run: int
    note: str
    counts: tuple[int, int]
    state: bytes
    hash: bytes


def audited(store: Store) -> Iterator[Finding]:
    """For ``verify``: the first commit whose audit entry does not hold, and how many more."""
    yield from (finding for _, finding in check(store.catalog).findings)


def check(catalog: Catalog) -> Checked:
    """Check everything; call it inside ``read()`` when somebody may be writing."""
    try:
        return _Check(catalog).go()
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as e:  # a value of another kind in a table
        why = Message("the catalog holds something unreadable ({why})", {"why": str(e) or type(e).__name__})
        return Checked([(0, Finding(CATALOG, why))], {}, [], {})


class _Check:
    def __init__(self, catalog: Catalog) -> None:
        db = catalog.db
        self.catalog, self.oldest = catalog, int(catalog.meta("oldest") or 0)
        sql = "SELECT n,at,run,note,added,removed,state,hash FROM log ORDER BY n"
        self.log = {r[0]: _Commit(r[1], r[2], r[3], (r[4], r[5]), r[6], r[7]) for r in db.all(sql)}
        self.runs = {run: (actor, trigger) for run, actor, trigger in db.all("SELECT id,actor,trigger FROM run")}
        self.removed = audit.removed(catalog)
        self.findings: list[tuple[int, Finding]] = []
        self.links: dict[int, Link] = {}
        self.bad: set[int] = set()
        self.changes: dict[int, Shown] | None = None
        self.remarks: list[Message] = []

    def go(self) -> Checked:
        for n, stored in audit.rows(self.catalog.db):
            try:
                entry = audit.unpack(n, stored)
            except StoreDamaged as e:
                self.bad.add(n)
                self._found(n, TRAIL, e.message)
                continue
            self.links[n] = Link.of(entry)
            row = self.log.get(n)
            if row is None or row.hash == entry.hash:  # what an altered entry says is nothing to compare with
                self._run(entry)
            if row is not None and row.hash == entry.hash:
                self._commit(entry, row)
        holes = {h for link in self.links.values() for h in link.holes}
        self._chain(holes)
        self._commits(holes)
        self.remarks[:0] = self._remarks()
        self.findings.sort(key=lambda f: f[0])
        return Checked(self.findings, self.links, self.remarks, {n: c.hash for n, c in self.log.items()})

    def _found(self, n: int, what: str, message: Message) -> None:
        self.findings.append((n, Finding(what, message)))

    # ---- one entry against the tables ------------------------------------------------

    def _run(self, entry: Entry) -> None:
        """The run is on record, and by the same actor."""
        facts = entry.facts
        words = {"run": facts["run"], "n": entry.n}
        if facts["run"] not in self.runs:
            self._found(entry.n, TRAIL, Message("run {run}, which made commit {n}, is not on record", words))
        elif self.runs[facts["run"]] != (facts["actor"], facts["trigger"]):
            words |= {
                "have": " ".join(map(str, self.runs[facts["run"]])),
                "want": f"{facts['actor']} {facts['trigger']}",
            }
            self._found(entry.n, TRAIL, Message("run {run} is on record as made by {have}, commit {n} says by {want}", words))  # fmt: skip

    def _commit(self, entry: Entry, row: _Commit) -> None:
        """The commit's row and the versions say what the entry says."""
        f = entry.facts
        said = _Commit(f["at"], f["run"], f["note"], (f["added"], f["removed"]), bytes.fromhex(f["state"]), row.hash)
        if said != row:
            self._found(entry.n, CATALOG, Message("commit {n} is not what its audit entry says", {"n": entry.n}))
        listed: Shown = {(source, path): [before, after] for source, path, before, after in f["documents"]}
        if len(listed) != len(f["documents"]) or not self._agrees(entry, listed):
            self._found(
                entry.n, CATALOG, Message("the audit entry of commit {n} names other documents than its versions", {"n": entry.n})
            )  # fmt: skip

    def _agrees(self, entry: Entry, listed: Shown) -> bool:
        if self.changes is None:
            self.changes = _changes(self.catalog)
        if "replaces" in entry.facts:
            return entry.n < self.oldest or all(
                _at(self.catalog, entry.n).get(k) == after for k, (_, after) in listed.items()
            )
        have = self.changes.get(entry.n, {})
        if entry.n > self.oldest:
            return have == listed
        return all(listed.get(k, [None, None])[1] == after for k, (_, after) in have.items() if after)

    # ---- the chain ---------------------------------------------------------------------

    def _chain(self, holes: set[Hole]) -> None:
        start = (self.removed["commit"], bytes.fromhex(self.removed["hash"])) if self.removed else (0, NOTHING)
        for hole in breaks(self.links, start):
            if hole not in holes and hole.after not in self.bad:
                words = {"a": hole.after, "b": hole.before}
                self._found(hole.before, TRAIL, Message("the audit trail is broken between commit {a} and commit {b}", words))  # fmt: skip

    def _commits(self, holes: set[Hole]) -> None:
        """Every commit has its entry, or an entry says why not and its hash is right without."""
        known = tip.read(self.catalog.db.path.parent)  # the newest entry is named by no other
        good = named(self.links.values()) | ({known.hash} if known else set())
        first = min(self.links, default=None)
        served = max((n for n, link in self.links.items() if link.replaces and n in self.log), default=0)
        before = NOTHING
        for n, row in self.log.items():
            link = self.links.get(n)
            if link is not None:
                if link.hash != row.hash:
                    what = CATALOG if link.hash in good else TRAIL
                    self._found(n, what, Message("the audit entry of commit {n} is not the one of that commit", {"n": n}))  # fmt: skip
            elif n > int(self.removed.get("commit", 0)) and n not in self.bad and not inside(n, holes):
                self._unaudited(n, row, before, first)
            before = row.hash
        for n in self.links:
            if n > served and n not in self.log and (served or n > min(self.log, default=0)):
                self._found(n, CATALOG, Message("commit {n} has an audit entry and is not in the log", {"n": n}))

    def _unaudited(self, n: int, row: _Commit, before: bytes, first: int | None) -> None:
        """A commit without an entry: from before there were any, or one that only filled the generation."""
        plain = row.hash == chain(before, n, row.at, row.run, row.note, row.counts, row.state)
        early = first is None or (n < first and self.links[first].begins)
        filled = any(a <= n <= b for link in self.links.values() for a, b in (link.fills,))
        if plain and (early or filled or self._filling(n)):
            return
        if early and not plain:
            self._found(n, CATALOG, Message("the chain of commits is broken at {n}", {"n": n}))
        else:
            self._found(n, TRAIL, Message("the audit entry of commit {n} is missing", {"n": n}))

    def _filling(self, n: int) -> bool:
        """Whether the generation is not served yet: what fills it has no entry so far."""
        return not self.catalog.meta("complete") and n > max((k for k in self.links if k in self.log), default=0)

    def _remarks(self) -> Iterator[Message]:
        if gone := self.removed:
            words = {"n": gone["commit"], "count": gone["entries"], "actor": gone["actor"]}
            yield Message("{count} entries up to commit {n} were removed after the time set by audit_days (by {actor})", words)  # fmt: skip
        for n, link in sorted(self.links.items()):
            for hole in link.holes:
                words = {"a": hole.after, "b": hole.before, "n": n}
                yield Message("between commit {a} and commit {b} entries are missing, as commit {n} says", words)
            if link.lost:
                yield Message("commit {lost} was lost by damage, as commit {n} says", {"lost": link.lost[0], "n": n})


def _changes(catalog: Catalog) -> dict[int, Shown]:
    """What each commit changed, by the versions that are kept."""
    found: dict[int, Shown] = {}
    for source, path, sha, added, removed in catalog.db.all(_VERSIONS):
        key = (source, unraw(path))
        found.setdefault(added, {}).setdefault(key, [None, None])[1] = sha
        if removed is not None:
            found.setdefault(removed, {}).setdefault(key, [None, None])[0] = sha
    return found


def _at(catalog: Catalog, n: int) -> Mapping[tuple[str, str], str]:
    """What was shown at a commit."""
    sql = f"{_VERSIONS} WHERE v.added<=? AND (v.removed IS NULL OR v.removed>?)"
    return {(source, unraw(path)): sha for source, path, sha, *_ in catalog.db.all(sql, (n, n))}


_VERSIONS = (
    "SELECT s.name,d.path,lower(hex(substr(c.sha,1,32))),v.added,v.removed FROM version v "
    "JOIN document d ON d.id=v.document JOIN source s ON s.id=d.source JOIN content c ON c.id=v.content"
)


def shown(catalog: Catalog, at: int | None = None) -> dict[tuple[str, str], str]:
    """(source, path) to SHA-256 of what the newest commit shows, or an earlier one."""
    if at is not None:
        return dict(_at(catalog, at))
    rows: list[tuple[Any, ...]] = catalog.db.all(f"{_VERSIONS} WHERE v.removed IS NULL")
    return {(source, unraw(path)): sha for source, path, sha, *_ in rows}
