"""Proof that everything stored is what was written, and names for what is not.

SQLite's own check misses most flipped bits that change an answer (measured: 67 % of the
harmful ones), so the content checks itself: passage keys are hashes of texts, segments and
text files have SHA-256, a content has a digest over its chunks, and each commit's state is a
sum over its visible documents, chained by hashes.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator

from ..core.errors import StoreDamaged
from ..core.model import Message
from ..store import disk, tip
from ..store.local import Store
from ..store.seal import SEAL, seal
from ..store.texts import Texts, key_of
from . import audit_proofs, lexicon, proofs, snapshots
from .findings import CATALOG, LOST, RECORDS, SNAPSHOT, TRAIL, VECTORS, Finding


def verify(store: Store, tell: Callable[[str], None] = lambda step: None, *, head: bool = True) -> list[Finding]:
    """Check everything; an empty list is the proof. Reads every segment once.

    ``head=False`` leaves out whether HEAD names this generation.
    """
    checks: tuple[Callable[[Store], Iterable[Finding]], ...] = (
        *((_head,) if head else ()), _sqlite, _seal, _segments, proofs.contents, proofs.liveness, proofs.documents, proofs.commits,
        proofs.added, proofs.records, audit_proofs.audited, _tip, _snapshots,
    )  # fmt: skip
    found: list[Finding] = []
    for check in checks:
        tell(check.__name__.strip("_"))
        try:
            found += check(store)
        except StoreDamaged as e:
            found.append(Finding(CATALOG, e.message))
        except (
            sqlite3.Error,
            zlib.error,
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            AttributeError,
            OverflowError,
            UnicodeDecodeError,
        ) as e:
            found.append(
                Finding(
                    CATALOG,
                    Message("the catalog holds something unreadable ({why})", {"why": str(e) or type(e).__name__}),
                )
            )
        if any(f.what == CATALOG for f in found):
            break  # the rest would only repeat it
    return found


def _head(store: Store) -> Iterator[Finding]:
    if store.layout.served() != store.generation:
        yield Finding(CATALOG, Message("{path} does not name the generation", {"path": str(store.layout.head)}))


def _seal(store: Store) -> Iterator[Finding]:
    if store.catalog.meta(SEAL) != seal(store.catalog.facts()):
        yield Finding(CATALOG, Message("the record of the model is not what was written"))


def _tip(store: Store) -> Iterator[Finding]:
    """The newest published commit, known from outside the catalog, is in it."""
    known = tip.read(store.folder)
    if known is None:
        return
    if lost := store.lost():
        head = store.catalog.head()
        yield Finding(
            LOST, Message("commit {lost} was published, but the catalog ends at {head}", {"lost": lost, "head": head})
        )
    elif store.catalog.db.value("SELECT hash FROM log WHERE n=?", (known.commit,)) != known.hash:
        yield Finding(CATALOG, Message("commit {n} is not the one that was published", {"n": known.commit}))


def _snapshots(store: Store) -> Iterator[Finding]:
    """Every file of every snapshot by its hash; those the generation shares are proved already."""
    for folder in snapshots.folders(store.layout, store.generation):
        if not snapshots.intact(folder, proved=(store.vectors_folder, store.folder)):
            yield Finding(SNAPSHOT, Message("the snapshot {path} is damaged", {"path": str(folder)}))


def _sqlite(store: Store) -> Iterator[Finding]:
    rows = [r[0] for r in store.catalog.db.all("PRAGMA integrity_check(5)")]
    if rows != ["ok"]:
        yield Finding(CATALOG, Message("SQLite: {problem}", {"problem": " ".join(rows[0].split())}))


def _segments(store: Store) -> Iterator[Finding]:
    """Files by their hashes, texts by their keys, ids by the catalog."""
    known: dict[int, bytes] = dict(store.catalog.db.all("SELECT id,key FROM passage"))
    sql = "SELECT id,vectors_sha,texts_sha,count,first,last FROM segment ORDER BY first"
    held: set[int] = set()
    for segment, vectors_sha, texts_sha, count, first, last in store.catalog.db.all(sql):
        vector_path, text_path = store.segment_paths(segment)
        if not _hash_is(text_path, texts_sha) and lexicon.texts_hold(store, segment):
            yield Finding(VECTORS, Message("the lexical index in {path} is damaged", {"path": str(text_path)}))
        elif not _hash_is(text_path, texts_sha):
            yield Finding(CATALOG, Message("the text file {path} is missing or damaged", {"path": str(text_path)}))
            continue
        if not _hash_is(vector_path, vectors_sha):
            yield Finding(VECTORS, Message("the segment {path} is missing or damaged", {"path": str(vector_path)}))
        texts = Texts(text_path)
        items = [(i, t.decode()) for i, t in texts.items()]
        texts.close()
        ids = [i for i, _ in items]
        held.update(ids)
        if len(ids) != count or (ids and (ids[0], ids[-1]) != (first, last)):
            yield Finding(CATALOG, Message("segment {n} has other passages than the catalog says", {"n": segment}))
        if any(known.get(i) != key_of(t) for i, t in items):
            yield Finding(CATALOG, Message("segment {n} holds a text that is not the recorded one", {"n": segment}))
    if missing := known.keys() - held:
        yield Finding(CATALOG, Message("{count} passages are in no segment", {"count": len(missing)}))


def _hash_is(path, sha: bytes) -> bool:  # type: ignore[no-untyped-def]
    try:
        return bool(disk.sha256(path) == sha)
    except OSError:
        return False


__all__ = ["CATALOG", "LOST", "RECORDS", "SNAPSHOT", "TRAIL", "VECTORS", "Finding", "verify"]
