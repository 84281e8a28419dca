"""Which scope a request needs: one place, asked by the guard before anything else and by the OpenAPI document.

What is not listed needs the strongest scope, so that a new address is closed until somebody decides.
"""

from __future__ import annotations

import re

PUBLIC = ""
"""Nobody has to say who they are."""

_HEALTH = ("/api/v1/health/live", "/api/v1/health/ready")
_PUBLIC = frozenset({*_HEALTH, "/login", "/logout", "/favicon.ico"})
_READS = frozenset(
    {"/api/v1/search", "/api/v1/ask", "/knowledge_base/search_docs", "/v1/chat/completions"}
)  # fmt: skip
_WRITES = re.compile(r"/api/v1/(documents(/[^/]+)?|runs)")
_STATIC = "/static/"


def needed(method: str, path: str) -> str:
    """``read``, ``write``, ``admin`` or PUBLIC."""
    if path in _PUBLIC or (path.startswith(_STATIC) and method in ("GET", "HEAD")):
        return PUBLIC
    if method in ("GET", "HEAD", "OPTIONS") or (method == "POST" and path in _READS) or path == "/mcp":
        return "read"
    return "write" if _WRITES.fullmatch(path) and method in ("POST", "DELETE") else "admin"


def is_api(path: str) -> bool:
    """Whether programs ask here: they get problems as JSON, browsers get pages."""
    return path.startswith(("/api/", "/v1/", "/knowledge_base/", "/metrics", "/mcp", "/.well-known/")) or path in (
        "/logout",
    )


def for_people(path: str, accept: str) -> bool:
    """Whether a browser asked for a page, and not a program for facts."""
    return not is_api(path) and "text/html" in accept


def unlimited(path: str) -> bool:
    """Cheap, and asked for by what must not be turned away: neither rate nor crowd counts."""
    return path in _HEALTH or path.startswith(_STATIC)


def streams(path: str) -> bool:
    """Open as long as somebody listens: counted apart from the work."""
    return path == "/api/v1/events"


def uploads(method: str, path: str) -> bool:
    """The one request whose body may be as large as a document."""
    return method == "POST" and path == "/api/v1/documents"
