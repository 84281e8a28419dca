"""`search`: the best passages for a query, of a bounded size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import names
from ..api import KnowledgeBase
from ..core.model import Filters, Key, display
from ..core.model import Hit as HitOfSearch
from ..docid import docid
from . import asked, shown
from .desk import Call, Desk, indexed
from .plain import plain

MOST = 60_000
"""Characters of all passages together."""


def search(desk: Desk, given: asked.Search, call: Call) -> shown.Found:
    """The passages, best first; raises UsageError."""
    with desk.reading() as kb:
        indexed(kb)
        mode = kb.settings.search.mode if given.mode == "configured" else given.mode
        found = kb.search(given.query, given.k, as_of=given.as_of, mode=mode, filters=filters(given))
        commit = found[0].commit if found else commit_of(kb, given.as_of)
    kept = list(_fitting(found))
    hits = [shown.Hit(**place(hit, call.base), score=round(float(hit.score), 4), found_by=list(hit.found_by)) for hit in kept]  # fmt: skip
    return shown.Found(commit=commit, mode=mode, hits=hits, left_off=len(found) - len(kept))


def filters(given: asked.Where) -> Filters:
    """The restrictions as the search takes them."""
    return Filters(given.inside, given.source, tuple(given.type), given.after, given.before, given.label)


def commit_of(kb: KnowledgeBase, as_of: str) -> int:
    """The commit in which nothing was found."""
    with kb.lock:
        reader = kb.reader()
        return reader.commit_of(as_of) if as_of else reader.catalog.head()


def _fitting(found: Iterable[HitOfSearch]) -> Iterable[HitOfSearch]:
    size = 0
    for n, hit in enumerate(found):
        size += len(hit.text)
        if n and size > MOST:
            return
        yield hit


def place(hit: HitOfSearch, base: str) -> dict[str, Any]:
    """Where a passage stands, and what it says."""
    document = docid(hit.key)
    return {
        "document": document, "source": display(hit.key.source), "path": display(hit.key.path), "title": plain(hit.title),
        "label": plain(hit.label), "headings": [plain(h) for h in hit.headings], "page": hit.page, "place": plain(hit.place),
        "start": hit.start, "end": hit.end, "sha256": hit.sha256, "citation": plain(names.citation(hit)),
        "url": link(base, hit.key, hit.commit, hit.start, hit.end), "text": plain(hit.text),
    }  # fmt: skip


def link(base: str, key: Key, commit: int, start: int, end: int) -> str:
    """The page of the Web UI that shows a stretch highlighted; "" where none is served."""
    return f"{base}/documents/{docid(key)}?commit={commit}&start={start}&end={end}" if base else ""
