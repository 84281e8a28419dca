"""The audit entries: what a commit's hash is made of, so that the chain of commits is the audit trail.

An entry is canonical JSON: who, when, from where, and each document with its SHA-256 before and
after. Its SHA-256 is the hash of the commit, and it names the hash of the commit before it: no
entry can be changed, removed or put elsewhere without every later hash being another one. It
is written in the transaction of its commit.

Commits of a generation that is still being filled show nothing to anybody and have no entry
(their hashes are :func:`.digests.chain`, as were those of all commits before format 2); what
they amount to is in the entry of the commit with which the generation is served.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import StoreDamaged
from ..core.model import EMPTY, unraw
from .digests import chain

if TYPE_CHECKING:
    from .batch import Batch
    from .catalog import Catalog
    from .db import Db

NOTHING = bytes(32)
"""The hash before the first commit."""

REMOVED = "audit_removed"
"""The fact in ``meta`` about entries removed by retention: number and hash of the last, when, by whom, how many."""

_STATED = "audit_removed_stated"
_LOST = "audit_lost"
_PORTION = 200

Document = tuple[str, str, str | None, str | None]
"""(source, path, SHA-256 before, SHA-256 after); None: not there. Bytes that are no UTF-8 are lone surrogates."""


class Entry(NamedTuple):
    """One entry as stored; ``hash`` is made of what is stored, not of what ought to be."""

    n: int
    facts: Mapping[str, Any]
    hash: bytes

    @property
    def previous(self) -> bytes:
        """The hash of the commit before it."""
        return bytes.fromhex(self.facts["previous"])


class Made(NamedTuple):
    """What a commit amounts to: versions begun and ended, the state, the documents.

    ``statements``: what else the entry says. ``previous``: the hash it follows, where that is
    not the newest commit's.
    """

    counts: tuple[int, int]
    state: bytes
    documents: Iterable[Document]
    statements: Mapping[str, Any] = EMPTY
    previous: bytes | None = None


# ---- form --------------------------------------------------------------------------------


def canonical(facts: Mapping[str, Any]) -> bytes:
    """The bytes that are hashed: JSON, keys sorted, no spaces, ASCII."""
    return json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def text_of(n: int, stored: bytes) -> bytes:
    """The canonical bytes of a stored entry; raises StoreDamaged."""
    try:
        return zlib.decompress(stored)
    except (zlib.error, TypeError) as e:
        raise _damaged(n) from e


def unpack(n: int, stored: bytes) -> Entry:
    """A stored entry; raises StoreDamaged when it is none."""
    text = text_of(n, stored)
    try:
        facts = json.loads(text)
        if facts["commit"] != n or not _well_formed(facts):
            raise ValueError("another commit's, or none")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise _damaged(n) from e
    return Entry(n, facts, sha256(text).digest())


_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("commit", "at", "run", "added", "removed"), int), "documents": list,
    **dict.fromkeys(("previous", "actor", "client", "trigger", "note", "state"), str),
}  # fmt: skip
_SHAPES: Mapping[str, tuple[type, ...]] = {"lost": (int, str), "fills": (int, int, str)}


def _well_formed(facts: Mapping[str, Any]) -> bool:
    """Whether every fact is of its kind; what is altered must be found, not trip whoever reads it."""
    kinds = all(type(facts[name]) is kind for name, kind in _KINDS.items())
    hashes = all(len(bytes.fromhex(facts[name])) == len(NOTHING) for name in ("previous", "state"))
    tuples = all(_is(facts[name], shape) for name, shape in _SHAPES.items() if name in facts)
    holes = all(_is(hole, (int, str, int, str)) for hole in facts.get("holes", []))
    words = all(type(s) is type(p) is str and {type(b), type(a)} <= {str, type(None)} for s, p, b, a in facts["documents"])  # fmt: skip
    return kinds and hashes and tuples and holes and words


def _is(value: Sequence[Any], shape: tuple[type, ...]) -> bool:
    return tuple(map(type, value)) == shape


def _damaged(n: int) -> StoreDamaged:
    return StoreDamaged("the audit entry of commit {n} is not what was written", n=n)


def shown_document(source: str, path: bytes, before: bytes | None, after: bytes | None) -> Document:
    """A document as an entry names it; a content's key begins with the SHA-256 of its bytes."""
    return source, unraw(path), before[:32].hex() if before else None, after[:32].hex() if after else None


# ---- reading -----------------------------------------------------------------------------


def has_trail(db: Db) -> bool:
    """Whether the catalog has the table at all: one of format 1 that is only read has not."""
    return db.value("SELECT 1 FROM sqlite_schema WHERE name='audit'") is not None


def rows(db: Db, above: int = 0) -> Iterator[tuple[int, bytes]]:
    """(commit, stored entry) in order, a few at a time; call it inside one ``read()``."""
    if not has_trail(db):
        return
    while part := db.all("SELECT n,entry FROM audit WHERE n>? ORDER BY n LIMIT ?", (above, _PORTION)):
        yield from part
        above = part[-1][0]


def authors(db: Db, commits: Sequence[int]) -> dict[int, dict[str, str]]:
    """Actor, client and trigger of commits, where there is an entry."""
    found = db.among("SELECT n,entry FROM audit WHERE n IN ({})", commits) if has_trail(db) else []
    facts = {n: unpack(n, stored).facts for n, stored in found}
    return {n: {name: f[name] for name in ("actor", "client", "trigger")} for n, f in facts.items()}


def removed(catalog: Catalog) -> Mapping[str, Any]:
    """What retention removed from the front of the trail; empty when nothing."""
    found: Mapping[str, Any] = json.loads(catalog.meta(REMOVED) or "{}")
    return found


def end(catalog: Catalog) -> tuple[int, bytes]:
    """(commit, hash) the trail ends with; commits before format 2 and removed entries count."""
    newest = next(iter(catalog.db.all("SELECT n,entry FROM audit ORDER BY n DESC LIMIT 1")), None)
    if newest is not None:
        return newest[0], sha256(text_of(*newest)).digest()
    if gone := removed(catalog):
        return gone["commit"], bytes.fromhex(gone["hash"])
    found: tuple[int, bytes] = catalog.db.one("SELECT n,hash FROM log ORDER BY n DESC LIMIT 1") or (0, NOTHING)
    return found


def lost(catalog: Catalog) -> tuple[int, bytes] | None:
    """A commit that was published and then lost with the end of the catalog, if no entry says so yet."""
    found = json.loads(catalog.meta(_LOST) or "null")
    return (found[0], bytes.fromhex(found[1])) if found else None


# ---- writing -----------------------------------------------------------------------------


def write_commit(catalog: Catalog, batch: Batch, made: Made) -> int:
    """Write a commit's row, its run's and its audit entry, inside the caller's transaction; its number."""
    db, n = catalog.db, next_number(catalog, batch)
    before = db.value("SELECT hash FROM log ORDER BY n DESC LIMIT 1") or NOTHING
    if batch.audited:
        text = canonical(_facts(catalog, batch, n, made, made.previous or before))
        hash_ = sha256(text).digest()
        db.run("INSERT INTO audit(n,entry) VALUES(?,?)", (n, zlib.compress(text)))
    else:
        hash_ = chain(before, n, batch.at, batch.run, batch.note, made.counts, made.state)
    row = (n, batch.at, batch.run, batch.note, *made.counts, made.state, hash_)
    db.run("INSERT INTO log(n,at,run,note,added,removed,state,hash) VALUES(?,?,?,?,?,?,?,?)", row)
    author = batch.author.named()
    began = (batch.run, batch.at, author.actor, author.trigger or batch.note)
    db.run("INSERT OR IGNORE INTO run(id,started,actor,trigger) VALUES(?,?,?,?)", began)
    return n


def next_number(catalog: Catalog, batch: Batch) -> int:
    """The number a batch's commit gets: above every one that was ever published."""
    return max(catalog.head(), batch.above, batch.lost[0] if batch.lost else 0) + 1


def note_lost(catalog: Catalog, commit: tuple[int, bytes] | None) -> None:
    """Remember what the next entry must tell; None when it did."""
    if commit is not None or catalog.meta(_LOST) is not None:
        catalog.set_meta(**{_LOST: json.dumps([commit[0], commit[1].hex()]) if commit else None})


def _facts(catalog: Catalog, batch: Batch, n: int, made: Made, previous: bytes) -> dict[str, Any]:
    author = batch.author.named()
    facts: dict[str, Any] = {
        "commit": n, "previous": previous.hex(), "at": batch.at, "run": batch.run, "actor": author.actor,
        "client": author.client, "trigger": author.trigger or batch.note, "note": batch.note,
        "added": made.counts[0], "removed": made.counts[1], "state": made.state.hex(),
        "documents": sorted(made.documents, key=lambda d: d[:2]), **made.statements,
    }  # fmt: skip
    gone = removed(catalog)
    if not gone and catalog.db.value("SELECT 1 FROM audit LIMIT 1") is None:
        facts["begins"] = True
    if gone and catalog.meta(_STATED) != gone["commit"]:
        facts["removed_before"] = gone
        catalog.set_meta(**{_STATED: gone["commit"]})
    if batch.lost:
        facts["lost"] = [batch.lost[0], batch.lost[1].hex()]
        note_lost(catalog, None)
    return facts
