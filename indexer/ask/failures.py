"""What went wrong between us and a model's server: foreign exceptions mapped in one place.

LangChain's chat models raise what their own client raises. All of them carry the HTTP status, and
most the answer, under the names looked for here.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..core.model import Message
from ..core.tables import LlmSettings
from ..logs.mask import Mask

AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that another try may mend."""
_LONGEST = 300


class ModelFailed(Exception):
    """The model gave nothing. ``note`` is a whole sentence with the remedy."""

    def __init__(self, note: Message) -> None:
        super().__init__(str(note))
        self.note = note


class CutOff(Exception):
    """The model began and did not end: what arrived stands. ``note`` says what happened."""

    def __init__(self, note: Message, failed: bool = True) -> None:
        super().__init__(str(note))
        self.note, self.failed = note, failed


class Fault(NamedTuple):
    """One failed try. ``status`` 0: there was no answer; ``wait``: seconds the server asks for."""

    status: int
    reason: str
    again: bool
    wait: float | None
    location: str = ""


def fault_of(error: BaseException, mask: Mask) -> Fault:
    """What an exception of a chat model means; secrets in its words are hidden."""
    answer: Any = getattr(error, "response", None)
    status = _number(getattr(error, "status_code", None)) or _number(getattr(answer, "status_code", None))
    headers: Any = getattr(answer, "headers", None) or {}
    reason = mask(_reason(error))
    if not status:
        return Fault(0, reason, not _too_late(error), None)
    return Fault(status, reason, _worth_it(status, error), _wait(headers), mask(headers.get("location", "")))


def note_of(fault: Fault, settings: LlmSettings) -> Message:
    """The sentence for a person, with the key to look at."""
    args: dict[str, object] = {
        "url": place(settings), "model": settings.model, "status": fault.status, "reason": fault.reason,
        "target": fault.location or "?",
    }  # fmt: skip
    if 300 <= fault.status < 400:
        return Message(
            "The model server {url} redirects to {target}; redirects are not followed, because passages and key would "
            "go there. Set llm.base_url to it if you trust it.",
            args,
        )
    return _refused(fault.status, args)


def _refused(status: int, args: dict[str, object]) -> Message:
    if status in (401, 403):
        return Message(
            "The model server {url} refuses the key (HTTP {status}: {reason}). Set llm.api_key or llm.api_key_env.",
            args,
        )
    if status == 404:
        return Message(
            "The model server {url} knows no such model or path (HTTP 404: {reason}). Check llm.model, and that "
            "llm.base_url ends where /chat/completions begins (mostly /v1).",
            args,
        )
    if status and status not in AGAIN:
        return Message(
            "The model server {url} refuses the request for {model} (HTTP {status}: {reason}). Check llm.model and "
            "llm.options.",
            args,
        )
    if status:
        return Message("The model server {url} is overloaded or failing (HTTP {status}: {reason}).", args)
    return Message(
        "The model server {url} gave no answer ({reason}). Check that it runs and that llm.base_url is right.", args
    )


def place(settings: LlmSettings) -> str:
    """The server's address without user and password, or the provider's name."""
    return re.sub(r"//[^/@]*@", "//***@", settings.base_url) or settings.provider


def _reason(error: BaseException) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    said = inner.get("message") if isinstance(inner, dict) else None
    cause = error.__cause__ if str(error) in ("Connection error.", "") and error.__cause__ else error
    words = " ".join(str(said or cause).split()) or type(error).__name__
    return words if len(words) <= _LONGEST else words[:_LONGEST] + "…"


def _worth_it(status: int, error: BaseException) -> bool:
    """Not where the account is empty: that is a 429 too, and waiting does not fill it."""
    return status in AGAIN and getattr(error, "code", None) != "insufficient_quota"


def _too_late(error: BaseException) -> bool:
    """A server that was silent for the whole time is not asked again: a person is waiting."""
    return isinstance(error, TimeoutError) or "Timeout" in type(error).__name__


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _wait(headers: Any) -> float | None:
    from ..embed.endpoint_http import retry_after

    return retry_after({"retry-after": str(headers.get("retry-after", ""))})
