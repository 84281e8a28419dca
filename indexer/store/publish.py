"""The commit: everything a batch changed becomes visible in one SQLite transaction.

Two outcomes only. Before COMMIT returns nothing old was touched: new segment files are
complete but unnamed, and the next run sweeps them. After it, all that the commit names is
durable. There is no third.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from . import audit, recover
from .batch import Batch, Settled
from .catalog import (
    DOCUMENT_COLUMNS,
    Catalog,
    DocumentRow,
    pack_ids,
    squeeze,
    unpack_ids,
)
from .digests import add_terms, content_digest, proof, term
from .schema import HOLDS, ranges

if TYPE_CHECKING:
    from .db import Db


class _Visible:
    """Which contents gained or lost documents in this commit."""

    def __init__(self) -> None:
        self.plus: list[int] = []
        self.minus: list[int] = []
        self.opened: dict[int, int] = {}
        self.versions: list[tuple[int, int]] = []
        self.ended: list[int] = []
        self.documents: list[audit.Document] = []

    def turn(self, doc: int, before: int | None, after: int | None, terms: Sequence[int]) -> None:
        """Note that a document's content changed; ``terms`` belong to before and after."""
        if before is not None:
            self.ended.append(doc)
            self.opened[before] = self.opened.get(before, 0) - 1
            self.minus.append(terms[0])
        if after is not None:
            self.versions.append((doc, after))
            self.opened[after] = self.opened.get(after, 0) + 1
            self.plus.append(terms[1])


def write_batch(catalog: Catalog, batch: Batch, new_ids: Mapping[bytes, int], segment: Sequence[object] | None) -> int:
    """Apply a batch inside the caller's transaction; returns the commit number in force."""
    db = catalog.db
    if segment is not None:
        db.run(
            "INSERT INTO segment(id,first,last,count,vectors_sha,texts_sha,vectors_stamp,texts_stamp) VALUES(?,?,?,?,?,?,?,?)",
            segment,
        )
    db.run_many("INSERT INTO passage(id,key) VALUES(?,?)", ((i, k) for k, i in new_ids.items()))
    reused = _insert_contents(catalog, batch, new_ids)
    visible = _settle(catalog, batch)
    n = _log(catalog, batch, visible)
    _liveness(catalog, visible, reused, n)
    _folders(catalog, batch)
    if batch.unfinished is not None:
        recover.mark(catalog, batch.unfinished)
    return n


def _insert_contents(catalog: Catalog, batch: Batch, new_ids: Mapping[bytes, int]) -> list[int]:
    """Insert the drafts; returns ids of older passages they use again."""
    db = catalog.db
    keys = list({k for d in batch.drafts.values() for k in d.keys if k not in new_ids})
    ids = {**catalog.passages(keys), **new_ids}
    at = (db.value("SELECT max(id) FROM content") or 0) + 1
    rows: list[tuple[object, ...]] = []
    occurrences: list[tuple[int, int, int]] = []
    for content, d in enumerate(batch.drafts.values(), at):
        own = [ids[k] for k in d.keys]
        digest = content_digest(d.sha, d.state, (d.notes, d.title, d.details), d.spans, d.keys)
        rows.append((content, d.sha, d.state, d.notes, d.title, d.details, d.spans, pack_ids(own), digest))
        occurrences += [(first, last, content) for first, last in ranges(own)]
    db.run_many(
        "INSERT INTO content(id,sha,state,notes,title,details,spans,passages,digest,open) VALUES(?,?,?,?,?,?,?,?,?,0)",
        rows,
    )
    db.run_many("INSERT INTO occurrence VALUES(?,?,?)", sorted(occurrences))
    return [ids[k] for k in keys]


def _settle(catalog: Catalog, batch: Batch) -> _Visible:
    db = catalog.db
    names = {i: name for name, i in catalog.source_ids().items()}
    old = {
        s: catalog.documents(s, [x.path for x in batch.settled if x.source == s])
        for s in {x.source for x in batch.settled}
    }
    facts = _Facts(catalog, batch.settled, [r.content for rows in old.values() for r in rows.values() if r.content])
    fresh = itertools.count((db.value("SELECT max(id) FROM document") or 0) + 1)
    visible = _Visible()
    rows = []
    for x in batch.settled:
        row = old[x.source].get(x.path)
        before = row.content if row else None
        after = before if x.keep else facts.ids[x.content] if x.content else None
        doc = row.id if row else next(fresh)
        rows.append(
            (
                doc,
                x.source,
                x.path,
                x.sha,
                x.state,
                after,
                x.notes,
                x.tries,
                x.retry_at,
                x.denied,
                x.held,
                x.pinned,
                x.metadata,
            )
        )
        if before != after:
            proofs = [facts.proof[c] if c else None for c in (before, after)]
            visible.turn(doc, before, after, [term(names[x.source], x.path, *p) if p else 0 for p in proofs])
            shas = [p[0] if p else None for p in proofs]
            visible.documents.append(audit.shown_document(names[x.source], x.path, shas[0], shas[1]))
    put_documents(db, rows)
    return visible


class _Facts:
    """Id, hash and digest of every content a batch speaks of."""

    def __init__(self, catalog: Catalog, settled: Sequence[Settled], ids: Sequence[int]) -> None:
        shas = {x.content for x in settled if x.content}
        rows = catalog.db.among("SELECT sha,id,digest FROM content WHERE sha IN ({})", list(shas))
        rows += catalog.db.among("SELECT sha,id,digest FROM content WHERE id IN ({})", list(set(ids)))
        self.ids: dict[bytes, int] = {sha: i for sha, i, _ in rows}
        self.proof: dict[int, tuple[bytes, bytes]] = {i: (sha, digest) for sha, i, digest in rows}


def _log(catalog: Catalog, batch: Batch, visible: _Visible) -> int:
    """Write versions, the commit and its audit entry; a batch that changes no version makes no commit."""
    db = catalog.db
    head = catalog.head()
    if not visible.ended and not visible.versions:
        return head
    last = db.value("SELECT state FROM log WHERE n=?", (head,)) or bytes(32)
    state = add_terms(last, visible.plus, visible.minus)
    counts = len(visible.versions), len(visible.ended)
    n = audit.write_commit(catalog, batch, audit.Made(counts, state, visible.documents))
    db.run_among("UPDATE version SET removed=? WHERE removed IS NULL AND document IN ({})", visible.ended, (n,))
    db.run_many(
        "INSERT INTO version(document,content,added,proof) VALUES(?,?,?,?)",
        ((d, c, n, proof((d, c, n))) for d, c in visible.versions),
    )
    db.run_many("UPDATE content SET open=open+? WHERE id=?", ((by, c) for c, by in visible.opened.items() if by))
    return n


def _liveness(catalog: Catalog, visible: _Visible, reused: list[int], n: int) -> None:
    """Mark passages that no visible content holds any more, and those that came back."""
    db = catalog.db
    rows = db.among("SELECT passages,open FROM content WHERE id IN ({})", [c for c, by in visible.opened.items() if by])
    lost = {p for blob, open_ in rows if open_ == 0 for p in unpack_ids(blob)}
    gained = (
        {p for blob, open_ in rows if open_ > 0 for p in unpack_ids(blob)}
        if (lost or reused or _any_dead(catalog))
        else set()
    )
    holds = HOLDS.format(passage="passage.id")
    used = f"EXISTS(SELECT 1 FROM occurrence o JOIN content c ON c.id=o.content WHERE {holds} AND c.open>0)"
    db.run_among(f"UPDATE passage SET dead=? WHERE dead IS NULL AND NOT {used} AND id IN ({{}})", sorted(lost), (n,))
    back = [
        p
        for (p,) in db.among(
            "SELECT id FROM passage WHERE dead IS NOT NULL AND id IN ({})", sorted(gained | set(reused))
        )
    ]
    back = [p for (p,) in db.among(f"SELECT id FROM passage WHERE id IN ({{}}) AND {used}", back)]
    db.run_among("UPDATE passage SET dead=NULL WHERE id IN ({})", back)
    db.run_many("INSERT OR IGNORE INTO revival VALUES(?,?)", ((n, p) for p in back))


def _any_dead(catalog: Catalog) -> bool:
    return catalog.db.value("SELECT 1 FROM passage WHERE dead IS NOT NULL LIMIT 1") is not None


def _folders(catalog: Catalog, batch: Batch) -> None:
    def phase(path: bytes) -> int:
        """Scrubs of new folders spread over the period instead of falling on one day."""
        return int.from_bytes(sha256(path).digest()[:6], "big") * 1000 % max(batch.scrub_ns, 1)

    db = catalog.db
    if db.value("SELECT 1 FROM attempt LIMIT 1") is not None:
        db.run_many("DELETE FROM attempt WHERE source=? AND path=?", ((x.source, x.path) for x in batch.settled))
    db.run_many(
        "DELETE FROM folder WHERE source=? AND path=?", ((s, p) for s, p, blob in batch.folders if blob is None)
    )
    db.run_many(
        "INSERT INTO folder(source,path,files,scrubbed) VALUES(?,?,?,?) "
        "ON CONFLICT(source,path) DO UPDATE SET files=excluded.files",
        ((s, p, squeeze(blob), batch.at - phase(p)) for s, p, blob in batch.folders if blob is not None),
    )
    db.run_many("UPDATE folder SET scrubbed=? WHERE source=? AND path=?", ((batch.at, s, p) for s, p in batch.scrubbed))


def put_documents(db: Db, rows: Iterable[tuple[object, ...]]) -> None:
    """Write document rows (values in the order of DOCUMENT_COLUMNS), each with its proof."""
    marks = ",".join("?" * (len(DocumentRow._fields) + 1))
    sql = f"INSERT OR REPLACE INTO document({DOCUMENT_COLUMNS},proof) VALUES({marks})"
    db.run_many(sql, ((*row, proof(row)) for row in rows))
