"""Searching: the same by address (GET) and as JSON (POST)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from ...core.model import Filters
from ..facts import hits
from ..shapes import Found, Mode, SearchAsked, Short, Where
from ..site import Site


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1", tags=["search"])

    @routes.get("/search", operation_id="search")
    def search(
        q: Annotated[str, Query(min_length=1, max_length=4000, description="what is looked for, in words", examples=["annual leave"])],
        k: Annotated[int, Query(ge=1, le=100, description="how many passages")] = 10,
        mode: Annotated[Mode | None, Query(description="default: as configured")] = None,
        inside: Annotated[Short, Query(alias="in", description="a glob or folder over source/path", examples=["hr/"])] = "",
        source: Annotated[Short, Query(description="the name of a source")] = "",
        type: Annotated[list[Annotated[str, Query(max_length=20)]], Query(max_length=50, description='suffixes such as ".pdf"')] = [],  # noqa: B006 - FastAPI copies it
        after: Annotated[Short, Query(description="ISO time: became visible then or later")] = "",
        before: Annotated[Short, Query(description="ISO time: became visible before")] = "",
        label: Annotated[Short, Query(description="the document's own version label")] = "",
        as_of: Annotated[Short, Query(description="a commit number or an ISO time")] = "",
        per_document: Annotated[int, Query(ge=0, le=100, description="passages of one document that come first")] = 0,
    ) -> Found:  # fmt: skip
        """The best passages for a question in words."""
        given = {
            "as_of": as_of,
            "in": inside,
            "source": source,
            "type": type,
            "after": after,
            "before": before,
            "label": label,
        }
        asked = SearchAsked(q=q, k=k, mode=mode, per_document=per_document, **given)  # type: ignore[arg-type]
        return Found.model_validate(found(site, asked))

    @routes.post("/search", operation_id="search_by_json")
    def search_by_json(asked: SearchAsked) -> Found:
        """As GET, with the fields as JSON."""
        return Found.model_validate(found(site, asked))

    return routes


def filters_of(where: Where) -> Filters:
    """The filters of a question."""
    types = tuple(suffix for given in where.type for suffix in given.split(",") if suffix)
    return Filters(where.inside, where.source, types, where.after, where.before, where.label)


def found(site: Site, asked: SearchAsked) -> dict[str, Any]:
    """The answer to a search; nothing before the first update."""
    with site.reading() as kb:
        mode = asked.mode or kb.settings.search.mode
        got = kb.search(
            asked.q, asked.k, as_of=asked.as_of, mode=mode, filters=filters_of(asked), per_document=asked.per_document
        )
        commit = got[0].commit if got else _commit(kb, asked.as_of)
    return {"query": asked.q, "commit": commit, "mode": mode, "hits": [hits.told(hit) for hit in got]}


def _commit(kb: Any, as_of: str) -> int:
    """The commit in which nothing was found."""
    if kb.layout.served() is None:
        return 0
    with kb.lock:
        reader = kb.reader()
        return int(reader.commit_of(as_of) if as_of else reader.commit)
