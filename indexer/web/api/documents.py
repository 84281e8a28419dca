"""The documents: lists, single ones, their texts and versions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from ...core.model import Key
from ...sources import receiving
from ..asking import DocumentId, key_in, lang_of
from ..facts import documents as facts
from ..facts import texts, why
from ..shapes import Short
from ..shapes_documents import Documents, DocumentShown, StateName, TextDiff, TextShown, Versions, Why
from ..site import Site

AsOf = Annotated[Short, Query(description="a commit or a time; default: now")]


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1/documents", tags=["documents"])

    @routes.get("", operation_id="documents", response_model=Documents)
    def documents(
        request: Request,
        state: Annotated[StateName | None, Query(description="only documents in this state")] = None,
        inside: Annotated[Short, Query(alias="in", description="a glob or folder over source/path")] = "",
        q: Annotated[Short, Query(description="part of the name")] = "",
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        cursor: Annotated[str, Query(max_length=12_000, description="`next` of the page before")] = "",
    ) -> dict[str, Any]:
        """Documents in the order of their names."""
        wanted = facts.Wanted(state or "", inside, q, limit, cursor)
        if site.kb.layout.served() is None:
            return {"documents": [], "total": 0, "next": None}
        with site.catalog() as catalog:
            return facts.listed(catalog, wanted, lang_of(request, site))

    @routes.get("/{document}", operation_id="document", response_model=DocumentShown)
    def document(document: DocumentId, request: Request) -> dict[str, Any]:
        """All that is known of one document."""
        key = key_in(document)
        with site.catalog() as catalog:
            return facts.one(catalog, key, lang_of(request, site), writable=writable(site, key))

    @routes.get("/{document}/text", operation_id="document_text", response_model=TextShown)
    def text(document: DocumentId, commit: AsOf = "") -> dict[str, Any]:
        """Its text as it was read, now or at a commit; hits and citations count its characters."""
        return texts.text(site, key_in(document), commit)

    @routes.get("/{document}/versions", operation_id="document_versions", response_model=Versions)
    def versions(document: DocumentId) -> dict[str, Any]:
        """Every version on record, newest first."""
        with site.catalog() as catalog:
            return texts.versions(catalog, key_in(document))

    @routes.get("/{document}/diff", operation_id="document_diff", response_model=TextDiff)
    def diff(
        document: DocumentId,
        old: Annotated[Short, Query(alias="from", min_length=1, description="a commit or a time", examples=["1"])],
        new: Annotated[Short, Query(alias="to", description="a commit or a time; default: now")] = "",
    ) -> dict[str, Any]:
        """How its text differs between two commits, line by line."""
        return texts.diff(site, key_in(document), old, new)

    @routes.get("/{document}/why", operation_id="document_why", response_model=Why)
    def why_(document: DocumentId, request: Request) -> dict[str, Any]:
        """Why the file is, or is not, in the index."""
        return why.told(site, key_in(document), lang_of(request, site))

    return routes


def writable(site: Site, key: Key) -> bool:
    """Whether the document's folder takes uploads and deletions."""
    return any(s.name == key.source and receiving.writable(s) for s in site.settings.sources)
