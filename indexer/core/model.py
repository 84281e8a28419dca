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


# ---- settings (validated in config.py, plain here) -----------------------------------


class SplitSettings(NamedTuple):
    """Sizes in characters; texts of numbered provisions are cut at ``provisions_factor`` times the size."""

    size: int = 256
    overlap: int = 50
    provisions_factor: int = 2


class ParseLimits(NamedTuple):
    """What one file may cost. Times in seconds, sizes in MiB, output in characters."""

    cpu_seconds: float = 60.0
    wall_seconds: float = 120.0
    memory_mb: int = 1024
    inflated_mb: int = 200
    file_mb: int = 200
    output_chars: int = 100_000_000
    page_seconds: float = 60.0  # more for each page whose picture is read (OCR)
    pages: int = 500  # so many pictures are read in one file
    extra_memory_mb: int = 2048  # more where pictures are read or LibreOffice runs


class EmbeddingSettings(NamedTuple):
    """Which model makes the vectors.

    ``model`` is ``builtin:e5-small``, ``builtin:use-multilingual``, ``openai:<model>``
    (with ``base_url``), ``python:<package.module:Class>`` (a LangChain ``Embeddings``),
    or a sentence-transformers name or folder. ``options`` are keyword arguments for
    ``python:`` classes.
    """

    model: str = "builtin:e5-small"
    precision: str = "auto"
    device: str = "cpu"
    threads: int = 0  # 0: one per core
    base_url: str = ""
    api_key: str = ""
    query_prefix: str | None = None  # None: what the model's card says
    passage_prefix: str | None = None
    batch_size: int = 0  # 0: the engine's own choice
    timeout_seconds: float = 60.0
    options: Mapping[str, object] = EMPTY

    def __repr__(self) -> str:
        """Everything but the key: settings end up in logs and error messages."""
        return "EmbeddingSettings(" + ", ".join(f"{n}={v!r}" for n, v in self._asdict().items() if n != "api_key") + ")"


class LlmSettings(NamedTuple):
    """Which language model answers questions. ``model`` empty: none, answers are sentences of the passages.

    ``provider`` is one of LangChain's ``init_chat_model``; "openai" with ``base_url`` is any server that speaks
    OpenAI's protocol. ``options``: further keyword arguments of its chat model. ``rerank``: a cross-encoder of
    sentence-transformers, or ``python:<package.module:Class>`` (a LangChain ``BaseDocumentCompressor``).
    """

    model: str = ""
    provider: str = "openai"
    base_url: str = ""
    api_key: str = ""
    temperature: float = 0.0
    timeout_seconds: float = 60.0  # the longest silence of the server
    max_tokens: int = 1024  # of an answer; 0: the server's own limit
    options: Mapping[str, object] = EMPTY
    rerank: str = ""
    rerank_options: Mapping[str, object] = EMPTY

    def __repr__(self) -> str:
        """Everything but secrets: settings end up in logs and error messages."""
        shown = self._replace(
            options=dict.fromkeys(self.options, "…"), rerank_options=dict.fromkeys(self.rerank_options, "…")
        )
        return "LlmSettings(" + ", ".join(f"{n}={v!r}" for n, v in shown._asdict().items() if n != "api_key") + ")"


class ScheduleSettings(NamedTuple):
    """When the daemon updates by itself: one of ``at`` (HH:MM), ``cron`` (five fields), ``every`` (6h, 90m, 1d).

    ``max_minutes`` and ``max_passages`` end a scheduled run cleanly; 0 is no limit.
    """

    enabled: bool = True
    at: str = "02:00"
    cron: str = ""
    every: str = ""
    time_zone: str = ""  # IANA name; "" is the system's
    catch_up: bool = True
    max_minutes: float = 0.0
    max_passages: int = 0
    verify_content: bool = False


class WatchSettings(NamedTuple):
    """Watch mode. Times in the unit of their name; ``debounce`` and ``max_wait`` in seconds."""

    enabled: bool = False
    debounce: float = 2.0  # quiet time after the last event; 0: at once
    max_wait: float = 30.0  # what keeps changing is looked at after this time anyway
    mode: str = "auto"  # auto, events, polling
    poll_seconds: float = 10.0
    full_look_minutes: float = 15.0
    probe_minutes: float = 60.0


class LogSettings(NamedTuple):
    """The daemon's log. ``file`` empty: logs/indexer.log in the metadata folder."""

    level: str = "info"  # debug, info, warning, error
    format: str = "auto"  # auto, text, json
    file: str = ""
    max_mb: float = 5.0
    backups: int = 3


class MetricsSettings(NamedTuple):
    """Where Prometheus metrics are served: ``127.0.0.1:9464``; empty: nowhere."""

    listen: str = ""


class ServeSettings(NamedTuple):
    """The web service. ``allowed_hosts``: names it answers to beside its own address; ``proxies``: addresses that
    are believed when they say for whom they ask."""

    enabled: bool = False
    listen: str = "127.0.0.1:8765"
    allowed_hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    max_upload_mb: int = 200
    rate_per_minute: int = 600  # requests of one client; 0: no limit
    concurrency: int = 16  # requests at work at once
    session_hours: float = 12.0  # how long a browser stays logged in
    mcp: bool = True  # the Model Context Protocol at /mcp


class NotifySettings(NamedTuple):
    """Whom to tell what, as apprise addresses (they may hold secrets)."""

    urls: tuple[str, ...] = ()
    on: tuple[str, ...] = ("changes", "failures", "held", "recovery")
    language: str = "auto"  # auto, en, zh

    def __repr__(self) -> str:
        """Everything but the addresses: settings end up in logs and error messages."""
        return f"NotifySettings(urls={len(self.urls)}, on={self.on!r}, language={self.language!r})"


class SearchSettings(NamedTuple):
    """How questions are answered when the caller does not say. ``per_document`` 0: never four of one in a row."""

    mode: str = "hybrid"  # hybrid, vector, lexical
    per_document: int = 0


class Source(NamedTuple):
    """A configured root folder. ``path`` is absolute; patterns have gitignore syntax."""

    name: str
    path: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


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
