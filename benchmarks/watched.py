"""A folder that a real daemon watches: is what can be found what lies there, and how soon?"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.replay import SUFFIXES, Wrong
from benchmarks.systems import EMBEDDINGS, ROOT
from indexer import KnowledgeBase

PATIENCE = 300.0
ALL = 10**7
_CONFIG = """\
[[sources]]
name = "kb"
path = {folder}
include = {include}
[embedding]
model = {model}
[watch]
enabled = true
debounce = {debounce}
"""
_SHOWN = """
SELECT d.path,d.sha FROM version v JOIN document d ON d.id=v.document JOIN content c ON c.id=v.content
WHERE v.removed IS NULL AND length(c.passages)>0 AND d.state='indexed'
"""


class How(NamedTuple):
    """How a history is played: commits a second, steps from pause to pause, quiet time of the watch, the model."""

    rate: float = 5.0
    every: int = 20
    debounce: float = 0.5
    model: str = f"python:{EMBEDDINGS}"


class Watched:
    """A knowledge base in ``work`` and the daemon that watches its folder."""

    def __init__(self, work: Path, how: How) -> None:
        self.home, self.folder, self.how = work / "home", work / "folder", how
        self.home.mkdir(parents=True)
        values = {"folder": str(self.folder), "include": [f"*{s}" for s in SUFFIXES], "model": how.model}
        text = _CONFIG.format(**{k: json.dumps(v) for k, v in values.items()}, debounce=how.debounce)
        (self.home / "indexer.toml").write_text(text, "utf-8")
        self.kb = KnowledgeBase(self.home)

    def command(self, *words: str) -> list[str]:
        """A command of the product on this knowledge base."""
        return [sys.executable, "-m", "indexer", *words, "--home", str(self.home)]

    @contextlib.contextmanager
    def daemon(self) -> Iterator[None]:
        """``indexer watch`` while the block runs; it must end well when asked to."""
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
        self.err = open(self.home / "daemon.err", "w", encoding="utf-8")  # noqa: SIM115 - closed below
        self.process = subprocess.Popen(self.command("watch"), stderr=self.err, env=environ, cwd=self.home)
        try:
            yield
            self.process.send_signal(signal.SIGTERM)
            if code := self.process.wait(60):
                raise Wrong(f"the daemon ended with exit code {code}")
        finally:
            self.process.kill()
            self.process.wait()
            self.err.close()
            self.kb.close()

    def right(self) -> tuple[float, int]:
        """Wait until what is found is what lies there: (seconds it took, held deletions released). Raises Wrong."""
        began, want, held = time.monotonic(), wanted(self.folder), 0
        while self.asked(_SHOWN) != want or not self.idle():
            if self.process.poll() is not None or time.monotonic() - began > PATIENCE:
                raise Wrong(self._difference(want))
            held += self._release() if self.idle() else 0
            time.sleep(0.05)
        took = time.monotonic() - began
        self._check(want)
        return took, held

    def idle(self) -> bool:
        """Whether the daemon says that it has nothing to do."""
        with contextlib.suppress(OSError, ValueError):
            state = json.loads((self.home / "metadata" / "daemon.json").read_text("utf-8"))
            return state["pid"] == self.process.pid and state["running"] is None and not state["waiting"]
        return False

    def _release(self) -> int:
        held = len(self.asked("SELECT path,1 FROM document WHERE held IS NOT NULL"))
        if held:
            done = subprocess.run(self.command("update", "--now", "--allow-deletions", "--json"), cwd=self.home, check=False,
                                  capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
            if done.returncode not in (0, 3):
                raise Wrong(f"held deletions were not released: {done.stderr}")
        return held

    def asked(self, sql: str, *args: object) -> dict[str, Any]:
        """Two columns of the served catalog, the first a path."""
        catalog = self.kb.catalog()
        if catalog is None:
            return {}
        try:
            return {os.fsdecode(path): value for path, value in catalog.db.all(sql, args)}
        finally:
            catalog.close()

    def value(self, sql: str, *args: object) -> int:
        """One number of the served catalog."""
        catalog = self.kb.catalog()
        if catalog is None:
            return 0
        try:
            return int(catalog.db.value(sql, args) or 0)
        finally:
            catalog.close()

    def _check(self, want: dict[str, bytes]) -> None:
        """A search that returns everything tells the same, and quotes what is there."""
        hits = self.kb.search("anything", ALL)
        if {h.key.path: bytes.fromhex(h.sha256) for h in hits} != want:
            raise Wrong("a search finds other documents than the catalog names")
        texts = {path: text_of(self.folder / path) for path in want if path.endswith((".md", ".txt"))}
        for h in hits:
            if h.key.path in texts and texts[h.key.path][h.start : h.end] not in h.text:
                raise Wrong(f"{h.key.path}: a chunk that is not in the file: {h.text[:60]!r}")

    def _difference(self, want: dict[str, bytes]) -> str:
        found = self.asked(_SHOWN)
        missing, extra = sorted(want.keys() - found.keys()), sorted(found.keys() - want.keys())
        old = sorted(p for p in want.keys() & found.keys() if want[p] != found[p])
        said = (self.home / "daemon.err").read_text("utf-8")[-500:]
        return f"missing {missing[:3]} ({len(missing)}), too much {extra[:3]} ({len(extra)}), old {old[:3]} ({len(old)})\n{said}"


def wanted(folder: Path) -> dict[str, bytes]:
    """Every supported file that holds any text, with the SHA-256 of its bytes."""
    files = ((p, p.read_bytes()) for p in folder.rglob("*") if p.is_file() and p.suffix.lower() in SUFFIXES)
    return {p.relative_to(folder).as_posix(): hashlib.sha256(data).digest() for p, data in files if data.strip()}


def text_of(file: Path) -> str:
    """The file's text as read by anybody: UTF-8, no byte order marks, one kind of line end."""
    return file.read_bytes().decode().replace("\ufeff", "").replace("\r\n", "\n")
