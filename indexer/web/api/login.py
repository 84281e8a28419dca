"""Logging in with a browser: a key becomes a cookie that pages cannot read and other sites cannot send."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from ...core.model import Message
from .. import sessions
from ..asking import who
from ..document import problems
from ..problems import Problem
from ..shapes import Shape, shown
from ..site import Site


class Login(Shape):
    """A key, as `indexer key add` showed it."""

    model_config = shown({"key": "idx_…"})
    key: Annotated[str, Field(max_length=500)]


class LoggedIn(Shape):
    """Who one is now."""

    model_config = shown({"name": "li.na", "scope": "write"})
    name: str
    scope: str


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["login"])

    @routes.post("/login", operation_id="login", response_model=LoggedIn, responses=problems(401))
    def login(asked: Login, request: Request, response: Response) -> dict[str, str]:
        """Log in with a key: the answer sets a cookie."""
        entry = site.keys.check(asked.key)
        if entry is None:
            raise Problem(401, "key", Message("This key is not known."), headers={"WWW-Authenticate": "Bearer"})
        hours = site.settings.serve.session_hours
        response.set_cookie(
            sessions.COOKIE, sessions.begin(entry, site.now_ns() / 1e9, hours), max_age=int(hours * 3600), httponly=True,
            samesite="strict", secure=who(request).secure, path="/",
        )  # fmt: skip
        return {"name": entry.name, "scope": entry.scope}

    @routes.post("/logout", operation_id="logout", status_code=204)
    def logout(request: Request) -> Response:
        """Log out: the cookie is worth nothing from now on."""
        cookie, now = request.cookies.get(sessions.COOKIE, ""), site.now_ns() / 1e9
        if sessions.whose(cookie, site.keys, now, site.ended) is not None:
            sessions.end(cookie, now, site.ended)
        gone = Response(status_code=204)
        gone.delete_cookie(sessions.COOKIE, path="/", httponly=True, samesite="strict")
        return gone

    return routes
