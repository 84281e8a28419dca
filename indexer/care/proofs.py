"""The checks of ``verify`` over the rows of the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..core.model import Message
from ..store.catalog import DOCUMENT_COLUMNS, Catalog, Spans, unpack_ids
from ..store.digests import add_terms, content_digest, proof, term
from ..store.local import Store
from ..store.recover import UNFINISHED, disagreeing
from ..store.schema import ranges
from .findings import CATALOG, RECORDS, Finding


def contents(store: Store) -> Iterator[Finding]:
    """Digests over chunks, and the inverse lists of passages."""
    db = store.catalog.db
    keys: dict[int, bytes] = dict(db.all("SELECT id,key FROM passage"))
    rows: set[tuple[int, int, int]] = set()
    opens: dict[int, int] = dict(db.all("SELECT content,count(*) FROM version WHERE removed IS NULL GROUP BY content"))
    for content, sha, state, words, spans, passages, digest, open_ in (
        (*r[:3], r[3:6], *r[6:])
        for r in db.all("SELECT id,sha,state,notes,title,details,spans,passages,digest,open FROM content")
    ):
        ids = unpack_ids(passages)
        rows.update((first, last, content) for first, last in ranges(ids))
        own = [keys.get(p, b"") for p in ids]
        if content_digest(sha, state, words, spans, own) != digest or len(Spans.unpack(spans).spans) != len(ids):
            yield Finding(CATALOG, Message("content {n} is not what was written", {"n": content}))
        if open_ != opens.get(content, 0):
            yield Finding(
                CATALOG,
                Message(
                    "content {n} counts {have} documents, {want} show it",
                    {"n": content, "have": open_, "want": opens.get(content, 0)},
                ),
            )
    if rows != set(db.all("SELECT first,last,content FROM occurrence")):
        yield Finding(CATALOG, Message("the list of occurrences does not match the contents"))


def liveness(store: Store) -> Iterator[Finding]:
    db = store.catalog.db
    live = {p for (blob,) in db.all("SELECT passages FROM content WHERE open>0") for p in unpack_ids(blob)}
    marked = {p for (p,) in db.all("SELECT id FROM passage WHERE dead IS NULL")}
    if live != marked:
        yield Finding(
            CATALOG,
            Message("{count} passages are marked findable or not against the versions", {"count": len(live ^ marked)}),
        )


def documents(store: Store) -> Iterator[Finding]:
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
    rows = [
        *db.all(f"SELECT {DOCUMENT_COLUMNS},proof FROM document"),
        *db.all("SELECT document,content,added,proof FROM version"),
    ]
    if wrong := sum(proof(values) != known for *values, known in rows):
        yield Finding(CATALOG, Message("{count} documents or versions are not what was written", {"count": wrong}))
    bad = db.value("SELECT count(*) FROM version WHERE removed IS NOT NULL AND removed<=added")
    if bad:
        yield Finding(CATALOG, Message("{count} versions end before they begin", {"count": bad}))


def commits(store: Store) -> Iterator[Finding]:
    """Every retained commit's state recomputed from the versions."""
    catalog = store.catalog
    value_of = terms(catalog)
    oldest = int(catalog.meta("oldest") or 0)
    events: dict[int, tuple[list[int], list[int]]] = {}
    start: list[int] = []
    for document, content, added, removed in catalog.db.all("SELECT document,content,added,removed FROM version"):
        value = value_of(document, content)
        if added <= oldest:
            start.append(value)
        else:
            events.setdefault(added, ([], []))[0].append(value)
        if removed is not None:
            events.setdefault(removed, ([], []))[1].append(value)
    state = add_terms(bytes(32), start, ())
    for n, stored in catalog.db.all("SELECT n,state FROM log ORDER BY n"):
        if n > oldest:
            state = add_terms(state, *events.pop(n, ([], [])))
        if n >= oldest and stored != state:
            yield Finding(CATALOG, Message("commit {n} does not show what was committed", {"n": n}))
            return
    if events:
        yield Finding(CATALOG, Message("versions name a commit that does not exist ({n})", {"n": min(events)}))


def records(store: Store) -> Iterator[Finding]:
    """Folder records name the documents that stand, and numbers given out are not given out again."""
    db = store.catalog.db
    for table in ("passage", "segment"):
        given = db.value("SELECT seq FROM sqlite_sequence WHERE name=?", (table,)) or 0
        if given < (db.value(f"SELECT max(id) FROM {table}") or 0):
            yield Finding(CATALOG, Message("the next number of {table} is taken", {"table": table}))
    if not store.catalog.meta(UNFINISHED) and (wrong := disagreeing(store.catalog)):
        yield Finding(
            RECORDS, Message("{count} folder records do not name the documents that stand", {"count": len(wrong)})
        )


def added(store: Store) -> Iterator[Finding]:
    """Documents handed in through the API: their text and metadata are what was added."""
    from ..store.passages import Passages
    from . import handmade

    with Passages(store.catalog, store.vectors_folder, store.texts_folder) as passages:
        for key in handmade.damaged(store.catalog, passages):
            yield Finding(
                CATALOG, Message("the document {name}, added in Python, is not what was added", {"name": str(key)})
            )


def terms(catalog: Catalog) -> Callable[[int, int], int]:
    """The number a document showing a content counts in the state of a commit."""
    documents = {
        d: (s, p)
        for d, s, p in catalog.db.all("SELECT d.id,s.name,d.path FROM document d JOIN source s ON s.id=d.source")
    }
    contents = {c: (sha, digest) for c, sha, digest in catalog.db.all("SELECT id,sha,digest FROM content")}
    return lambda document, content: term(*documents[document], *contents[content])
