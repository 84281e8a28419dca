"""Settings of a follower: a system beside the index that is told of every change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .model import EMPTY, Message

STATES: Mapping[str, Message] = {
    "well": Message("well"),
    "new": Message("new"),  # it never worked yet
    "paused": Message("paused"),
    "down": Message("down"),  # it does not answer, and is asked once in a while
    "misconfigured": Message("misconfigured"),  # a person has to act
    "refused": Message("refused"),
    "failed": Message("failed"),
}
"""How a follower, or a document at one, stands."""


class FollowerSettings(NamedTuple):
    """One ``[[followers]]`` table, validated. Times in seconds, sizes in the unit of their name.

    ``kind`` is ``lightrag``, ``webhook`` or ``vectorstore``. ``include`` and ``exclude`` have gitignore syntax and are
    matched within each source. ``send``: the extracted "text", or the "file" as it lies in the folder (LightRAG).
    ``store``: a LangChain ``VectorStore`` as ``package.module:Class``, ``options`` its keyword arguments.
    """

    name: str
    kind: str = "lightrag"
    enabled: bool = True
    url: str = ""
    api_key: str = ""
    username: str = ""
    password: str = ""
    workspace: str = ""  # LightRAG: the header LIGHTRAG-WORKSPACE
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    send: str = "text"
    min_chars: int = 50  # shorter documents are not sent
    max_kb: float = 100.0  # longer ones neither; 0: no limit
    batch: int = 16  # documents at work at once
    with_text: bool = False  # webhook: the text goes along
    store: str = ""
    options: Mapping[str, object] = EMPTY
    timeout_seconds: float = 60.0
    probe_seconds: float = 60.0  # how often the other side is asked whether it is well
    probe_down_seconds: float = 30.0  # ... while it is not

    def __repr__(self) -> str:
        """Everything but secrets: settings end up in logs and error messages."""
        hidden = {"api_key", "password", "options"}
        return "FollowerSettings(" + ", ".join(f"{n}={v!r}" for n, v in self._asdict().items() if n not in hidden) + ")"
