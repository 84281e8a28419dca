"""A small knowledge base whose audit trail is looked at, and hands that tamper with it."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from indexer import KnowledgeBase
from indexer.care.verify import verify
from indexer.cli import main
from indexer.look import Request
from indexer.report import Report
from indexer.store.batch import Batch
from indexer.store.local import Store
from indexer.store.lock import writer_lock
from indexer.update import update

DAY = 86_400 * 10**9
MODEL = '[embedding]\nmodel = "python:indexer.embed.hashing:HashEmbedder"\noptions = { dimension = 16 }\n'


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its one JSON document."""
        return json.loads(self.out)


class Lab:
    """``home`` with ``indexer.toml``; files are written old enough to be trusted at once."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.capsys, self.files = home, capsys, home / "knowledge_base"
        self.files.mkdir(parents=True)
        self.configure()

    def configure(self, top: str = "", size: int = 256) -> None:
        """Write ``indexer.toml``; another ``size`` is another profile."""
        text = f"min_free_mb = 0\n{top}\n[split]\nsize = {size}\noverlap = 20\n{MODEL}"
        (self.home / "indexer.toml").write_text(text, "utf-8")

    @property
    def kb(self) -> KnowledgeBase:
        """A fresh one."""
        return KnowledgeBase(self.home)

    def put(self, name: str | bytes, text: str) -> str:
        """Write a document; returns its SHA-256."""
        path = os.path.join(os.fsencode(self.files), name if isinstance(name, bytes) else name.encode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode())
        at = time.time() - 1000
        os.utime(path, (at, at))
        return hashlib.sha256(text.encode()).hexdigest()

    def update(self, days: float = 0, **request: Any) -> Report:
        """One run, so many days from now."""
        kb = self.kb
        return update(kb.world(now_ns=lambda: time.time_ns() + int(days * DAY)), Request(**request))

    def run(self, *words: str) -> Said:
        """One command in this process."""
        self.capsys.readouterr()
        code = main([words[0], "--home", str(self.home), *words[1:]])
        told = self.capsys.readouterr()
        return Said(code, told.out, told.err)

    @property
    def catalog(self) -> Path:
        """The served catalog."""
        return self.kb.layout.metadata / (self.kb.layout.served() or "") / "catalog.db"

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The served generation, open for writing."""
        kb = self.kb
        with writer_lock(kb.layout.lock):
            store = Store.open(kb.layout, kb.layout.served() or "")
            try:
                yield store
            finally:
                store.close()

    def findings(self) -> list[str]:
        """What ``verify`` says."""
        with self.store() as store:
            return [str(f.message) for f in verify(store)]

    # ---- reading and tampering past the product ----------------------------------------

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Straight into the served catalog."""
        with closing(sqlite3.connect(self.catalog)) as con, con:
            return con.execute(statement, values).fetchall()

    def entries(self) -> list[dict[str, Any]]:
        """All entries, read by hand."""
        return [json.loads(zlib.decompress(e)) for (e,) in self.sql("SELECT entry FROM audit ORDER BY n")]

    def hashes(self) -> list[str]:
        """All hashes, made by hand."""
        return [
            hashlib.sha256(zlib.decompress(e)).hexdigest() for (e,) in self.sql("SELECT entry FROM audit ORDER BY n")
        ]

    def alter(self, n: int, **facts: Any) -> None:
        """Let an entry say something else."""
        [(stored,)] = self.sql("SELECT entry FROM audit WHERE n=?", n)
        self.sql("UPDATE audit SET entry=? WHERE n=?", packed({**json.loads(zlib.decompress(stored)), **facts}), n)


def packed(facts: dict[str, Any]) -> bytes:
    """An entry as stored."""
    return zlib.compress(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode())


def documents(entry: dict[str, Any]) -> dict[str, tuple[str | None, str | None]]:
    """Path to SHA-256 before and after."""
    return {path: (before, after) for _, path, before, after in entry["documents"]}


def script(path: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a script that knows nothing of the product."""
    command: Sequence[str] = [sys.executable, "-I", str(path), *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


__all__ = ["DAY", "Batch", "Lab", "Said", "documents", "packed", "script"]
