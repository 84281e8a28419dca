"""The frozen values every other module speaks in.

NamedTuples, not dataclasses: 25 frozen dataclasses took more CPU time to define than a whole
no-change update may take (docs/decisions/001). Pure data: no disk, no clock, no third-party import. Paths inside a source are `str`
decoded with ``surrogateescape`` (any byte a file name may hold survives); use
:func:`raw` for the bytes and :func:`display` for people.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, NamedTuple


def raw(path: str) -> bytes:
    """The bytes of a path inside a source, exactly as the file system has them."""
    return path.encode("utf-8", "surrogateescape")


def unraw(path: bytes) -> str:
    """Inverse of :func:`raw`."""
    return path.decode("utf-8", "surrogateescape")


def display(path: str) -> str:
    """A printable NFC form: bytes that are no UTF-8 and control characters are escaped."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = unicodedata.normalize("NFC", text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


EMPTY: Mapping[str, Any] = {}
"""Shared default of read-only mappings; a plain dict, so that it is JSON-able."""


class Message(NamedTuple):
    """A sentence for a person: an English template and its values.

    The template is the key of the translation, so a stored reason can be shown in the
    language of whoever reads it later.
    """

    text: str
    args: Mapping[str, object] = EMPTY

    def __str__(self) -> str:
        return self.text.format(**self.args) if self.args else self.text


class State(StrEnum):
    """What a document is to the index (DESIGN: statuses)."""

    INDEXED = "indexed"  # found in its newest version
    WARNED = "warned"  # found, with something a person should know
    NO_TEXT = "no_text"  # read, and there is nothing to find
    FAILED = "failed"  # never read successfully
    STALE = "stale"  # newest version unreadable: the last good one is found
    IGNORED = "ignored"  # excluded by a rule
    HELD = "held"  # gone from the folder, deletion waits for a confirmation


class FileStat(NamedTuple):
    """The part of a stat that decides whether a file must be looked into (ns, bytes)."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Key(NamedTuple):
    """Identity of a document: the source's name and the POSIX path relative to it."""

    source: str
    path: str

    def __str__(self) -> str:
        return display(f"{self.source}/{self.path}")


# ---- what parsing makes -------------------------------------------------------------

Kind = Literal["text", "table", "code"]


class Section(NamedTuple):
    """A stretch of a document with one locator.

    ``text`` keeps its own trailing line ends: the parsed text of a document is the plain
    concatenation of its sections. ``page`` counts from 1 (a slide is a page). A ``table`` or
    ``code`` section is split between lines only, and kept whole where it fits.

    ``place`` says where it stands in the format's own notation, the same in every language:
    ``L10-L42`` (lines), ``A2:F51`` (cells), ``00:01:02`` (time); "" where headings and page say it.
    ``lead`` is what a chunk of this section needs in front to be understood alone, the header
    lines of a table; it is added to each chunk that does not begin with it.
    """

    text: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    kind: Kind = "text"
    place: str = ""
    lead: str = ""


class Parsed(NamedTuple):
    """What a parser made of one file's bytes.

    ``state`` is INDEXED, WARNED or NO_TEXT; a file that cannot be read raises
    :class:`indexer.core.errors.ParseRefused` instead. ``notes`` says why it is WARNED or
    NO_TEXT. ``details`` is small and JSON-able (encoding chosen, pages ...). ``label`` is the
    document's own version label ("v3.1"), "" where it has none.
    """

    sections: tuple[Section, ...]
    state: State = State.INDEXED
    notes: tuple[Message, ...] = ()
    parser: str = ""
    title: str = ""
    details: Mapping[str, object] = EMPTY
    label: str = ""

    @property
    def text(self) -> str:
        """The parsed text that chunk spans refer to."""
        return "".join(s.text for s in self.sections)


class Chunk(NamedTuple):
    """An occurrence of a passage: ``text`` ends with ``parsed.text[start:end]`` (characters).

    It is exactly that but for a section's ``lead`` in front.
    """

    text: str
    start: int
    end: int
    headings: tuple[str, ...] = ()
    page: int | None = None
    place: str = ""


# ---- asking for work -----------------------------------------------------------------


class Budget(NamedTuple):
    """How much one run may do before it stops cleanly; 0 is no limit."""

    seconds: float = 0.0
    passages: int = 0


class Ask(NamedTuple):
    """A trigger's "please look".

    ``paths`` empty: everything; a folder's key means all below it. ``urgent`` overtakes a run at
    work between two batches. ``since_ns``: wall time of the first event behind it, 0 unknown.
    ``due_ns``: the scheduled instant it stands for. ``actor`` empty: the user of the process.
    ``released``: documents whose deletion somebody confirmed; ``allow_deletions`` then means these alone.
    """

    trigger: str
    paths: tuple[Key, ...] = ()
    urgent: bool = False
    since_ns: int = 0
    due_ns: int = 0
    budget: Budget = Budget()
    verify_content: bool = False
    allow_deletions: bool = False
    actor: str = ""
    client: str = ""
    released: tuple[Key, ...] = ()


# ---- looking and deciding ------------------------------------------------------------


class ChangeKind(StrEnum):
    """How a file differs from what the catalog knows of it."""

    ADDED = "added"
    MODIFIED = "modified"
    TOUCHED = "touched"
    DELETED = "deleted"
    UNKNOWN = "unknown"


class Seen(NamedTuple):
    """One regular file as the walk saw it."""

    path: str
    stat: FileStat


class Skipped(NamedTuple):
    """Something in the folder that is not a candidate, and the rule that says so."""

    path: str
    rule: Message


# ---- answers -------------------------------------------------------------------------


Mode = Literal["hybrid", "vector", "lexical"]
"""How passages are found: by meaning, by their words, or by both."""


class Filters(NamedTuple):
    """Which documents a search may return; every given condition must hold, an empty one restricts nothing."""

    inside: str = ""  # a glob or folder over source/path
    source: str = ""
    types: tuple[str, ...] = ()  # suffixes: ".pdf"
    after: str = ""  # ISO: what is found became visible at this time or later
    before: str = ""  # ISO: ... before this time
    label: str = ""  # the document's own version label: "v3.1"


class Hit(NamedTuple):
    """One found chunk; offsets are characters.

    ``score`` is the cosine in [-1, 1] (0.0 in mode "lexical", which asks no model). ``fused`` is what hybrid
    search orders by, ``found_by`` says who found it: "vector", "lexical".
    """

    key: Key
    text: str
    score: float
    headings: tuple[str, ...]
    page: int | None
    start: int
    end: int
    title: str
    commit: int
    sha256: str
    passage: int
    metadata: Mapping[str, object] = EMPTY
    place: str = ""
    label: str = ""
    fused: float = 0.0
    found_by: tuple[str, ...] = ()
