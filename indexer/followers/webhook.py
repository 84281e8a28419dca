"""A webhook as a follower: each change is posted as signed JSON, at least once, each with an id that never changes.

Signed as Standard Webhooks have it (``webhook-id``, ``webhook-timestamp``, ``webhook-signature``), so that their
libraries check it. The id says which document went from which state to which: a repeated delivery has the same one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import Any

from ..core.following import FollowerSettings
from ..core.model import EMPTY, Message, display, raw
from .guards import unfit
from .http import Http
from .model import Document, Item, Misconfigured, Record, Refused, Remote, Task

_SOON = 0.0


class Webhook:
    """One address; ``api_key`` is the secret of the signature."""

    def __init__(self, settings: FollowerSettings) -> None:
        self.settings = settings
        self._secret = _secret(settings.api_key)
        self._http = Http(settings.url, settings.timeout_seconds)

    def probe(self) -> None:
        """A signed ``ping``; any answer below 300 is well. Raises Unreachable, Misconfigured."""
        self._deliver("ping-" + self.settings.name, {"type": "ping"}, 0)

    def digest(self, document: Document) -> str:
        """The bytes of the file, and the label: that is what a receiver is told."""
        return hashlib.sha256(
            f"{document.sha256} {document.title} {document.label}".encode("utf-8", "replace")
        ).hexdigest()

    def refuses(self, document: Document) -> Message | None:
        """What the configured sizes leave out."""
        return unfit(document, self.settings.min_chars, self.settings.max_kb)

    def work(self, tasks: Sequence[Task], record: Record) -> float:
        """Deliver each change, oldest commit first."""
        for task in sorted(tasks, key=lambda t: (t.document.commit if t.document else 0, t.key)):
            event = _event(task, self.settings.with_text)
            identity = _identity(self.settings.name, task)
            try:
                self._deliver(identity, event, record.now_ns())
            except Refused as e:
                note = e.message
                record.put({task.key: task.item._replace(step="refused", digest=task.digest, note=note, at_ns=0) if task.document else None})  # fmt: skip
                continue
            known = {"sha256": task.document.sha256} if task.document else EMPTY
            record.put({task.key: Item("done", task.digest, known) if task.document else None})
        return _SOON

    def _deliver(self, identity: str, event: dict[str, Any], now_ns: int) -> None:
        body = json.dumps({**event, "id": identity}, ensure_ascii=False).encode("utf-8", "backslashreplace")
        stamp = str(now_ns // 10**9)
        headers = {"content-type": "application/json", "webhook-id": identity, "webhook-timestamp": stamp}
        if self._secret:
            signed = f"{identity}.{stamp}.".encode() + body
            signature = base64.b64encode(hmac.new(self._secret, signed, hashlib.sha256).digest()).decode()
            headers["webhook-signature"] = f"v1,{signature}"
        self._http.ask("POST", "", headers=headers, content=body)

    def inventory(self) -> list[Remote] | None:
        """Nobody can ask a webhook what it has."""
        return None

    def remove(self, remotes: Sequence[Remote]) -> bool:
        """Nothing is ever listed, so nothing is left over."""
        return True

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()


def _secret(text: str) -> bytes:
    """As Standard Webhooks write it (``whsec_`` and base64), else the text itself."""
    if not text.startswith("whsec_"):
        return text.encode()
    try:
        return base64.b64decode(text.removeprefix("whsec_"), validate=True)
    except ValueError as e:
        raise Misconfigured("api_key of the webhook begins with whsec_ and is not base64 behind it.") from e


def _event(task: Task, with_text: bool) -> dict[str, Any]:
    """What a receiver is told of one document."""
    before = task.item.remote.get("sha256")
    facts: dict[str, Any] = {
        "source": display(task.key.source),
        "path": display(task.key.path),
        "previous_sha256": before,
    }
    document = task.document
    if document is None:
        return {"type": "document.deleted", **facts}
    facts |= {"sha256": document.sha256, "commit": document.commit, "title": document.title, "label": document.label}
    if with_text:
        facts["text"] = document.text
    return {"type": "document.modified" if before else "document.added", **facts}


def _identity(name: str, task: Task) -> str:
    """The same for every try, another for every change: also when a document comes and goes twice."""
    change = (task.item.digest, str(task.item.at_ns), task.digest, str(task.document.commit if task.document else 0))
    parts = (name.encode(), task.key.source.encode(), raw(task.key.path), *(text.encode() for text in change))
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]
