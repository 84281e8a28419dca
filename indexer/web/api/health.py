"""Is it alive, is it ready: for load balancers and containers; without a key."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ...core.errors import IndexerError
from ..shapes import Alive
from ..site import Site


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1/health", tags=["health"])

    @routes.get("/live", operation_id="live")
    async def live() -> Alive:
        """The process answers."""
        return Alive(status="ok")

    @routes.get("/ready", operation_id="ready", responses={503: {"model": Alive}})
    def ready(response: Response) -> Alive:
        """The index can be read (or there is none yet)."""
        try:
            if (catalog := site.kb.catalog()) is not None:
                catalog.close()
        except IndexerError:
            response.status_code = 503
            return Alive(status="unready")
        return Alive(status="ok")

    return routes
