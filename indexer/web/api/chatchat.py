"""Langchain-Chatchat's search call, for front ends and scripts that were written for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from ...core.model import Filters
from ..facts import hits
from ..shapes import Int, Real
from ..site import Site

_EXAMPLE: dict[str, Any] = {
    "query": "年假有几天？",
    "knowledge_base_name": "samples",
    "top_k": 3,
    "score_threshold": 2.0,
}


class ChatchatAsked(BaseModel):
    """Its fields. There is one knowledge base: a name that is a source's means that source, any other means all."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"examples": [_EXAMPLE]})
    query: Annotated[str, Field(max_length=4000)] = ""
    knowledge_base_name: Annotated[str, Field(max_length=1000)] = ""
    top_k: Int = Field(3, ge=1, le=100)
    score_threshold: Real = Field(2.0, ge=0.0, le=2.0, description="1 - cosine at most; 2: no threshold")
    file_name: Annotated[str, Field(max_length=1000)] = Field("", description="path in its source; % and _ as in SQL")
    metadata: dict[str, Any] = Field({}, max_length=20)


class ChatchatFound(BaseModel):
    """One passage; of `score` a smaller one is closer."""

    page_content: str
    metadata: dict[str, Any]
    type: str = "Document"
    id: str
    score: float


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["Langchain-Chatchat"])

    @routes.post("/knowledge_base/search_docs", operation_id="search_docs", response_model=list[ChatchatFound])
    def search_docs(asked: ChatchatAsked) -> list[dict[str, Any]]:
        """The passages closest in meaning; nothing for an empty query."""
        if not asked.query.strip():
            return []
        sources = {s.name for s in site.settings.sources}
        source = asked.knowledge_base_name if asked.knowledge_base_name in sources else ""
        filters = Filters(inside=_glob(asked.file_name), source=source)
        wanted = asked.top_k * (4 if asked.metadata else 1)
        found = [_told(hits.told(hit)) for hit in site.kb.search(asked.query, wanted, mode="vector", filters=filters)]
        near = [one for one in found if one["score"] <= asked.score_threshold and _has(one["metadata"], asked.metadata)]
        return near[: asked.top_k]

    return routes


def _glob(like: str) -> str:
    """A pattern of SQL's LIKE as a glob."""
    return "".join({"%": "*", "_": "?"}.get(c, f"[{c}]" if c in "*?[" else c) for c in like)


def _told(hit: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("title", "label", "page", "start", "end", "commit", "sha256", "citation", "url")
    metadata = {"source": hit["path"], "knowledge_base": hit["source"], **{name: hit[name] for name in kept}}
    return {
        "page_content": hit["text"], "metadata": metadata, "id": f"{hit['document']}#{hit['start']}",
        "score": round(1.0 - hit["score"], 6),
    }  # fmt: skip


def _has(metadata: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(metadata.get(name) == value for name, value in wanted.items())
