"""What followers speak in: documents as they shall be over there, and what is known of how they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ..core.errors import IndexerError
from ..core.model import EMPTY, Key, Message


class FollowerError(IndexerError):
    """A follower's other side could not be brought up to date; nothing is lost, it is done later."""


class Unreachable(FollowerError):
    """It does not answer, or asks for patience; ``after``: seconds it asked for, 0 when it did not say."""

    def __init__(self, text: str | Message, /, *, after: float = 0.0, **args: object) -> None:
        super().__init__(text, **args)
        self.after = after


class Misconfigured(FollowerError):
    """It answers, and what is configured here is wrong: a key, an address, a kind. A person has to act."""


class Refused(FollowerError):
    """It will not have this document, however often it is sent."""


class Stretch(NamedTuple):
    """One chunk of a document and where it stands."""

    text: str
    start: int
    end: int
    headings: tuple[str, ...]
    page: int | None
    place: str


class Document(NamedTuple):
    """The newest version of one document. ``commit``: which brought it; ``sha256``: of the file's bytes (hex)."""

    key: Key
    sha256: str
    commit: int
    title: str
    label: str
    text: str
    chunks: tuple[Stretch, ...]


class Item(NamedTuple):
    """What the ledger knows of one document at a follower.

    ``step``: "" nothing, deleting, absent, sending, accepted, done, failed (tried again), refused or skipped (not sent,
    ``note`` says why). ``digest``: of what is or was sent. ``remote``: how the other side calls it. ``original``: the
    remote id of another document that stands for this one there, because both have the same content.
    """

    step: str = ""
    digest: str = ""
    remote: Mapping[str, Any] = EMPTY
    original: str = ""
    tries: int = 0
    retry_ns: int = 0
    note: Message | None = None
    at_ns: int = 0


class Task(NamedTuple):
    """One document to bring into step: as it is known to be there, and as it shall be (None: not there)."""

    key: Key
    item: Item
    document: Document | None
    digest: str


class Remote(NamedTuple):
    """A document as the other side lists it."""

    id: str
    name: str
    state: str = ""


class Record(Protocol):
    """The ledger as a target sees it: what is written is durable when this returns."""

    def put(self, items: Mapping[Key, Item | None]) -> None:
        """Take down how documents stand; None forgets one."""

    def sharing(self, originals: Sequence[str]) -> dict[Key, Item]:
        """Documents that others stand for."""

    def now_ns(self) -> int:
        """Wall time."""


class Target(Protocol):
    """The other side. Its methods raise FollowerError; each may be stopped anywhere and called again."""

    def probe(self) -> None:
        """Whether it is there and lets us in."""

    def digest(self, document: Document) -> str:
        """What tells one sent state of a document from another."""

    def refuses(self, document: Document) -> Message | None:
        """Why a document is not sent at all; None when it is."""

    def work(self, tasks: Sequence[Task], record: Record) -> float:
        """Take these documents one step further; seconds after which another step is worth while."""

    def inventory(self) -> list[Remote] | None:
        """Everything over there, None where it cannot be listed."""

    def remove(self, remotes: Sequence[Remote]) -> bool:
        """Have these deleted over there; whether they are gone by now (else: call it again)."""

    def close(self) -> None:
        """Let go of connections."""
