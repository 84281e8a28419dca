"""Real runs of the real service: what they report is understood as it is meant."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from receivers import Hooks, http

from indexer.api import KnowledgeBase
from indexer.config import load_settings
from indexer.core.model import Ask
from indexer.logs import RunLog, mask_of, setup
from indexer.notify import Notifier
from indexer.service import Service

CONFIG = """
[embedding]
model = "python:indexer.embed.hashing:HashEmbedder"
[notify]
urls = ["json://127.0.0.1:{port}/"]
"""


class Daemon:
    """Service, log and notifier over one knowledge base."""

    def __init__(self, home: Path, port: int, more: str = "") -> None:
        home.mkdir()
        (home / "knowledge_base").mkdir()
        (home / "indexer.toml").write_text(more + CONFIG.format(port=port), "utf-8")
        self.home, self.stderr = home, io.StringIO()
        settings = load_settings(home, {}, {})
        self.log = setup(settings.log, settings.metadata, mask=mask_of(settings), stream=self.stderr, environ={})
        self.notifier = Notifier(settings, "en", self.log)
        self.kb = KnowledgeBase(settings)
        self.service = Service(self.kb, [RunLog(self.log), self.notifier])
        self.notifier.start()
        self.service.start()

    def put(self, name: str, data: bytes) -> Path:
        """Write a document that is old enough to be trusted."""
        file = self.home / "knowledge_base" / name
        file.write_bytes(data)
        os.utime(file, (time.time() - 100, time.time() - 100))
        return file

    def run(self, **values: object) -> None:
        """One run, from the request to its end."""
        outcome = self.service.ask(Ask("schedule", **values)).wait(120)  # type: ignore[arg-type]
        assert outcome is not None

    def close(self) -> None:
        """The end of everything."""
        assert self.service.stop(60)
        self.notifier.stop(seconds=60)
        self.kb.close()
        self.log.close()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[tuple[Daemon, Hooks]]:
    """A daemon and who receives its news."""
    with http() as (hooks, port):
        made = Daemon(tmp_path / "kb", port)
        try:
            yield made, hooks
        finally:
            made.close()


def test_a_knowledge_base_through_its_days(daemon: tuple[Daemon, Hooks]) -> None:
    """Filled, emptied by mistake, confirmed, a broken file, mended, the folder away and back: each told once."""
    it, hooks = daemon
    told: list[str] = []

    def day(*expected: str) -> str:
        """Two runs: what is told after the first, and that the second is silent; the body of the last."""
        told.extend(expected)
        it.run()
        it.run()
        hooks.wait(len(told), 60)
        assert [got["title"].removeprefix("[indexer] kb: ") for got in hooks.got] == told
        return str(hooks.got[-1]["message"])

    files = [it.put(f"{n:02d}.txt", f"Document number {n} about {n * 7}.".encode()) for n in range(30)]
    assert "  knowledge_base/00.txt\n" in day("added 30")
    for file in files[:20]:
        file.unlink()
    assert "  knowledge_base/19.txt\n" in day("deletions held: 20")
    told.append("held deletions settled: 20, deleted 20")
    it.run(allow_deletions=True)
    broken = it.put("broken.pdf", b"%PDF-1.7 and nothing else")
    assert "  knowledge_base/broken.pdf: " in day("files failed: 1")
    broken.unlink()
    day("files fixed: 1")
    folder = it.home / "knowledge_base"
    folder.rename(it.home / "away")
    assert "mount or restore it" in day("a source is not available")
    (it.home / "away").rename(folder)
    day("updates work again")
    files[25].write_text("Something else.")
    it.put("new.txt", b"Something new.")
    day("added 1, modified 1")


def test_every_run_is_in_the_log(daemon: tuple[Daemon, Hooks]) -> None:
    """Begin, commit and end with the run's number in the history."""
    it, _ = daemon
    it.put("a.txt", b"One document.")
    it.run()
    lines = [line.partition(" info    ")[2] for line in it.stderr.getvalue().splitlines() if "[run" in line]
    assert [line.partition("]")[2].split(" ")[1] for line in lines] == ["Run", "Commit", "Commit"]
    catalog = it.kb.catalog()
    assert catalog is not None
    number = catalog.db.value("SELECT max(id) FROM run")
    catalog.close()
    assert lines[-1].startswith(f"[run {number}] Commit 1: added 1")


def test_a_run_that_fails_has_its_number(tmp_path: Path) -> None:
    """No room on the disk: the log, the history and the letter name the same run."""
    with http() as (hooks, port):
        it = Daemon(tmp_path / "kb", port, more="min_free_mb = 1000000000\n")
        try:
            it.put("a.txt", b"One document.")
            it.run()
            hooks.wait(1)
        finally:
            it.close()
    assert hooks.got[0]["title"] == "[indexer] kb: the update failed"
    assert "Only " in hooks.got[0]["message"]
    assert "Run 1 (schedule), " in hooks.got[0]["message"]
    assert "error   [run 1] The run could not go on: Only " in it.stderr.getvalue()
    assert "info    [run 1] Run begins (schedule)" in it.stderr.getvalue()
