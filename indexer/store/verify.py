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
from typing import NamedTuple

from ..core.errors import StoreDamaged
from ..core.model import Message
from . import disk, snapshots, tip, vectors
from .catalog import Catalog, Spans, add_terms, chain, content_digest, term, unpack_ids
from .local import Store
from .seal import SEAL, seal
from .texts import Texts, key_of

VECTORS, CATALOG, LOST, SNAPSHOT = "vectors", "catalog", "lost", "snapshot"


class Finding(NamedTuple):
    """One thing that does not hold. ``what`` says which repair it needs."""

    what: str
    message: Message


def verify(store: Store, tell: Callable[[str], None] = lambda step: None, *, head: bool = True) -> list[Finding]:
    """Check everything; an empty list is the proof. Reads every segment once.

    ``head=False`` leaves out whether HEAD names this generation.
    """
    checks: tuple[Callable[[Store], Iterable[Finding]], ...] = (
        *((_head,) if head else ()), _sqlite, _seal, _segments, _contents, _liveness, _documents, _commits, _added, _tip, _snapshots,
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
        yield Finding(CATALOG, Message("SQLite: {problem}", {"problem": rows[0]}))


def _segments(store: Store) -> Iterator[Finding]:
    """Files by their hashes, texts by their keys, ids by the catalog."""
    known: dict[int, bytes] = dict(store.catalog.db.all("SELECT id,key FROM passage"))
    sql = "SELECT id,vectors_sha,texts_sha,count,first,last FROM segment ORDER BY first"
    held: set[int] = set()
    for segment, vectors_sha, texts_sha, count, first, last in store.catalog.db.all(sql):
        vector_path, text_path = store.segment_paths(segment)
        if not _hash_is(text_path, texts_sha):
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


def _contents(store: Store) -> Iterator[Finding]:
    """Digests over chunks, and the inverse lists of passages."""
    db = store.catalog.db
    keys: dict[int, bytes] = dict(db.all("SELECT id,key FROM passage"))
    pairs: set[tuple[int, int]] = set()
    opens: dict[int, int] = dict(db.all("SELECT content,count(*) FROM version WHERE removed IS NULL GROUP BY content"))
    for content, sha, state, title, spans, passages, digest, open_ in db.all(
        "SELECT id,sha,state,title,spans,passages,digest,open FROM content"
    ):
        ids = unpack_ids(passages)
        pairs.update((p, content) for p in ids)
        own = [keys.get(p, b"") for p in ids]
        if content_digest(sha, state, title or "", spans, own) != digest or len(Spans.unpack(spans).spans) != len(ids):
            yield Finding(CATALOG, Message("content {n} is not what was written", {"n": content}))
        if open_ != opens.get(content, 0):
            yield Finding(
                CATALOG,
                Message(
                    "content {n} counts {have} documents, {want} show it",
                    {"n": content, "have": open_, "want": opens.get(content, 0)},
                ),
            )
    if pairs != set(db.all("SELECT passage,content FROM occurrence")):
        yield Finding(CATALOG, Message("the list of occurrences does not match the contents"))


def _liveness(store: Store) -> Iterator[Finding]:
    db = store.catalog.db
    live = {p for (blob,) in db.all("SELECT passages FROM content WHERE open>0") for p in unpack_ids(blob)}
    marked = {p for (p,) in db.all("SELECT id FROM passage WHERE dead IS NULL")}
    if live != marked:
        yield Finding(
            CATALOG,
            Message("{count} passages are marked findable or not against the versions", {"count": len(live ^ marked)}),
        )


def _documents(store: Store) -> Iterator[Finding]:
    """What a document's row says is shown is what its open version says."""
    db = store.catalog.db
    shown: dict[int, int] = dict(db.all("SELECT id,content FROM document WHERE content IS NOT NULL"))
    open_: dict[int, int] = dict(db.all("SELECT document,content FROM version WHERE removed IS NULL"))
    if shown != open_:
        yield Finding(
            CATALOG,
            Message(
                "{count} documents do not show their newest version",
                {"count": len(set(shown.items()) ^ set(open_.items()))},
            ),
        )
    bad = db.value("SELECT count(*) FROM version WHERE removed IS NOT NULL AND removed<=added")
    if bad:
        yield Finding(CATALOG, Message("{count} versions end before they begin", {"count": bad}))


def _commits(store: Store) -> Iterator[Finding]:
    """The hash chain, and every retained commit's state recomputed from the versions."""
    catalog = store.catalog
    terms = _terms(catalog)
    oldest = int(catalog.meta("oldest") or 0)
    events: dict[int, tuple[list[int], list[int]]] = {}
    start: list[int] = []
    for document, content, added, removed in catalog.db.all("SELECT document,content,added,removed FROM version"):
        value = terms(document, content)
        if added <= oldest:
            start.append(value)
        else:
            events.setdefault(added, ([], []))[0].append(value)
        if removed is not None:
            events.setdefault(removed, ([], []))[1].append(value)
    state, previous, before = add_terms(bytes(32), start, ()), bytes(32), 0
    for n, at, run, note, stored, hash_ in catalog.db.all("SELECT n,at,run,note,state,hash FROM log ORDER BY n"):
        if n > oldest:
            state = add_terms(state, *events.pop(n, ([], [])))
        if n >= oldest and stored != state:
            yield Finding(CATALOG, Message("commit {n} does not show what was committed", {"n": n}))
            return
        if hash_ != chain(previous, n, at, run, note, stored) or n <= before:
            yield Finding(CATALOG, Message("the chain of commits is broken at {n}", {"n": n}))
            return
        previous, before = hash_, n
    if events:
        yield Finding(CATALOG, Message("versions name a commit that does not exist ({n})", {"n": min(events)}))


def _added(store: Store) -> Iterator[Finding]:
    """Documents handed in through the API: their text and metadata are what was added."""
    from . import handmade
    from .passages import Passages

    with Passages(store.catalog, store.vectors_folder, store.texts_folder) as passages:
        for key in handmade.damaged(store.catalog, passages):
            yield Finding(
                CATALOG, Message("the document {name}, added in Python, is not what was added", {"name": str(key)})
            )


def _terms(catalog: Catalog) -> Callable[[int, int], int]:
    documents = {
        d: (s, p)
        for d, s, p in catalog.db.all("SELECT d.id,s.name,d.path FROM document d JOIN source s ON s.id=d.source")
    }
    contents = {c: (sha, digest) for c, sha, digest in catalog.db.all("SELECT id,sha,digest FROM content")}
    return lambda document, content: term(*documents[document], *contents[content])


__all__ = ["CATALOG", "VECTORS", "Finding", "vectors", "verify"]
