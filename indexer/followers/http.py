"""HTTP to the other side: what goes wrong becomes one of the classes that decide what happens next.

No redirect is followed: the key would go along to wherever it leads.
"""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from typing import Any

import httpx

from ..core.model import Message
from ..store import disk
from .model import Misconfigured, Refused, Unreachable

_CONNECT_SECONDS = 5.0
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST = 300  # characters of what the other side said


class Answer:
    """A status and a JSON body."""

    def __init__(self, status: int, body: Any) -> None:
        self.status, self.body = status, body

    def detail(self) -> str:
        """What it said, in its own words."""
        body = "" if self.body is None else self.body
        said = body.get("detail") or body.get("message") or "" if isinstance(body, dict) else body
        return (said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))[:_LONGEST]


class Http:
    """One server. Raises Unreachable, Misconfigured; statuses in ``expected`` are the caller's business."""

    def __init__(self, url: str, timeout_seconds: float) -> None:
        self.url = url
        self._client = httpx.Client(
            timeout=httpx.Timeout(timeout_seconds, connect=min(_CONNECT_SECONDS, timeout_seconds)), follow_redirects=False,
            verify=not url.startswith("http:"),  # no certificate is looked at there, and reading those of the system takes long
        )  # fmt: skip

    def ask(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None,
        expected: tuple[int, ...] = (), **options: Any,
    ) -> Answer:  # fmt: skip
        """One request."""
        disk.step("http", f"{method} {path}")
        try:
            answer = self._client.request(method, self.url + path, headers=headers, **options)
        except httpx.InvalidURL as e:
            raise Misconfigured("{url} is no address ({why}).", url=self.url, why=str(e)) from e
        except httpx.HTTPError as e:
            raise Unreachable("{url} does not answer ({why}).", url=self.url, why=str(e) or type(e).__name__) from e
        disk.step("http-answered", f"{method} {path}")
        return self._judged(answer, expected)

    def _judged(self, answer: httpx.Response, expected: tuple[int, ...]) -> Answer:
        status = answer.status_code
        try:
            body: Any = answer.json() if answer.content else None
        except ValueError:
            body = answer.text[:_LONGEST]
        found = Answer(status, body)
        if status in expected or 200 <= status < 300:
            return found
        words = {"url": self.url, "status": status, "why": found.detail() or answer.reason_phrase}
        if status in _LATER:
            raise Unreachable(_BUSY, after=_seconds(answer.headers.get("retry-after", "")), **words)
        if status in (401, 403):
            raise Misconfigured("{url} does not let us in ({status}: {why}). Check the key of this follower.", **words)
        if status in (400, 409, 413, 415, 422):
            raise Refused(Message("{status}: {why}", {"status": status, "why": words["why"]}))
        raise Misconfigured(
            "{url} answers {status}: {why}. Is this the address of the server, and does it speak this protocol?", **words
        )  # fmt: skip

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()


_BUSY = "{url} asks for patience ({status}: {why})."


def _seconds(text: str) -> float:
    """Retry-After: seconds, or a date."""
    if text.strip().isdecimal():
        return min(float(text), 3600.0)
    try:
        at = email.utils.parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError):
        return 0.0
    return min(max(at - time.time(), 0.0), 3600.0)
