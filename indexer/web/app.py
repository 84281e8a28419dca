"""The application: the guard around FastAPI, the routes, and how errors are answered."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from .. import __version__
from ..core.errors import IndexerError
from ..core.model import Message
from ..mcp import http as mcp
from .api import ROUTERS
from .asking import lang_of
from .body import TooLarge, TooSlow
from .document import described
from .guard import Guard, logged
from .problems import Problem, encoded
from .scopes import for_people
from .site import Site


def create_app(site: Site, port: int = 0) -> Guard:
    """The ASGI application; ``port`` is the one it is served on, which ``Host`` may name."""
    app = FastAPI(
        title="indexer", version=__version__, openapi_url="/api/v1/openapi.json", docs_url=None, redoc_url=None,
        redirect_slashes=False,
    )  # fmt: skip
    for router in ROUTERS:
        app.include_router(router(site))
    app.router.routes.append(mcp.route(site))
    _pages(app, site)
    _errors(app, site)
    described(app)
    return Guard(app, site, port)


def _pages(app: FastAPI, site: Site) -> None:
    """The Web UI."""
    from .ui import pages

    app.include_router(pages.router(site), include_in_schema=False)


def _errors(app: FastAPI, site: Site) -> None:
    """Every error as a problem in the language of who asks."""

    def answer(request: Request, problem: Problem) -> Response:
        if for_people(request.url.path, request.headers.get("accept", "")):
            from .ui.pages import error_page

            return error_page(request, problem, site.lang)
        data, kind = encoded(problem, lang_of(request, site), request.url.path)
        return Response(data, problem.status, {"content-type": kind, **problem.headers})

    async def ours(request: Request, error: Exception) -> Response:
        return answer(request, logged(site, error, request.method, request.url.path))

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - that is what it is registered for
        return answer(request, _of_starlette(error))

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - that is what it is registered for
        return answer(request, Problem(422, "invalid", _invalid(error)))

    app.add_exception_handler(Problem, ours)
    app.add_exception_handler(IndexerError, ours)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, ours)


def _of_starlette(error: HTTPException) -> Problem:
    if isinstance(error, (TooLarge, TooSlow)):
        return error.problem
    said = _SAID.get(error.status_code, Message(HTTPStatus(error.status_code).phrase))
    return Problem(error.status_code, _CODES.get(error.status_code, "http"), said, headers=dict(error.headers or {}))


_SAID: Mapping[int, Message] = {
    400: Message("The request cannot be read."),
    404: Message("There is nothing at this address."),
    405: Message("This address does not take that method."),
}
_CODES = {400: "unreadable", 404: "not_found", 405: "method"}


def _invalid(error: RequestValidationError) -> Message:
    """The first thing that is wrong, and how many more."""
    problems: list[Any] = list(error.errors())
    first = problems[0] if problems else {"loc": ("body",), "msg": ""}
    where = ".".join(str(part) for part in first["loc"] if part not in ("query", "body", "path")) or str(
        first["loc"][0]
    )
    more = Message(" ({count} more)", {"count": len(problems) - 1}) if len(problems) > 1 else ""
    return Message("{where}: {why}{more}", {"where": where[:200], "why": str(first["msg"])[:300], "more": more})
