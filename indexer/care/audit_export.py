"""The audit trail for other programs: one line for each document a commit changed, or the entries as they are hashed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ..core.errors import StoreDamaged
from ..store import audit
from ..store.audit import Document, Entry
from ..store.catalog import Catalog

COLUMNS = (
    "commit", "time", "run", "actor", "client", "trigger", "note", "change", "source", "path", "from_source", "from_path",
    "sha256_before", "sha256_after", "hash",
)  # fmt: skip
"""The keys of a line, in order."""

Matches = Callable[[str, str], bool]


class Span:
    """Which commits are wanted: both ends included, each a commit or a time in ns."""

    def __init__(self, since: tuple[str, int] | None = None, until: tuple[str, int] | None = None) -> None:
        self.since, self.until = since, until
        self.unreadable: list[int] = []  # commits whose entry was passed over because it cannot be read

    def entries(self, catalog: Catalog) -> Iterator[tuple[Entry, bytes]]:
        """Every wanted entry, and as it is stored."""
        for n, stored in audit.rows(catalog.db):
            try:
                entry = audit.unpack(n, stored)
            except StoreDamaged:
                self.unreadable.append(n)
                continue
            if entry in self:
                yield entry, stored

    def __contains__(self, entry: Entry) -> bool:
        value = {"commit": entry.n, "time": int(entry.facts["at"])}
        return (self.since is None or value[self.since[0]] >= self.since[1]) and (
            self.until is None or value[self.until[0]] <= self.until[1]
        )


def texts(catalog: Catalog, span: Span) -> Iterator[bytes]:
    """The bytes that are hashed, entry by entry."""
    yield from (audit.text_of(entry.n, stored) for entry, stored in span.entries(catalog))


def lines(catalog: Catalog, span: Span, matches: Matches | None = None) -> Iterator[dict[str, Any]]:
    """One mapping for each changed document; a commit that changes none has one line without a document.

    ``matches``: only documents, by source and path (of a move: the old or the new one).
    """
    for entry, _ in span.entries(catalog):
        found = list(changes(entry.facts["documents"])) or [dict.fromkeys(COLUMNS[7:14])]
        for change in found:
            places = ((change["source"], change["path"]), (change["from_source"], change["from_path"]))
            if matches is None or any(s is not None and matches(s, p) for s, p in places):
                yield _line(entry, change)


def _line(entry: Entry, change: Mapping[str, Any]) -> dict[str, Any]:
    f = entry.facts
    facts = {
        "commit": entry.n, "time": iso(f["at"]), "run": f["run"], "actor": f["actor"], "client": f["client"], "trigger": f["trigger"],
        "note": f["note"], **change, "hash": entry.hash.hex(),
    }  # fmt: skip
    return {name: facts[name] for name in COLUMNS}


def changes(documents: Sequence[Document]) -> Iterator[dict[str, Any]]:
    """Added, modified, deleted, and moved where one commit takes the same bytes from one name to another."""
    gone: dict[str, list[tuple[str, str]]] = {}
    for source, path, before, after in documents:
        if before and not after:
            gone.setdefault(before, []).append((source, path))
    pairs = {
        (source, path): gone[after].pop(0)
        for source, path, before, after in documents
        if after and not before and gone.get(after)
    }
    left = {place for places in gone.values() for place in places}
    for source, path, before, after in documents:
        old = pairs.get((source, path))
        kind = "moved" if old else _kind(before, after)
        if kind != "deleted" or (source, path) in left:
            yield {
                "change": kind, "source": source, "path": path, "from_source": old and old[0], "from_path": old and old[1],
                "sha256_before": after if old else before, "sha256_after": after,
            }  # fmt: skip


def _kind(before: str | None, after: str | None) -> str:
    """``reindexed``: the same bytes, read or shown otherwise than before."""
    if not before:
        return "added"
    return "deleted" if not after else "modified" if before != after else "reindexed"


def iso(ns: int) -> str:
    """Local time to the millisecond, with its offset."""
    return datetime.fromtimestamp(ns / 1e9).astimezone().isoformat(timespec="milliseconds")
