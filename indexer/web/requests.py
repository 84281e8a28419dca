"""What was asked for over HTTP, by an id one can ask about: waiting, running, done."""

from __future__ import annotations

import secrets
import threading
from typing import Any

from ..asks import Merged

KEPT = 5000


class Requests:
    """The newest requests by id; forgotten with the process, as the requests themselves are."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Merged] = {}

    def add(self, merged: Merged) -> str:
        """An id nobody can guess."""
        name = secrets.token_urlsafe(12)
        with self._lock:
            self._known[name] = merged
            if len(self._known) > KEPT:
                del self._known[next(iter(self._known))]
        return name

    def told(self, name: str) -> dict[str, Any] | None:
        """How it stands; None for an id that was never given, or too long ago."""
        with self._lock:
            merged = self._known.get(name)
        if merged is None:
            return None
        outcome = merged.outcome
        if outcome is None:
            state = "running" if merged.begun_ns else "waiting"
            return {"request": name, "state": state, "run": None, "exit_code": None, "commit": None, "error": None}
        return {
            "request": name, "state": "done", "run": outcome.run or None, "exit_code": outcome.exit_code,
            "commit": outcome.commit or None, "error": outcome.error,
        }  # fmt: skip
