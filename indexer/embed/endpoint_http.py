"""One POST to an embeddings endpoint, with patience: retries, back-off, Retry-After, time-outs.

httpx and not the ``openai`` client: that one follows redirects (the texts and the key would go
to another host), needs 0.6 s to import, and hides the answer that says which limit was hit.
httpx comes with LangChain and honours proxy settings and certificates as users expect.
"""

from __future__ import annotations

import random
import re
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from indexer.core.errors import ConfigError, EmbeddingFailed

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_CONNECT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try: seconds, and tries including the first.

    Waits are ``first x 2^n``, at most ``longest``, times a random factor in 0.5-1. A server's
    Retry-After counts instead, up to ``longest_asked``.
    """

    tries: int = 6
    first: float = 0.5
    longest: float = 30.0
    longest_asked: float = 120.0


class Refused(Exception):
    """The server answered that it does not want this request; ``status`` and ``reason`` say why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"HTTP {status}: {reason}")
        self.status, self.reason = status, reason


class Client:
    """Posts JSON to one address. Thread-safe. ``sleep`` and ``jitter`` are arguments so that tests need no clock."""

    def __init__(
        self,
        base_url: str,
        key: str,
        timeout_seconds: float,
        patience: Patience | None = None,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Raises ConfigError when ``base_url`` is no http(s) address."""
        self.base_url = base_url.rstrip("/")
        if not self.base_url.startswith(("http://", "https://")):
            raise ConfigError(
                'embedding.base_url = "{url}" is no address; it looks like "http://localhost:8000/v1"', url=base_url
            )
        self._patience, self._sleep, self._jitter = patience or Patience(), sleep, jitter
        self._http = httpx.Client(
            timeout=httpx.Timeout(timeout_seconds, connect=min(_CONNECT_SECONDS, timeout_seconds)),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            follow_redirects=False,
        )
        weakref.finalize(self, self._http.close)  # an embedder has no end of its own

    def post(self, body: Mapping[str, object]) -> object:
        """The decoded answer. Raises Refused for what no retry can mend, EmbeddingFailed for the rest."""
        last = ""
        for attempt in range(self._patience.tries):
            asked: float | None = None
            try:
                answer = self._http.post(f"{self.base_url}/embeddings", json=body)
                if answer.status_code not in _AGAIN:
                    return self._decoded(answer)
                last, asked = f"HTTP {answer.status_code}: {reason(answer)}", retry_after(answer.headers)
            except httpx.TimeoutException as error:
                last = f"no answer in time ({type(error).__name__})"
            except httpx.TransportError as error:
                last = str(error) or type(error).__name__
            except httpx.InvalidURL as error:
                raise ConfigError(
                    'embedding.base_url = "{url}" is no address: {reason}', url=self.base_url, reason=error
                ) from error
            if attempt + 1 < self._patience.tries:
                self._sleep(self._wait(attempt, asked, last))
        raise EmbeddingFailed(
            "the embedding server {url} did not answer after {tries} tries ({reason}); check that it runs and "
            "embedding.base_url is right, then update again: what is committed stays",
            url=self.base_url,
            tries=self._patience.tries,
            reason=last,
        )

    def _wait(self, attempt: int, asked: float | None, last: str) -> float:
        patience = self._patience
        if asked is None:
            return float(min(patience.longest, patience.first * 2**attempt) * (0.5 + self._jitter() / 2))
        if asked > patience.longest_asked:
            raise EmbeddingFailed(
                "the embedding server {url} asks to wait {seconds} s ({reason}); update again after that time",
                url=self.base_url,
                seconds=round(asked),
                reason=last,
            )
        return asked

    def _decoded(self, answer: httpx.Response) -> object:
        if answer.status_code != 200:
            raise self._refusal(answer)
        try:
            return answer.json()
        except ValueError as error:
            raise EmbeddingFailed(
                "the embedding server {url} answers with something that is no JSON; is embedding.base_url right?",
                url=self.base_url,
            ) from error

    def _refusal(self, answer: httpx.Response) -> Exception:
        status, url = answer.status_code, self.base_url
        if 300 <= status < 400:
            return EmbeddingFailed(
                "the embedding server {url} redirects to {target}; redirects are not followed, because texts and key "
                "would go there: set embedding.base_url to it if you trust it",
                url=url,
                target=answer.headers.get("location", "?"),
            )
        if status in (401, 403):
            return EmbeddingFailed(
                "the embedding server {url} refuses the key (HTTP {status}: {reason}); set embedding.api_key",
                url=url,
                status=status,
                reason=reason(answer),
            )
        if status == 404:
            return EmbeddingFailed(
                "the embedding server {url} knows no such model or path (HTTP 404: {reason}); check embedding.model "
                "and that embedding.base_url ends where /embeddings begins (mostly /v1)",
                url=url,
                reason=reason(answer),
            )
        return Refused(status, reason(answer))


def reason(answer: httpx.Response) -> str:
    """What the server says went wrong, at most 300 characters."""
    try:
        body = answer.json()
    except ValueError:
        return " ".join(answer.text.split())[:300] or answer.reason_phrase
    error = body.get("error", body.get("detail", body.get("message", body))) if isinstance(body, dict) else body
    return str(error.get("message", error) if isinstance(error, dict) else error)[:300]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by the Retry-After header (seconds or a date), None without a usable one."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", value):
        return max(0.0, float(value))
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
