"""The documents: lists and single ones."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from ..facts import documents as facts
from ..shapes import Short
from ..shapes_documents import Documents, StateName
from ..site import Site


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1/documents", tags=["documents"])

    @routes.get("", operation_id="documents", response_model=Documents)
    def documents(
        request: Request,
        state: Annotated[StateName | None, Query(description="only documents in this state")] = None,
        inside: Annotated[Short, Query(alias="in", description="a glob or folder over source/path")] = "",
        q: Annotated[Short, Query(description="part of the name")] = "",
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        cursor: Annotated[str, Query(max_length=12_000, description="`next` of the page before")] = "",
    ) -> dict[str, Any]:
        """Documents in the order of their names."""
        from ..app import lang_of

        wanted = facts.Wanted(state or "", inside, q, limit, cursor)
        if site.kb.layout.served() is None:
            return {"documents": [], "total": 0, "next": None}
        with site.catalog() as catalog:
            return facts.listed(catalog, wanted, lang_of(request, site))

    return routes
