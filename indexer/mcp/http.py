"""The same over streamable HTTP: one ASGI application for the web service, behind its guard.

Stateless: each request is complete in itself, is answered as JSON, and ends with its connection. So there are
no sessions to keep, to limit or to lose, and nothing for a stream to push: GET and DELETE are refused, as the
protocol allows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from anyio import Event, create_task_group, to_thread
from starlette.requests import Request
from starlette.routing import Route

from ..core.model import Message
from ..web.asking import lang_of
from ..web.guard import logged
from ..web.problems import NotFound, Problem
from .desk import Call

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from mcp.server import Server

    from ..api import KnowledgeBase
    from ..web.site import Site

PATH = "/mcp"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class SiteDesk:
    """The web service's knowledge base, for clients that see nothing of this machine."""

    def __init__(self, site: Site) -> None:
        self._site = site

    @property
    def kb(self) -> KnowledgeBase:
        """The one of the newest configuration."""
        return self._site.kb

    def now_ns(self) -> int:
        """The wall time."""
        return self._site.now_ns()

    def reading(self) -> AbstractContextManager[KnowledgeBase]:
        """One of the web service's readers."""
        return self._site.reading()

    def call(self, request: Request, stop: Callable[[], bool]) -> Call:
        """In the language of Accept-Language; the Web UI is where the request went to."""
        scheme = "https" if request.state.who.secure else "http"
        return Call(lang_of(request, self._site), f"{scheme}://{request.headers['host']}", stop)

    def said(self, error: Exception, tool: str) -> Message:
        """As over HTTP everywhere: no paths, and what is internal under an id in the log."""
        return logged(self._site, error, tool, PATH).message


class Endpoint:
    """The application. The SDK is loaded by the first request."""

    path = PATH

    def __init__(self, site: Site) -> None:
        self._site = site
        self._server: Server[Any] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; raises Problem."""
        scope["route"] = self  # under whose ``path`` the guard counts it
        if not self._site.settings.serve.mcp:
            raise NotFound(
                Message("MCP is switched off here: mcp = true below [serve] in indexer.toml switches it on.")
            )
        if scope["method"] != "POST":
            raise Problem(405, "method", Message("This address does not take that method."), headers={"Allow": "POST"})
        body = await _body(receive)
        server = await to_thread.run_sync(self._build) if self._server is None else self._server
        await _until_gone(server, body, scope, receive, send)

    def _build(self) -> Server[Any]:
        from .server import build

        self._server = server = build(SiteDesk(self._site))
        return server


async def _body(receive: Receive) -> bytes:
    """The whole body; the guard counts and times it."""
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def _until_gone(server: Server[Any], body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer, unless the client goes away first: then its call ends."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    gone, given = Event(), [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> MutableMapping[str, Any]:
        if given:
            return given.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)  # lives as long as the request
    async with create_task_group() as tasks:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        async with manager.run():
            await manager.handle_request(scope, replay, send)
        tasks.cancel_scope.cancel()


def route(site: Site) -> Route:
    """The route of the web service's application."""
    return Route(PATH, endpoint=Endpoint(site), include_in_schema=False)
