"""Server-sent events: how one is written, and what keeps a silent stream open."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi.responses import StreamingResponse

KEEP_ALIVE = b": \n\n"
"""A comment: proxies close what is silent for long."""

EVENT = {
    "type": "object",
    "required": ["data"],
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")} | {"retry": {"type": "integer"}},
}
CONTENT = {"text/event-stream": {"schema": EVENT}}
"""One event, as the OpenAPI document shows a stream."""

SILENCE = 15.0
"""Seconds without an event after which one is sent."""


def encoded(kind: str, facts: Mapping[str, Any], name: str = "") -> bytes:
    """One event; ``name`` is its id."""
    data = json.dumps(facts, ensure_ascii=True, default=str)
    return (f"id: {name}\n" if name else "").encode() + f"event: {kind}\ndata: {data}\n\n".encode()


def response(stream: AsyncIterator[bytes]) -> StreamingResponse:
    """A stream that nothing on the way collects first."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


def described(what: str) -> dict[int | str, dict[str, Any]]:
    """``responses=`` of a route that streams."""
    return {200: {"description": what, "content": CONTENT}}
