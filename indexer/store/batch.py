"""What one commit is to change, as values: drafts of contents, documents' new standings, folder records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from .author import Author
from .catalog import GONE, DocumentRow

if TYPE_CHECKING:
    from .vectors import Vectors


class Draft(NamedTuple):
    """A content that does not exist yet; ``keys`` are its passages in chunk order."""

    sha: bytes
    state: str
    notes: str | None
    title: str
    details: str
    spans: bytes
    keys: tuple[bytes, ...]


class Settled(NamedTuple):
    """The new standing of one document.

    ``content``: the SHA-256 of what searches shall see, None for nothing; with ``keep``
    what they see stays as it is.
    """

    source: int
    path: bytes
    sha: bytes | None
    state: str
    content: bytes | None
    notes: str | None = None
    tries: int = 0
    retry_at: int | None = None
    denied: int = 0
    held: int | None = None
    pinned: int | None = None
    metadata: str | None = None
    keep: bool = False


class Batch:
    """All that one transaction is to change, and on whose behalf (by default: whoever opened the store)."""

    def __init__(
        self, run: int, at: int, note: str = "", scrub_ns: int = 0, settled: Iterable[Settled] = (), author: Author | None = None
    ) -> None:  # fmt: skip
        self.run, self.at, self.note, self.scrub_ns, self.author = run, at, note, scrub_ns, author or Author()
        self.audited = True  # whether the commit takes effect at once, see store.audit
        self.lost: tuple[int, bytes] | None = None  # a commit that was published and is not in the catalog any more
        self.unfinished: bool | None = None  # whether folders are left without their record; None: no folders here
        self.above = 0  # the commit's number exceeds this one: readers never see numbers fall
        self.settled: list[Settled] = list(settled)
        self.drafts: dict[bytes, Draft] = {}
        self.texts: dict[bytes, str] = {}
        self.vectors: Vectors | None = None
        self.folders: list[tuple[int, bytes, bytes | None]] = []
        self.scrubbed: list[tuple[int, bytes]] = []

    def __bool__(self) -> bool:
        return bool(self.settled or self.folders)


def stands(row: DocumentRow) -> bool:
    """Whether there is anything left of a document; one that came back unread and went again has nothing."""
    return row.content is not None or row.state != GONE or row.pinned is not None or row.held is not None


def removal(row: DocumentRow) -> Settled:
    """The standing of a document that is gone for good."""
    return Settled(row.source, row.path, None, GONE, None)


def standing(row: DocumentRow, **changes: object) -> Settled:
    """A document's standing as it is, with some fields changed; what searches see is kept."""
    s = Settled(
        row.source, row.path, row.sha, row.state, None, row.notes, row.tries, row.retry_at, row.denied, row.held,
        row.pinned, row.metadata, keep=True,
    )  # fmt: skip
    return s._replace(**changes)  # type: ignore[arg-type]
