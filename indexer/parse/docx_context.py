"""What all stories of one document share, and the blocks they are turned into."""

from __future__ import annotations

from dataclasses import dataclass, field

from indexer.core.errors import ParseRefused
from indexer.core.tables import ParseLimits

from .docx_binding import Bindings
from .docx_numbering import Counters, Numbering
from .docx_package import Package
from .docx_styles import Styles


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph. ``level`` 0..8 makes it a heading; ``title`` a document title."""

    text: str
    level: int | None = None
    title: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it will be written: one row a line, nested tables' rows in their place.

    The first ``marked`` lines are what the document itself calls the header.
    """

    rows: tuple[str, ...]
    marked: int = 0


Block = Line | Table


@dataclass(slots=True)
class Context:
    """Definitions of the document, and what was met on the way through it."""

    package: Package
    styles: Styles
    numbering: Numbering
    bindings: Bindings
    limits: ParseLimits
    embedded: list[str] = field(default_factory=list)  # ProgIDs of embedded objects
    unread: list[str] = field(default_factory=list)  # imported parts that could not be read
    linked: list[str] = field(default_factory=list)  # subdocuments of a master document
    pictures: int = 0
    held_deletions: int = 0  # tables kept although a tracked change deletes them
    imports: int = 0  # how deep this document is imported in others
    note_counters: Counters = field(init=False)
    box_counters: Counters = field(init=False)
    _written: int = 0

    def __post_init__(self) -> None:
        self.note_counters = Counters(self.numbering)
        self.box_counters = Counters(self.numbering)

    def charge(self, text: str) -> str:
        """Counts characters of the result; raises ParseRefused beyond ``output_chars``."""
        self._written += len(text)
        if self._written > self.limits.output_chars:
            raise ParseRefused(
                "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                limit=self.limits.output_chars,
            )
        return text
