"""What was: commits, their differences, going back, snapshots."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from ...core.model import Ask
from .. import rollbacks
from ..asking import asked_by, who
from ..facts import commits as facts
from ..shapes import Requested, Short
from ..shapes_state import Commits, Diff, OneCommit, RollbackAsked, RolledBack, Snapshots
from ..site import Site

Number = Annotated[int, Path(ge=0, le=2**53, examples=[42])]


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1", tags=["history"])

    @routes.get("/commits", operation_id="commits", response_model=Commits)
    def commits(
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        before: Annotated[int | None, Query(ge=0, le=2**53, description="`next` of the page before")] = None,
    ) -> dict[str, Any]:
        """The commits, newest first."""
        if site.kb.layout.served() is None:
            return {"commits": [], "next": None}
        with site.catalog() as catalog:
            return facts.commits(catalog, limit, before)

    @routes.get("/commits/{commit}", operation_id="commit", response_model=OneCommit)
    def commit(commit: Number) -> dict[str, Any]:
        """One commit, and what it changed."""
        with site.catalog() as catalog:
            return facts.commit(catalog, commit)

    @routes.get("/diff", operation_id="diff", response_model=Diff)
    def diff(
        old: Annotated[Short, Query(alias="from", min_length=1, description="a commit or a time", examples=["1"])],
        new: Annotated[Short, Query(alias="to", description="a commit or a time; default: the newest")] = "",
    ) -> dict[str, Any]:
        """Which documents differ between two commits."""
        with site.reading() as kb:
            return facts.diff(kb, old, new)

    @routes.post("/rollback", operation_id="rollback", response_model=RolledBack)
    def rollback(asked: RollbackAsked, request: Request) -> dict[str, Any]:
        """Show again what a commit showed, as a new commit; the folders stay as they are."""
        if asked.preview:
            with site.catalog() as catalog:
                return rollbacks.preview(catalog, asked.commit)
        return rollbacks.go_back(site, asked.commit, who(request))

    @routes.post("/rollback/release", operation_id="unpin", status_code=202, response_model=Requested)
    def unpin(request: Request) -> dict[str, str]:
        """End a rollback: the documents it pinned are brought to what lies in the folders, by an update that is asked for."""
        rollbacks.release(site, who(request))
        return {"request": site.requests.add(site.ask(asked_by(request, Ask("web"))))}

    @routes.get("/snapshots", operation_id="snapshots", response_model=Snapshots)
    def snapshots() -> dict[str, Any]:
        """The commits kept restorable."""
        return facts.listed_snapshots(site.kb)

    return routes
