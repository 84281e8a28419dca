"""One module per resource; each has ``router(site)``. What they tell comes from :mod:`indexer.web.facts`."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter

from ..site import Site
from . import (
    ask,
    chatchat,
    documents,
    events,
    files,
    followers,
    health,
    held,
    history,
    login,
    metrics,
    openai,
    runs,
    search,
    status,
)

ROUTERS: tuple[Callable[[Site], APIRouter], ...] = (
    search.router, ask.router, documents.router, files.router, runs.router, events.router, history.router, held.router,
    status.router, followers.router, metrics.router, health.router, login.router, chatchat.router, openai.router,
)  # fmt: skip
"""In the order of the OpenAPI document."""
