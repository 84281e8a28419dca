"""What happens, as it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from .. import sse
from ..hub import Listener
from ..site import Site

_WHAT = (
    "Events `queue`, `begin`, `run`, `progress`, `commit`, `end`, each with `at` (ISO time) and its facts as JSON. After a "
    "reconnection send `Last-Event-ID`: what was missed comes first, as far as it is kept."
)


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1", tags=["runs"])

    @routes.get("/events", operation_id="events", response_class=StreamingResponse, responses=sse.described(_WHAT))
    async def events(last: Annotated[str, Header(alias="last-event-id", max_length=100)] = "") -> StreamingResponse:
        """Live events of the service as server-sent events."""
        return sse.response(_stream(site.events.listen(last)))

    return routes


async def _stream(listener: Listener) -> AsyncIterator[bytes]:
    yield b"retry: 3000\n\n"
    async for event in listener.events(sse.SILENCE):
        yield sse.KEEP_ALIVE if event is None else sse.encoded(event.kind, event.facts, event.id)
