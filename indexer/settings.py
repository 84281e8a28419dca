"""What a run is told: the validated configuration as one plain frozen value.

Cheap to import on purpose (dataclasses only): the modules that work need the values, and
only :mod:`indexer.config` needs pydantic, and that only when something changed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from .core.model import EmbeddingSettings, ParseLimits, Source, SplitSettings

DEFAULT_SOURCE = "knowledge_base"


@dataclass(frozen=True, slots=True)
class Settings:
    """Every value a run depends on; paths are absolute, sizes say their unit in the name.

    ``home`` is the folder that holds ``indexer.toml``; ``metadata``, ``vectorstore`` and
    ``sources`` left empty become the three folders of the standard layout inside it.
    """

    home: str
    metadata: str = ""
    vectorstore: str = ""
    sources: tuple[Source, ...] = ()
    language: str = "auto"  # auto, en, zh
    split: SplitSettings = field(default_factory=SplitSettings)
    limits: ParseLimits = field(default_factory=ParseLimits)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    loaders: tuple[tuple[str, str], ...] = ()  # (".html", "package.module:Class"), sorted
    retention_days: int = 30  # how far back --as-of, diff and rollback reach
    snapshots_kept: int = 7
    snapshot_every_hours: int = 24
    scrub_days: int = 7  # each file is hashed again at least this often
    hold_min_documents: int = 10  # deletions are held when more than this many ...
    hold_share: float = 0.20  # ... and more than this share of a source is gone in one look
    attempts: int = 3  # a file that kills its parser is set aside after these
    batch_passages: int = 16384  # a commit is made after this many new passages ...
    batch_seconds: float = 15.0  # ... or this much time, whichever comes first
    min_free_mb: int = 200  # a run stops cleanly before the disk is fuller than this (MiB)

    def __post_init__(self) -> None:
        if not self.metadata:
            object.__setattr__(self, "metadata", os.path.join(self.home, "metadata"))
        if not self.vectorstore:
            object.__setattr__(self, "vectorstore", os.path.join(self.home, "vectorstore"))
        if not self.sources:
            only = Source(DEFAULT_SOURCE, os.path.join(self.home, DEFAULT_SOURCE))
            object.__setattr__(self, "sources", (only,))
