"""What a run is told: the validated configuration as one plain frozen value.

Cheap to import on purpose (named tuples only): the modules that work need the values, and
only :mod:`indexer.config` needs pydantic, and that only when something changed.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from .core.following import FollowerSettings
from .core.tables import (
    EmbeddingSettings,
    LlmSettings,
    LogSettings,
    MetricsSettings,
    NotifySettings,
    ParseLimits,
    ScheduleSettings,
    SearchSettings,
    ServeSettings,
    Source,
    SplitSettings,
    WatchSettings,
)

DEFAULT_SOURCE = "knowledge_base"


class _Values(NamedTuple):
    """The fields of :class:`Settings`, in order, with their defaults."""

    home: str
    metadata: str = ""
    vectorstore: str = ""
    sources: tuple[Source, ...] = ()
    language: str = "auto"  # auto, en, zh
    split: SplitSettings = SplitSettings()
    limits: ParseLimits = ParseLimits()
    embedding: EmbeddingSettings = EmbeddingSettings()
    loaders: tuple[tuple[str, str], ...] = ()  # (".html", "package.module:Class"), sorted
    search: SearchSettings = SearchSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    watch: WatchSettings = WatchSettings()
    log: LogSettings = LogSettings()
    metrics: MetricsSettings = MetricsSettings()
    llm: LlmSettings = LlmSettings()
    serve: ServeSettings = ServeSettings()
    notify: NotifySettings = NotifySettings()
    followers: tuple[FollowerSettings, ...] = ()
    retention_days: int = 30  # how far back --as-of, diff and rollback reach
    audit_days: int = 0  # how long audit entries are kept; 0: for ever
    answers_days: int = 90  # how long answers are kept; 0: for ever
    snapshots_kept: int = 7
    snapshot_every_hours: int = 24
    scrub_days: int = 7  # each file is hashed again at least this often
    hold_min_documents: int = 10  # deletions are held when more than this many ...
    hold_share: float = 0.20  # ... and more than this share of a source is gone in one look
    attempts: int = 3  # a file that kills its parser is set aside after these
    loaders_network: str = "refused"  # or "allowed": whether configured loaders reach a network
    workers: int = 0  # processes that parse; 0: one per core, at most 4
    batch_passages: int = 16384  # a commit is made after this many new passages ...
    batch_seconds: float = 15.0  # ... or this much time, whichever comes first
    min_free_mb: int = 200  # a run stops cleanly before the disk is fuller than this (MiB)


class Settings(_Values):
    """Every value a run depends on; paths are absolute, sizes say their unit in the name.

    ``home`` is the folder that holds ``indexer.toml``; ``metadata``, ``vectorstore`` and
    ``sources`` left empty become the three folders of the standard layout inside it.
    """

    __slots__ = ()

    def __new__(cls, home: str, *args: object, **values: object) -> Settings:
        """Fill in the standard layout where paths are left empty."""
        plain = _Values(home, *args, **values)  # type: ignore[arg-type]
        only = Source(DEFAULT_SOURCE, os.path.join(home, DEFAULT_SOURCE))
        return cls._make(
            plain._replace(
                metadata=plain.metadata or os.path.join(home, "metadata"),
                vectorstore=plain.vectorstore or os.path.join(home, "vectorstore"),
                sources=plain.sources or (only,),
            )
        )
