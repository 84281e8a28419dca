"""Deletions that wait for a confirmation: shown, and released exactly as they were shown."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request

from ...core.model import Ask, Key, Message, raw, unraw
from ..asking import asked_by, lang_of
from ..document import problems
from ..facts import documents
from ..problems import Conflict
from ..shapes import Requested
from ..shapes_state import Held, ReleaseAsked
from ..site import Site

if TYPE_CHECKING:
    from ...store.catalog import Catalog

_HELD = "SELECT d.id,s.name,d.path FROM document d JOIN source s ON s.id=d.source WHERE d.held IS NOT NULL ORDER BY s.name,d.path"


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1/held", tags=["held deletions"])

    @routes.get("", operation_id="held", response_model=Held)
    def held(request: Request) -> dict[str, Any]:
        """The documents that are gone from their folder and still found."""
        if site.kb.layout.served() is None:
            return {"token": token_of([]), "documents": []}
        with site.catalog() as catalog:
            rows = catalog.db.all(_HELD)
            told = documents.details(catalog, [row[0] for row in rows], lang_of(request, site))
        return {"token": token_of([Key(row[1], unraw(row[2])) for row in rows]), "documents": told}

    @routes.post("/release", operation_id="release", status_code=202, response_model=Requested, responses=problems(409))
    def release(asked: ReleaseAsked, request: Request) -> dict[str, str]:
        """Delete exactly the documents that were shown with this token, if they are still the ones that wait."""
        keys = _keys(site)
        if not keys or not hmac.compare_digest(token_of(keys).encode(), asked.token.encode("utf-8", "replace")):
            raise Conflict(
                Message("Other deletions wait by now than those that were shown. Look at them again."), "changed"
            )
        ask = Ask("web", allow_deletions=True, released=tuple(keys))
        return {"request": site.requests.add(site.ask(asked_by(request, ask)))}

    return routes


def _keys(site: Site) -> list[Key]:
    if site.kb.layout.served() is None:
        return []
    with site.catalog() as catalog:
        return shown(catalog)


def shown(catalog: Catalog) -> list[Key]:
    """The documents whose deletion is held."""
    return [Key(source, unraw(path)) for _, source, path in catalog.db.all(_HELD)]


def token_of(keys: list[Key]) -> str:
    """Names exactly this set."""
    digest = hashlib.sha256()
    for key in keys:
        digest.update(raw(f"{key.source}/{key.path}") + b"\0")
    return digest.hexdigest()[:32]
