"""Documents as resources: ``indexer://document/{id}``, for clients whose users attach them by hand."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from .. import names
from ..core.errors import UsageError
from ..core.model import Key, display, unraw
from ..docid import docid
from ..i18n import translate
from ..store.catalog import Catalog
from .desk import Call, Desk
from .desk import read as reading
from .documents import whole
from .plain import plain

SCHEME = "indexer://document/"
PAGE = 200
MOST = 100_000
"""Characters of a resource: what is longer is read page by page with the tool `document`."""

_ROWS = (
    "SELECT s.name,d.path,c.title,c.details FROM document d JOIN source s ON s.id=d.source JOIN content c ON c.id=d.content "
    "JOIN version v ON v.document=d.id AND v.removed IS NULL WHERE (s.name,d.path)>(?,?) ORDER BY s.name,d.path LIMIT ?"
)


def template() -> types.ResourceTemplate:
    """Where a document is."""
    return types.ResourceTemplate(
        uri_template=SCHEME + "{document}", name="document", title="A document's text", mime_type="text/plain",
        description="The text of a document by the id that every result gives.",
    )  # fmt: skip


def listed(desk: Desk, cursor: str, call: Call) -> types.ListResourcesResult:
    """A page of the documents that are found now."""
    if desk.kb.layout.served() is None:
        return types.ListResourcesResult(resources=[])
    try:
        after = _after(cursor)
        rows = reading(desk, lambda reader: _rows(reader.catalog, after))
    except Exception as e:
        raise _refused(desk, e, call) from None
    more = _cursor(rows[PAGE - 1]) if len(rows) > PAGE else None
    return types.ListResourcesResult(resources=[_resource(*row) for row in rows[:PAGE]], next_cursor=more)


def _rows(catalog: Catalog, after: tuple[str, bytes]) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in catalog.db.all(_ROWS, (*after, PAGE + 1))]


def _resource(source: str, path: bytes, title: str | None, details: str | None) -> types.Resource:
    key = Key(source, unraw(path))
    called = names.shown(title or "", details, key.path)
    return types.Resource(
        uri=SCHEME + docid(key), name=f"{display(source)}/{display(key.path)}", mime_type="text/plain",
        title=plain(f"{called.title} {called.label}".strip()),
    )  # fmt: skip


def read(desk: Desk, uri: str, call: Call) -> types.ReadResourceResult:
    """A document's text, as much of it as a resource may have."""
    try:
        if not uri.startswith(SCHEME):
            raise UsageError(
                "{uri} is no document: an address here is {form}.", uri=display(uri[:300]), form=SCHEME + "ID"
            )
        text = whole(desk, uri.removeprefix(SCHEME), MOST)
    except Exception as e:
        raise _refused(desk, e, call, uri) from None
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)])


def _refused(desk: Desk, error: Exception, call: Call, uri: str = "") -> MCPError:
    code = types.INVALID_PARAMS if isinstance(error, UsageError) else types.INTERNAL_ERROR
    said = plain(translate(desk.said(error, "resources"), call.lang))
    return MCPError(code=code, message=said, data={"uri": plain(uri)} if uri else None)


def _after(cursor: str) -> tuple[str, bytes]:
    try:
        source, _, path = base64.urlsafe_b64decode(cursor).partition(b"/")
        return source.decode(), path
    except (ValueError, UnicodeError):
        raise UsageError("{cursor} is not a cursor this list gave.", cursor=display(cursor[:100])) from None


def _cursor(row: Sequence[Any]) -> str:
    return base64.urlsafe_b64encode(row[0].encode() + b"/" + row[1]).decode()
