"""The OpenAPI document: what FastAPI makes of the routes, with every error, scope and example in it."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from . import examples
from .problems import MEDIA_TYPE
from .scopes import PUBLIC, needed
from .shapes import ProblemShown

_ALWAYS = (400, 403, 408, 413, 421, 422, 429, 500, 503)
_DETAILS: Mapping[int, str] = {
    400: "The request cannot be read, or asks for something that is not there.",
    401: "A key is needed.",
    403: "The key's scope does not reach, or the request comes from a page of another site.",
    404: "There is no such thing.",
    405: "Another method is needed.",
    408: "The request did not arrive in time.",
    409: "It does not fit what is there by now.",
    413: "Too large.",
    415: "A document of this type cannot be read.",
    421: "Another host was meant.",
    422: "A value is not allowed.",
    429: "Too many requests; `Retry-After` says when to come back.",
    500: "Something went wrong in the service; its log has the details.",
    502: "The model did not do its work.",
    503: "Not now: see `code`.",
    507: "No room left on the disk.",
}
_ABOUT = (
    "The knowledge base over HTTP. Send a key as `Authorization: Bearer KEY` (or `X-API-Key`); none is needed while none is "
    "configured and the service listens on this machine alone. Errors are `application/problem+json` in English or Chinese."
)


def described(app: FastAPI) -> None:
    """Let the application tell the completed document."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _completed(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title, version=app.version, routes=app.routes, description=_ABOUT, openapi_version="3.1.0"
    )
    parts = found.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = {**ProblemShown.model_json_schema(), "title": "Problem"}
    parts["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "description": "an API key, see `indexer key`"},
        "session": {"type": "apiKey", "in": "cookie", "name": "indexer_session", "description": "a browser after POST /login"},
    }  # fmt: skip
    schemas["OpenAIError"] = _OPENAI
    parts["responses"] = {str(status): _response(status) for status in _DETAILS}
    parts["responses"] |= {f"openai_{status}": _as_openai(status) for status in _DETAILS}
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            _complete(operation, method.upper(), path)
    return found


def _complete(operation: dict[str, Any], method: str, path: str) -> None:
    scope = needed(method, path.replace("{", "").replace("}", ""))
    responses = operation["responses"]
    shape = "openai_" if path.startswith("/v1/") else ""
    statuses = {*_ALWAYS, *((404,) if "{" in path else ())}
    if scope != PUBLIC:
        statuses.add(401)
        operation["security"] = [{"key": []}, {"session": []}, {}]
        operation["x-scope"] = scope
        operation["description"] = f"{operation.get('description', '')}\n\nScope: {scope}."
    for status in statuses:
        kept = responses.get(str(status), {})
        if "HTTPValidationError" in str(kept) or not kept:
            responses[str(status)] = {"$ref": f"#/components/responses/{shape}{status}"}
    for status, response in list(responses.items()):
        if response.get("description") == "problem":
            responses[status] = {"$ref": f"#/components/responses/{shape}{status}"}


def _response(status: int) -> dict[str, Any]:
    example = {**examples.PROBLEM, "status": status, "title": HTTPStatus(status).phrase, "detail": _DETAILS[status]}
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}}
    headers = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}} if status in (429, 503) else {}
    return {"description": _DETAILS[status], "content": content, **({"headers": headers} if headers else {})}


def _as_openai(status: int) -> dict[str, Any]:
    error = {"message": _DETAILS[status], "type": "invalid_request_error", "param": None, "code": "invalid"}
    content = {
        "application/json": {"schema": {"$ref": "#/components/schemas/OpenAIError"}, "example": {"error": error}}
    }
    return {**_response(status), "content": content}


_OPENAI: Mapping[str, Any] = {
    "type": "object",
    "title": "OpenAIError",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": "string"},
            },
        }
    },
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """``responses=`` of a route: errors it has beside those every route has."""
    return {status: {"description": "problem"} for status in statuses}
