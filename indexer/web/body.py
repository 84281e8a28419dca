"""The body of a request while it comes in: not larger than allowed, not slower than anybody's line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException

from ..core.model import Message
from .problems import Problem

SILENCE = 30.0
"""Seconds between two pieces of a body."""

_LARGE = "The request is too large: {limit} MB at most."


class TooLarge(HTTPException):
    """More came than the route takes. (Of Starlette's own kind, so that whoever reads the body lets it pass.)"""

    def __init__(self, limit: int) -> None:
        super().__init__(413)
        self.problem = Problem(413, "too_large", Message(_LARGE, {"limit": max(1, limit // 2**20)}))  # fmt: skip


class TooSlow(HTTPException):
    """Nothing came for a long time."""

    def __init__(self) -> None:
        super().__init__(408)
        self.problem = Problem(408, "too_slow", Message("The request did not arrive in time."))


class Body:
    """The server's ``receive``, counted and timed; what is over the limit is never handed on."""

    def __init__(self, receive: Callable[[], Awaitable[MutableMapping[str, Any]]], limit: int) -> None:
        self._receive, self._limit, self._got, self._over = receive, limit, 0, False

    async def __call__(self) -> MutableMapping[str, Any]:
        """The next piece, or that the client has gone."""
        if self._over:  # the body is complete: what comes now is the end of the connection, whenever that is
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), SILENCE)
        except TimeoutError:
            raise TooSlow() from None
        self._got += len(message.get("body", b""))
        if self._got > self._limit:
            raise TooLarge(self._limit)
        self._over = message["type"] != "http.request" or not message.get("more_body", False)
        return message
