"""The truth: documents, versions, contents, passages, commits; one SQLite file a generation."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import StoreDamaged, UsageError
from ..core.model import Chunk, Message
from . import disk, schema
from .db import Db
from .seal import SEAL, seal

NAME = "catalog.db"
GONE = "gone"


class DocumentRow(NamedTuple):
    """What the catalog knows of one document; ``content`` is what searches see of it."""

    id: int
    source: int
    path: bytes
    sha: bytes | None
    state: str
    content: int | None
    notes: str | None
    tries: int
    retry_at: int | None
    denied: int
    held: int | None
    pinned: int | None
    metadata: str | None = None


DOCUMENT_COLUMNS = "id,source,path,sha,state,content,notes,tries,retry_at,denied,held,pinned,metadata"


class Spans(NamedTuple):
    """Where the chunks of a content lie: (start, end, index into places, page or 0).

    A place is a heading path and the format's own locator (lines, cells, time; mostly "").
    """

    places: tuple[tuple[tuple[str, ...], str], ...]
    spans: tuple[tuple[int, int, int, int], ...]

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> Spans:
        """The locators of chunks, places stored once."""
        places: dict[tuple[tuple[str, ...], str], int] = {}
        spans = [(c.start, c.end, places.setdefault((c.headings, c.place), len(places)), c.page or 0) for c in chunks]
        return cls(tuple(places), tuple(spans))

    def pack(self) -> bytes:
        """Compressed JSON; a place without a locator is the list of its headings."""
        places = [[*headings] if not place else {"in": headings, "at": place} for headings, place in self.places]
        return zlib.compress(json.dumps([places, self.spans], ensure_ascii=False, separators=(",", ":")).encode(), 1)

    @classmethod
    def unpack(cls, blob: bytes) -> Spans:
        """Inverse of :meth:`pack`; raises StoreDamaged."""
        try:
            places, spans = json.loads(zlib.decompress(blob))
        except (zlib.error, ValueError) as e:
            raise StoreDamaged("The catalog holds a damaged content ({why}); run `indexer repair`.", why=str(e)) from e
        return cls(tuple(map(_place, places)), tuple(map(tuple, spans)))


def _place(stored: list[str] | dict[str, Any]) -> tuple[tuple[str, ...], str]:
    return (tuple(stored["in"]), stored["at"]) if isinstance(stored, dict) else (tuple(stored), "")


def squeeze(files: bytes) -> bytes:
    """A packed folder as stored: inodes and stamps of neighbours share most of their bytes."""
    return zlib.compress(files, 1)


def expand(stored: bytes) -> bytes:
    """Inverse of :func:`squeeze`; raises StoreDamaged."""
    try:
        return zlib.decompress(stored)
    except zlib.error as e:
        raise StoreDamaged("The catalog holds a damaged folder ({why}); run `indexer repair`.", why=str(e)) from e


def pack_ids(ids: Iterable[int]) -> bytes:
    """Passage ids in chunk order as int64."""
    return array("q", ids).tobytes()


def unpack_ids(blob: bytes) -> list[int]:
    """Inverse of :func:`pack_ids`."""
    a = array("q")
    a.frombytes(blob)
    return a.tolist()


def notes_json(notes: Iterable[Message]) -> str | None:
    """Messages as stored: templates and values, so they can be shown in any language."""
    rows = [[m.text, dict(m.args)] for m in notes]
    return json.dumps(rows, ensure_ascii=True, default=str) if rows else None


def notes_of(stored: str | None) -> tuple[Message, ...]:
    """Inverse of :func:`notes_json`."""
    return tuple(Message(t, a) for t, a in json.loads(stored)) if stored else ()


class Catalog:
    """Reading access to one catalog; the writer adds :mod:`indexer.store.publish`."""

    def __init__(self, db: Db) -> None:
        self.db = db
        self._check()

    @classmethod
    def open(cls, folder: Path, *, readonly: bool = False) -> Catalog:
        """Open an existing catalog; raises StoreDamaged when it is missing or not whole."""
        path = folder / NAME
        if not path.is_file() or path.stat().st_size == 0:
            raise StoreDamaged("The catalog {path} is missing or empty; run `indexer repair`.", path=str(path))
        db = Db(path, readonly=readonly)
        try:
            return cls(db)
        except BaseException:
            db.close()
            raise

    @classmethod
    def create(cls, folder: Path, meta: Mapping[str, Any], first_commit: int = 0) -> Catalog:
        """Make a new, empty catalog whose next commit is ``first_commit + 1``."""
        disk.make_folder(folder)
        with disk.failures_named(folder):
            disk.step("create", folder / NAME)
        db = Db(folder / NAME)
        with db.write():
            _run_script(db, schema.TABLES)
            rows = {"format": schema.FORMAT, "first_commit": first_commit, **meta}
            db.run_many("INSERT INTO meta VALUES(?,?)", rows.items())
            catalog = cls(db)
            catalog.set_meta()
        return catalog

    def _check(self) -> None:
        """An older format is migrated before anything is written, and read as it is; a newer one is not touched."""
        found = self.meta("format")
        if found == schema.FORMAT:
            return
        facts = self.facts()
        if not isinstance(found, int) or found < 1 or facts.get(SEAL) != seal(facts):
            raise StoreDamaged(
                "The catalog {path} has format {found}, this version reads {known}; run `indexer repair`.",
                path=str(self.db.path),
                found=found,
                known=schema.FORMAT,
            )
        if found > schema.FORMAT:
            raise UsageError(
                "The catalog {path} was written by a newer version (format {found}, this one knows {known}). Install that version again.",
                path=str(self.db.path), found=found, known=schema.FORMAT,
            )  # fmt: skip
        if not self.db.readonly:
            self._migrate()

    def _migrate(self) -> None:
        with self.db.write():
            for step in range(int(self.meta("format")), schema.FORMAT):
                _run_script(self.db, schema.MIGRATIONS[step])
            self.set_meta(format=schema.FORMAT)

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    def meta(self, key: str) -> Any:
        """One recorded fact about the catalog, or None."""
        return self.db.value("SELECT value FROM meta WHERE key=?", (key,))

    def set_meta(self, **facts: Any) -> None:
        """Record facts and seal all there are, inside a write."""
        self.db.run_many("INSERT OR REPLACE INTO meta VALUES(?,?)", facts.items())
        self.db.run("INSERT OR REPLACE INTO meta VALUES(?,?)", (SEAL, seal(self.facts())))

    def facts(self) -> dict[str, Any]:
        """Every recorded fact."""
        return dict(self.db.all("SELECT key,value FROM meta"))

    def head(self) -> int:
        """Number of the newest commit (0 before the first)."""
        n = self.db.value("SELECT max(n) FROM log")
        return int(n if n is not None else self.meta("first_commit") or 0)

    def source_ids(self) -> dict[str, int]:
        """Source names to their ids here."""
        return {name: i for i, name in self.db.all("SELECT id,name FROM source")}

    def folders(self, source: int) -> dict[bytes, bytes]:
        """Folder paths to packed files, as last recorded."""
        rows = self.db.all("SELECT path,files FROM folder WHERE source=?", (source,))
        return {path: expand(files) for path, files in rows}

    def documents(self, source: int, paths: Sequence[bytes]) -> dict[bytes, DocumentRow]:
        """The rows of these paths, those that exist."""
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE source=? AND path IN ({{}})"
        return {r[2]: DocumentRow(*r) for r in self.db.among(sql, paths, (source,))}

    def held(self, source: int) -> dict[bytes, DocumentRow]:
        """Documents whose deletion waits for a confirmation."""
        rows = self.db.all(f"SELECT {DOCUMENT_COLUMNS} FROM document WHERE held IS NOT NULL AND source=?", (source,))
        return {r[2]: DocumentRow(*r) for r in rows}

    def contents(self, shas: Sequence[bytes]) -> dict[bytes, tuple[int, str, str | None]]:
        """SHA-256 to (content id, state, notes), those that exist."""
        rows = self.db.among("SELECT sha,id,state,notes FROM content WHERE sha IN ({})", shas)
        return {sha: (i, state, notes) for sha, i, state, notes in rows}

    def passages(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Passage keys to ids, those that exist."""
        return dict(self.db.among("SELECT key,id FROM passage WHERE key IN ({})", keys))

    def counts(self) -> dict[str, int]:
        """Documents by state; ``gone`` ones are history."""
        return dict(self.db.all("SELECT state,count(*) FROM document GROUP BY state"))


def _run_script(db: Db, script: str) -> None:
    for statement in filter(str.strip, script.split(";")):
        db.run(statement)


def stamp(path: Path) -> str:
    """Size and mtime of an immutable file: a cheap sign that it is still the one written."""
    st = os.stat(path)
    return f"{st.st_size} {st.st_mtime_ns}"


__all__ = ["GONE", "NAME", "Catalog", "DocumentRow", "Spans", "sqlite3"]
