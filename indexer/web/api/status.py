"""How the index stands: what `indexer status --json` tells."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from ..asking import lang_of
from ..facts.status import told
from ..shapes_state import Status
from ..site import Site


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1", tags=["status"])

    @routes.get("/status", operation_id="status", response_model=Status)
    def status(request: Request) -> dict[str, Any]:
        """Is it fresh, what runs, what waits, what needs a person."""
        return told(site.kb.settings, site.now_ns(), lang_of(request, site))

    return routes
