"""The systems that are kept in step with the index: how they stand, paused, resumed, tried again."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from ..asking import lang_of
from ..document import problems
from ..facts import followers
from ..shapes_state import FollowersShown, OneFollower
from ..site import Site


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1/followers", tags=["followers"])
    one: dict[str, Any] = {"response_model": OneFollower, "responses": problems(404)}

    @routes.get("", operation_id="followers", response_model=FollowersShown)
    def listed(request: Request) -> dict[str, Any]:
        """Each with its state, what it lacks, and the documents that do not get there."""
        return {"followers": followers.listed(site, lang_of(request, site))}

    @routes.get("/{follower}", operation_id="follower", **one)
    def follower(follower: str, request: Request) -> dict[str, Any]:
        """One of them."""
        with followers.opening(site, follower) as found:
            return followers.told(found, lang_of(request, site))

    @routes.post("/{follower}/pause", operation_id="pause", **one)
    def pause(follower: str, request: Request) -> dict[str, Any]:
        """Send nothing until it is resumed; changes wait."""
        return _paused(follower, request, paused=True)

    @routes.post("/{follower}/resume", operation_id="resume", **one)
    def resume(follower: str, request: Request) -> dict[str, Any]:
        """Go on with what waited."""
        return _paused(follower, request, paused=False)

    @routes.post("/{follower}/retry", operation_id="retry", **one)
    def retry(follower: str, request: Request) -> dict[str, Any]:
        """Try again now what failed or was refused there."""
        with followers.opening(site, follower) as found:
            found.ledger.retry(found.name)
            return followers.told(found, lang_of(request, site))

    def _paused(name: str, request: Request, *, paused: bool) -> dict[str, Any]:
        with followers.opening(site, name) as found:
            found.ledger.pause(found.name, paused)
            return followers.told(found, lang_of(request, site))

    return routes
