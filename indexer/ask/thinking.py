"""Reasoning models that think aloud in the answer (``<think>…</think>`` in front) are heard from the end of it on."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


class Thinking:
    """Text in, text out, without a thought at the very beginning."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"  # start, inside, after

    def feed(self, piece: str) -> str:
        """What is no thought; nothing as long as it may be one."""
        if self._state == "after":
            return piece
        self._held += piece
        if self._state == "start":
            begun = self._held.lstrip()
            if begun.startswith(_OPEN):
                self._state = "inside"
            elif not _OPEN.startswith(begun):
                return self._leave(self._held)
        if self._state == "inside" and _CLOSE in self._held:
            return self._leave(self._held.partition(_CLOSE)[2].lstrip())
        return ""

    def end(self) -> str:
        """What was held back and is no thought."""
        return self._leave(self._held) if self._state == "start" else ""

    def _leave(self, text: str) -> str:
        self._state, self._held = "after", ""
        return text
