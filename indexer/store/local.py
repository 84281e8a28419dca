"""One generation of the store on the local disk: catalog, texts and segments together.

    metadata/HEAD                      name of the served generation
    metadata/writer.lock
    metadata/<generation>/catalog.db   + texts/<segment>.texts
    vectorstore/<generation>/<segment>.faiss, snapshots/<commit>/

A generation is one profile, filled once; another profile (or a rebuild after damage) is
filled beside it, then HEAD is replaced. Readers notice and reopen.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from errno import EISDIR, ELOOP, ENOTDIR
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import IndexerError, StoreDamaged
from . import audit, disk, publish, texts, tip, vectors
from .author import Author
from .batch import Batch, removal
from .catalog import NAME, Catalog, stamp

if TYPE_CHECKING:
    from .vectors import Vectors


class Layout(NamedTuple):
    """Where the state of a knowledge base lies."""

    metadata: Path
    vectorstore: Path

    @property
    def head(self) -> Path:
        """Names the served generation."""
        return self.metadata / "HEAD"

    @property
    def lock(self) -> Path:
        """Held by the process that writes."""
        return self.metadata / "writer.lock"

    def generations(self) -> list[str]:
        """Every generation with a catalog file, oldest first."""
        found = [p.parent for p in self.metadata.glob(f"*/{NAME}")]
        return [
            p.name
            for p in sorted(found, key=lambda p: (int(p.name.rpartition("-")[2] or 0), p.name))
            if _NAME.fullmatch(p.name)
        ]

    def served(self) -> str | None:
        """The generation HEAD names, None before the first; raises StoreDamaged."""
        try:
            name = self._head_text()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as e:
            raise StoreDamaged("{path} cannot be read; run `indexer repair`.", path=str(self.head)) from e
        if not _NAME.fullmatch(name):
            raise StoreDamaged("{path} does not name a generation; run `indexer repair`.", path=str(self.head))
        return name

    def _head_text(self) -> str:
        """What HEAD says; a disk that fails once is asked again."""
        try:
            return self.head.read_text("utf-8").strip()
        except FileNotFoundError:
            raise
        except OSError:
            return self.head.read_text("utf-8").strip()

    def named(self) -> str | None:
        """The generation HEAD names, None when it is missing, damaged or names what is not there.

        Raises IndexerError when the disk does not give it: a served history must not be taken for none.
        """
        try:
            name = self.served()
        except StoreDamaged as e:
            if isinstance(e.__cause__, OSError) and e.__cause__.errno not in (EISDIR, ENOTDIR, ELOOP):
                raise IndexerError(_FAILED, path=str(self.head), why=e.__cause__.strerror or "") from e
            return None
        return name if name is not None and any((root / name).is_dir() for root in self) else None

    def serve(self, generation: str) -> None:
        """Replace HEAD: from here on readers open this generation."""
        disk.write_new(self.head, f"{generation}\n".encode())

    def new_generation(self, profile: str) -> str:
        """A name no generation had before."""
        taken = [p.name for root in (self.metadata, self.vectorstore) if root.is_dir() for p in root.iterdir()]
        numbers = [int(m[2]) for name in taken if (m := _NAME.fullmatch(name))]
        return f"{profile[:16]}-{max(numbers, default=0) + 1}"


_FAILED = (
    "The disk failed while {path} was used ({why}). Check the disk and run the update again; the last commit stands."
)
_NAME = re.compile(r"([0-9a-f]{16})-(\d+)")


def generation_number(name: str) -> int:
    """The running number in a generation's name, 0 when it is none's."""
    match = _NAME.fullmatch(name)
    return int(match[2]) if match else 0


class Store:
    """The writer's view of one generation; held under ``writer.lock``."""

    def __init__(self, layout: Layout, generation: str, catalog: Catalog) -> None:
        self.layout, self.generation, self.catalog = layout, generation, catalog
        self.folder = layout.metadata / generation
        self.texts_folder = self.folder / "texts"
        self.vectors_folder = layout.vectorstore / generation
        self.author = Author()  # of every batch that names none

    @classmethod
    def open(cls, layout: Layout, generation: str) -> Store:
        """Open an existing generation for writing; raises StoreDamaged."""
        return cls(layout, generation, Catalog.open(layout.metadata / generation))

    @classmethod
    def create(cls, layout: Layout, profile: str, meta: Mapping[str, Any], first_commit: int = 0) -> Store:
        """Start an empty generation of a profile beside whatever is served."""
        generation = layout.new_generation(profile)
        disk.make_folder(layout.vectorstore / generation)
        disk.make_folder(layout.metadata / generation / "texts")
        return cls(layout, generation, Catalog.create(layout.metadata / generation, meta, first_commit))

    def close(self) -> None:
        """Close the catalog."""
        self.catalog.close()

    def segment_paths(self, segment: int) -> tuple[Path, Path]:
        """(vectors, texts) files of a segment."""
        return self.vectors_folder / f"{segment:06d}.faiss", self.texts_folder / f"{segment:06d}.texts"

    def add_documents(self, batch: Batch) -> int:
        """Publish a batch: new passages and vectors, versions, file states, in one commit.

        Returns the number of the commit in force afterwards.
        """
        new_ids, segment = {}, None
        if batch.texts:
            if batch.vectors is None or len(batch.vectors) != len(batch.texts):
                raise ValueError("one vector per new passage is needed")
            first = int(self.catalog.db.value("SELECT seq FROM sqlite_sequence WHERE name='passage'") or 0) + 1
            new_ids = {key: first + i for i, key in enumerate(batch.texts)}
            segment = self.write_segment(
                list(new_ids.values()), [t.encode() for t in batch.texts.values()], batch.vectors
            )
        self.attribute(batch)
        before = self.catalog.head()
        with self.catalog.db.write():
            n = publish.write_batch(self.catalog, batch, new_ids, segment)
        if n != before:
            self.note_tip()
        return n

    def attribute(self, batch: Batch) -> None:
        """Say what the audit entry of a batch must: on whose behalf, whether it takes effect now, what was lost."""
        batch.author = batch.author if batch.author.actor else self.author
        batch.audited = self.layout.named() in (None, self.generation)
        known = tip.read(self.folder)
        behind = known is not None and known.commit > self.catalog.head()
        batch.lost = (known.commit, known.hash) if known is not None and behind else audit.lost(self.catalog)

    def note_tip(self) -> None:
        """Put the newest commit on record outside the catalog; of a later one that was lost the next audit entry tells."""
        n, hash_ = self.catalog.db.one("SELECT n,hash FROM log ORDER BY n DESC LIMIT 1") or (0, b"")
        known = tip.read(self.folder)
        if known is not None and known.commit > n:
            with self.catalog.db.write():
                audit.note_lost(self.catalog, known)
        tip.note(self.folder, n, hash_)

    def lost(self) -> int:
        """Number of the newest commit that was published and is not in the catalog any more, else 0."""
        known = tip.read(self.folder)
        return known.commit if known is not None and known.commit > self.catalog.head() else 0

    def delete(self, source: int, paths: Sequence[bytes], run: int, at: int) -> int:
        """Take documents out of what searches see, in one commit."""
        rows = self.catalog.documents(source, paths)
        batch = Batch(run=run, at=at, settled=[removal(r) for r in rows.values()])
        return self.add_documents(batch)

    def write_segment(
        self, ids: Sequence[int], data: Sequence[bytes], rows: Vectors, segment: int | None = None
    ) -> tuple[Any, ...]:
        """Write the two files of a segment; returns its catalog row. Unnamed until committed."""
        if segment is None:
            segment = int(self.catalog.db.value("SELECT seq FROM sqlite_sequence WHERE name='segment'") or 0) + 1
        vector_path, text_path = self.segment_paths(segment)
        vector_bytes, text_bytes = vectors.encode(ids, rows), texts.encode(ids, data)
        for path in (text_path, vector_path):
            disk.make_folder(path.parent)  # somebody may have removed all vectors
        disk.write_new(text_path, text_bytes)
        disk.write_new(vector_path, vector_bytes)
        shas = (hashlib.sha256(vector_bytes).digest(), hashlib.sha256(text_bytes).digest())
        with disk.failures_named(self.vectors_folder):
            return (segment, ids[0], ids[-1], len(ids), *shas, stamp(vector_path), stamp(text_path))

    def snapshots_folder(self) -> Path:
        """Where this generation's snapshots lie."""
        return self.vectors_folder / "snapshots"
