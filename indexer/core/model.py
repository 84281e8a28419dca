"""The frozen values every other module speaks in.

Pure data: no disk, no clock, no third-party import. Paths inside a source are `str`
decoded with ``surrogateescape`` (any byte a file name may hold survives); use
:func:`raw` for the bytes and :func:`display` for people.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple


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
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence for a person: an English template and its values.

    The template is the key of the translation, so a stored reason can be shown in the
    language of whoever reads it later.
    """

    text: str
    args: Mapping[str, object] = field(default_factory=dict)

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


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document with one locator.

    ``text`` keeps its own trailing line ends: the parsed text of a document is the plain
    concatenation of its sections. ``page`` counts from 1. A ``table`` or ``code`` section
    is split between lines only, and kept whole where it fits.
    """

    text: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser made of one file's bytes.

    ``state`` is INDEXED, WARNED or NO_TEXT; a file that cannot be read raises
    :class:`indexer.core.errors.ParseRefused` instead. ``notes`` says why it is WARNED or
    NO_TEXT. ``details`` is small and JSON-able (encoding chosen, pages, title ...).
    """

    sections: tuple[Section, ...]
    state: State = State.INDEXED
    notes: tuple[Message, ...] = ()
    parser: str = ""
    title: str = ""
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The parsed text that chunk spans refer to."""
        return "".join(s.text for s in self.sections)


@dataclass(frozen=True, slots=True)
class Chunk:
    """An occurrence of a passage: ``text == parsed.text[start:end]`` (characters)."""

    text: str
    start: int
    end: int
    headings: tuple[str, ...] = ()
    page: int | None = None


# ---- settings (validated in config.py, plain here) -----------------------------------


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """Sizes in characters."""

    size: int = 256
    overlap: int = 50


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """What one file may cost. Times in seconds, sizes in MiB, output in characters."""

    cpu_seconds: float = 60.0
    wall_seconds: float = 120.0
    memory_mb: int = 1024
    inflated_mb: int = 200
    file_mb: int = 200
    output_chars: int = 50_000_000


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which model makes the vectors.

    ``model`` is ``builtin:e5-small``, ``builtin:use-multilingual``, ``openai:<model>``
    (with ``base_url``), ``python:<package.module:Class>`` (a LangChain ``Embeddings``),
    or a sentence-transformers name or folder. ``options`` are keyword arguments for
    ``python:`` classes.
    """

    model: str = "builtin:e5-small"
    precision: str = "int8"
    device: str = "cpu"
    threads: int = 0  # 0: one per core
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    query_prefix: str | None = None  # None: what the model's card says
    passage_prefix: str | None = None
    batch_size: int = 0  # 0: the engine's own choice
    timeout_seconds: float = 60.0
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """A configured root folder. ``path`` is absolute; patterns have gitignore syntax."""

    name: str
    path: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


# ---- looking and deciding ------------------------------------------------------------


class ChangeKind(StrEnum):
    """How a file differs from what the catalog knows of it."""

    ADDED = "added"
    MODIFIED = "modified"
    TOUCHED = "touched"
    DELETED = "deleted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Seen:
    """One regular file as the walk saw it."""

    path: str
    stat: FileStat


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in the folder that is not a candidate, and the rule that says so."""

    path: str
    rule: Message


# ---- answers -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hit:
    """One found chunk. ``score`` is the cosine in [-1, 1]; offsets are characters."""

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
    metadata: Mapping[str, object] = field(default_factory=dict)


def lines(items: Mapping[str, int]) -> Iterator[str]:
    """``name count`` pairs, zero counts left out."""
    return (f"{k} {v}" for k, v in items.items() if v)
