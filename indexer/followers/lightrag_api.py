"""The REST interface of a LightRAG server, 1.4 and 1.5: calls to values, statuses to classes.

Facts as observed on running servers. A document's id is not computed: 1.5 makes it of the name, 1.4 of the content.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..core.following import FollowerSettings
from .http import Answer, Http
from .model import Misconfigured, Refused, Remote, Unreachable

_PAGE = 200
_KNOWN = ("1.4", "1.5")


class Row(NamedTuple):
    """A document as the server lists it; ``state`` in its own word (pending … processed, failed)."""

    id: str
    name: str
    state: str
    error: str
    original: str  # of which it is a copy, "" if it is none
    track: str = ""


class Sent(NamedTuple):
    """What became of a document that was sent: ``taken``, else the name (or, in 1.4, the content) is there already."""

    taken: bool
    track: str


class Clearing(Unreachable):
    """The server is deleting: what is sent now would be lost."""


class LightRagApi:
    """One server; ``login`` when it wants a name and a password instead of a key."""

    def __init__(self, settings: FollowerSettings) -> None:
        self._settings = settings
        self._http = Http(settings.url, settings.timeout_seconds)
        self._token = ""
        self.version = ""

    def health(self) -> None:
        """That it is a LightRAG server, and which; raises Unreachable, Misconfigured."""
        body = self._http.ask("GET", "/health").body
        version = body.get("core_version") if isinstance(body, dict) else None
        if not isinstance(version, str):
            raise Misconfigured("{url} is no LightRAG server: its /health names no core_version.", url=self._http.url)
        if _number(version) < _number(_KNOWN[0]):
            raise Misconfigured(
                "{url} is LightRAG {version}; this follower speaks to {known} and later.",
                url=self._http.url, version=version, known=_KNOWN[0],
            )  # fmt: skip
        self.version = version

    @property
    def by_name(self) -> bool:
        """Whether a document is known by its name (1.5), not by its content (1.4)."""
        return _number(self.version) >= _number("1.5")

    def busy(self) -> bool:
        """Whether anything is at work or waits there."""
        body = self._call("GET", "/documents/pipeline_status").body
        return bool(
            body.get("busy") or body.get("destructive_busy") or body.get("pending_enqueues") or body.get("scanning")
        )

    def send_text(self, name: str, text: str) -> Sent:
        """Hand over a text; raises Refused, Clearing, Unreachable."""
        return self._sent(
            self._call("POST", "/documents/text", expected=(409,), json={"text": text, "file_source": name})
        )

    def send_file(self, name: str, data: bytes) -> Sent:
        """Hand over a file; raises Refused, Clearing, Unreachable."""
        return self._sent(self._call("POST", "/documents/upload", expected=(409,), files={"file": (name, data)}))

    def _sent(self, answer: Answer) -> Sent:
        said = answer.detail().casefold()
        if answer.status == 409:
            if "already contains" in said or "already exists" in said or "delete the existing" in said:
                return Sent(False, "")
            raise Clearing("{url} asks for patience ({why}).", url=self._http.url, why=answer.detail())
        body = answer.body if isinstance(answer.body, dict) else {}
        status, track = str(body.get("status", "")), str(body.get("track_id") or "")
        if status == "duplicated":
            return Sent(False, track)
        if status not in ("success", "partial_success"):
            raise Unreachable("{url} asks for patience ({why}).", url=self._http.url, why=answer.detail() or status)
        return Sent(True, track)

    def delete(self, ids: Sequence[str]) -> bool:
        """Have documents deleted; False while the server is too busy for it."""
        body = {"doc_ids": list(ids), "delete_file": True, "delete_llm_cache": False}
        answer = self._call("DELETE", "/documents/delete_document", json=body).body
        status = answer.get("status") if isinstance(answer, dict) else ""
        if status == "not_allowed":
            raise Misconfigured(
                "{url} does not allow deletions ({why}).", url=self._http.url, why=answer.get("message", "")
            )
        return status == "deletion_started"

    def tracked(self, track: str) -> list[Row]:
        """What became of one hand-over; empty where the server knows nothing of it."""
        body = self._call("GET", f"/documents/track_status/{track}").body
        return [_row(d) for d in body.get("documents", ())] if isinstance(body, dict) else []

    def listed(self) -> list[Row]:
        """Every document there."""
        found: list[Row] = []
        page = 1
        while True:
            query = {"page": page, "page_size": _PAGE, "sort_field": "id", "sort_direction": "asc"}
            body = self._call("POST", "/documents/paginated", json=query).body
            found += [_row(d) for d in body.get("documents", ())]
            if not body.get("pagination", {}).get("has_next"):
                return found
            page += 1

    def reprocess(self) -> None:
        """Have failed and orphaned documents processed again."""
        self._call("POST", "/documents/reprocess_failed")

    def inventory(self) -> list[Remote]:
        """Every document there, for comparing."""
        return [Remote(row.id, row.name, "copy" if row.original else row.state) for row in self.listed()]

    # ---- getting in ------------------------------------------------------------------

    def _call(self, method: str, path: str, **options: Any) -> Answer:
        if not self.version:
            self.health()
        if self._settings.username and not self._token:
            self._login()
        try:
            return self._http.ask(method, path, headers=self._headers(), **options)
        except Misconfigured:
            if not self._token:
                raise
            self._login()  # a token lives for hours only
            return self._http.ask(method, path, headers=self._headers(), **options)

    def _login(self) -> None:
        self._token = ""
        form = {"username": self._settings.username, "password": self._settings.password}
        try:
            body = self._http.ask("POST", "/login", data=form).body
        except Refused as e:
            raise Misconfigured(e.message) from e
        self._token = str(body.get("access_token", "")) if isinstance(body, dict) else ""

    def _headers(self) -> dict[str, str]:
        own = {
            "X-API-Key": self._settings.api_key,
            "Authorization": f"Bearer {self._token}" if self._token else "",
            "LIGHTRAG-WORKSPACE": self._settings.workspace,
        }
        return {name: value for name, value in own.items() if value}

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()


def _row(d: dict[str, Any]) -> Row:
    about = d.get("metadata") or {}
    original = str(about.get("original_doc_id") or "") if about.get("is_duplicate") else ""
    return Row(
        str(d.get("id", "")), str(d.get("file_path") or ""), str(d.get("status", "")).rpartition(".")[2].lower(),
        str(d.get("error_msg") or ""), original,
        str(d.get("track_id") or ""),
    )  # fmt: skip


def _number(version: str) -> tuple[int, ...]:
    parts = []
    for part in version.split(".")[:2]:
        digits = "".join(c for c in part if c.isdigit())
        parts.append(int(digits or 0))
    return tuple(parts)
