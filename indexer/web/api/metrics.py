"""The daemon's metrics for Prometheus, behind the keys of the web service."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from ...core.model import Message
from ..problems import NotFound
from ..site import Site

_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["status"])

    def metrics(request: Request) -> Response:
        """Metrics as text, or OpenMetrics where that is asked for."""
        if site.scrape is None:
            raise NotFound(Message("There is nothing at this address."))
        body, content_type = site.scrape(request.headers.get("accept", ""))
        return Response(body, headers={"content-type": content_type})

    for path, name in (("/metrics", "metrics"), ("/api/v1/metrics", "metrics_api")):
        routes.add_api_route(path, metrics, operation_id=name, response_class=Response, responses={**_TEXT, 404: {"description": "problem"}})  # fmt: skip
    return routes
