"""What the tables of the configuration say: plain here, validated in :mod:`indexer.config`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .model import EMPTY


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
