"""What went wrong, as ``application/problem+json`` (RFC 9457) in the reader's language.

IndexerError ▶ status and code by class; its sentence, where it is the asker's own business
Problem      ▶ what only the web service knows: not found, conflict, too large
anything     ▶ 500 with an id that is in the log, and nothing else
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from http import HTTPStatus
from typing import Any, NamedTuple

from ..core import errors
from ..core.model import Message
from ..i18n import Language, code, language, translate

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """An answer that is no success: HTTP status, a word for programs, a sentence for people."""

    def __init__(self, status: int, code: str, message: Message, *, headers: Mapping[str, str] | None = None) -> None:
        self.status, self.code, self.message, self.headers = status, code, message, dict(headers or {})
        super().__init__(str(self.message))


class NotFound(Problem):
    """404."""

    def __init__(self, message: Message) -> None:
        super().__init__(404, "not_found", message)


class Conflict(Problem):
    """409."""

    def __init__(self, message: Message, code: str = "conflict") -> None:
        super().__init__(409, code, message)


class Kind(NamedTuple):
    """How a class of errors is answered; ``said`` replaces a sentence that names what is ours alone (paths, servers)."""

    status: int
    code: str
    said: Message | None = None


_KINDS: Mapping[type[errors.IndexerError], Kind] = {
    errors.UsageError: Kind(400, "usage"),
    errors.ConfigError: Kind(503, "configuration", Message("The configuration does not hold; the log of the service says what is wrong.")),
    errors.SourceUnavailable: Kind(503, "source_unavailable", Message("A source cannot be looked at; nothing of it was changed.")),
    errors.EmbeddingFailed: Kind(503, "embedding_failed", Message("The embedding model did not answer. Try again later.")),
    errors.StoreDamaged: Kind(503, "store_damaged", Message("The index is damaged; whoever runs it must run `indexer repair`.")),
    errors.Busy: Kind(503, "busy", Message("Another update of this knowledge base is running. Try again later.")),
    errors.DiskFull: Kind(507, "disk_full", Message("There is no room left on the disk; nothing was changed.")),
    errors.Interrupted: Kind(503, "stopped", Message("The service is being stopped. Try again later.")),
    errors.FileProblem: Kind(422, "file"),
}  # fmt: skip
_INTERNAL = Kind(500, "internal", Message("Something went wrong in the service. Its log has the details under {id}."))
_LATER = (errors.Busy, errors.Interrupted, errors.EmbeddingFailed)


def kind_of(error: BaseException) -> Kind:
    """How an error is answered: by the nearest class that is listed."""
    return next((_KINDS[c] for c in type(error).__mro__ if c in _KINDS), _INTERNAL)


def problem_of(error: BaseException, identity: str) -> Problem:
    """Any error as a problem; ``identity`` finds it in the log."""
    if isinstance(error, Problem):
        return error
    kind = kind_of(error)
    headers = {"Retry-After": "5"} if isinstance(error, _LATER) else {}
    if isinstance(error, errors.IndexerError) and kind.said is None:
        return Problem(kind.status, kind.code, error.message, headers=headers)
    assert kind.said is not None  # noqa: S101 - only errors of ours have none
    return Problem(kind.status, kind.code, Message(kind.said.text, {"id": identity}), headers=headers)


def body(problem: Problem, lang: str) -> dict[str, Any]:
    """The JSON object."""
    try:
        title = HTTPStatus(problem.status).phrase
    except ValueError:
        title = "Error"
    detail = translate(problem.message, lang)
    return {"type": "about:blank", "title": title, "status": problem.status, "detail": detail, "code": problem.code}


def encoded(problem: Problem, lang: str, path: str) -> tuple[bytes, str]:
    """(body, its media type): as whoever asks at this address expects it. A name that is no Unicode stays escaped."""
    if path.startswith("/v1/"):
        return json.dumps(openai_error(problem, lang), ensure_ascii=True).encode(), "application/json"
    return json.dumps(body(problem, lang), ensure_ascii=True).encode(), MEDIA_TYPE


def bare_page(problem: Problem, lang: str) -> tuple[bytes, str]:
    """(body, its media type) for a browser that is let nowhere: nothing in it is loaded from here."""
    title, detail = (escape(translate(m, lang)) for m in (Message("This did not work"), problem.message))
    text = (
        f'<!doctype html>\n<html lang="{lang}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<main>\n<h1>{title} ({problem.status})</h1>\n<p>{detail}</p>\n</main>\n</html>\n"
    )
    return text.encode("utf-8", "replace"), "text/html; charset=utf-8"


def openai_error(problem: Problem, lang: str) -> dict[str, Any]:
    """The same as clients of OpenAI's API read it."""
    kind = "authentication_error" if problem.status in (401, 403) else "invalid_request_error"
    kind = "server_error" if problem.status >= 500 else "rate_limit_error" if problem.status == 429 else kind
    return {"error": {"message": translate(problem.message, lang), "type": kind, "param": None, "code": problem.code}}


_WISH = re.compile(r"\s*([A-Za-z*]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*")


def language_of(accept: str, asked: str = "", configured: str = "auto") -> Language:
    """``asked`` (a ?lang or cookie), then Accept-Language by its weights, then what is configured."""
    if asked and (found := code(asked)):
        return found
    wishes = []
    for place, part in enumerate(accept[:1000].split(",")):
        match = _WISH.fullmatch(part)
        if match and (found := code(match[1])) and (weight := float(match[2] or 1)):
            wishes.append((-weight, place, found))
    return min(wishes)[2] if wishes else language(configured)
