"""Updates: ask for one, see how it stands, which there were."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from ...core.model import Ask, Message
from ...i18n import translate
from ..asking import asked_by, key_in, lang_of
from ..document import problems
from ..facts import commits, plain
from ..problems import NotFound
from ..shapes import Requested, RequestShown, RunAsked, Runs, RunShown
from ..site import Site


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1", tags=["runs"])

    @routes.post("/runs", operation_id="start_run", status_code=202, response_model=Requested, responses=problems(404))
    def start(asked: RunAsked, request: Request) -> dict[str, str]:
        """Update now: everything, or single documents before everything else."""
        keys = tuple(key_in(document) for document in asked.documents)
        ask = Ask("web", keys, urgent=bool(keys), verify_content=asked.verify_content)
        return {"request": site.requests.add(site.ask(asked_by(request, ask)))}

    @routes.get("/requests/{request_id}", operation_id="request", response_model=RequestShown)
    def request_(request_id: Annotated[str, Path(max_length=100)], request: Request) -> dict[str, Any]:
        """How a request stands."""
        told = site.requests.told(request_id)
        if told is None:
            raise NotFound(Message("There is no request {name} of this service since its start.", {"name": request_id}))
        error = told["error"]
        return {**told, "error": plain(translate(error, lang_of(request, site))) if error else None}

    @routes.get("/runs", operation_id="runs", response_model=Runs)
    def runs(
        request: Request,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        before: Annotated[int | None, Query(ge=0, le=2**53, description="`next` of the page before")] = None,
    ) -> dict[str, Any]:
        """The runs that ended, newest first."""
        if site.kb.layout.served() is None:
            return {"runs": [], "next": None}
        with site.catalog() as catalog:
            return commits.runs(catalog, limit, before, lang_of(request, site))

    @routes.get("/runs/{run}", operation_id="run", response_model=RunShown)
    def run(run: Annotated[int, Path(ge=0, le=2**53)], request: Request) -> dict[str, Any]:
        """One run."""
        with site.catalog() as catalog:
            return commits.run(catalog, run, lang_of(request, site))

    return routes
