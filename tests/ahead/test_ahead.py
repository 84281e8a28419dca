"""Files are parsed side by side, and the index is the one a run file by file makes."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pytest

from indexer import KnowledgeBase
from indexer.core.errors import Interrupted, ParserDied, ParseRefused
from indexer.core.model import Parsed, Section, State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers
from indexer.settings import Settings

HASHED = {"embedding.model": "python:indexer.embed.hashing:HashEmbedder"}


class Slow:
    """A parser of ``.slow`` files that says how many it was asked for at once; ``think`` is its work."""

    def __init__(self, think: Callable[[str], None]) -> None:
        self.think, self.asked, self.now, self.most = think, list[str](), 0, 0
        self.lock = threading.Lock()

    def supports(self, path: str) -> bool:
        return path.endswith(".slow")

    def trusted(self, path: str) -> bool:
        return False

    def suffixes(self) -> Collection[str]:
        return (".slow",)

    def fingerprint(self) -> Mapping[str, str]:
        return {"slow": "1"}

    def parse(self, path: str, data: bytes) -> Parsed:
        with self.lock:
            self.asked.append(path)
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            self.think(path)
        finally:
            with self.lock:
                self.now -= 1
        return Parsed((Section(data.decode()),), State.INDEXED, (), "slow")

    def close(self) -> None:
        pass


def folder(tmp_path: Path, count: int) -> KnowledgeBase:
    """A knowledge base with so many files, two workers."""
    docs = tmp_path / "knowledge_base"
    docs.mkdir()
    for i in range(count):
        (docs / f"{i:03}.slow").write_text(f"document number {i} speaks of subject {i * 7}")
    (tmp_path / "indexer.toml").write_text("workers = 2\n")
    return KnowledgeBase(tmp_path, flags=HASHED)


def test_both_workers_are_busy_and_the_order_is_kept(tmp_path: Path) -> None:
    """Two files are parsed at a time; documents enter the index in the order of their names."""
    kb = folder(tmp_path, 12)
    parser = Slow(lambda path: time.sleep(0.05 if path == "000.slow" else 0.01))
    told: list[str] = []
    report = kb.update(parser=parser, tell=lambda kind, facts: told.append(facts["path"]) if kind == "file" else None)
    assert report.exit_code == 0
    assert parser.most == 2
    assert told == [f"{i:03}.slow" for i in range(12)]
    assert {h.key.path for h in kb.search("document number 11 speaks of subject 77", 12)} == set(told)
    kb.close()


def test_what_is_in_work_is_bounded(tmp_path: Path) -> None:
    """A slow first file lets only a few others run ahead: memory does not grow with the folder."""
    kb = folder(tmp_path, 60)
    seen: list[int] = []
    gate = threading.Event()

    def think(path: str) -> None:
        if path == "000.slow":
            gate.wait(20)
        elif len(parser.asked) >= 8:
            seen.append(len(parser.asked))
            time.sleep(0.3)
            seen.append(len(parser.asked))
            gate.set()

    parser = Slow(think)
    kb.update(parser=parser)
    assert max(seen[:2]) <= 10
    kb.close()


def test_a_copy_is_parsed_once(tmp_path: Path) -> None:
    """Equal bytes in work at the same time wait for one answer."""
    kb = folder(tmp_path, 3)
    for i in range(6):
        (tmp_path / "knowledge_base" / f"copy{i}.slow").write_text("document number 1 speaks of subject 7")
    parser = Slow(lambda path: time.sleep(0.02))
    kb.update(parser=parser)
    assert len(parser.asked) == 3
    assert len({h.key.path for h in kb.search("document number 1 speaks of subject 7", 7) if h.score > 0.99}) == 7
    kb.close()


def test_each_failure_stays_with_its_file(tmp_path: Path) -> None:
    """A refused and a crashing file are reported as themselves, their neighbours are indexed."""
    kb = folder(tmp_path, 10)

    def think(path: str) -> None:
        if path == "003.slow":
            raise ParseRefused("The file is damaged: it is cut off or no zip package. Restore it from a good copy")
        if path == "004.slow":
            raise ParserDied("The parser gave no valid answer; save the file again, or exclude it")

    report = kb.update(parser=Slow(think))
    assert {k.path: p.state for k, p in report.tally.problems.items()} == {"003.slow": "failed", "004.slow": "failed"}
    assert len(kb.reader().documents()) == 8
    kb.close()


def test_a_stop_does_not_wait_for_a_parser(tmp_path: Path) -> None:
    """Ctrl-C ends the run while a file is being parsed; what was committed stays, no attempt is held against a file."""
    kb = folder(tmp_path, 6)
    gate, began = threading.Event(), time.monotonic()

    def stop() -> None:
        if time.monotonic() - began > 0.5:
            raise Interrupted("stopped")

    with pytest.raises(Interrupted):
        kb.update(parser=Slow(lambda path: gate.wait(60) and None), stop=stop)
    assert time.monotonic() - began < 30
    gate.set()
    parser = Slow(lambda path: None)
    assert kb.update(parser=parser).exit_code == 0
    assert len(kb.reader().documents()) == 6
    kb.close()


def test_a_stop_ends_the_parser_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop in the middle of a real parser leaves no process and no folder behind."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "hanging.py").write_text(
        "import time\nclass Loader:\n    def __init__(self, path): pass\n    def lazy_load(self):\n        time.sleep(600)\n"
    )
    kb = folder(tmp_path, 4)
    parser = Parsers(ParseLimits(), {".slow": "hanging:Loader"}, 2)

    def stop() -> None:
        if len(list(scratch.glob("indexer-parse-*/copy-*"))) == 2:
            raise Interrupted("stopped")

    began = time.monotonic()
    with pytest.raises(Interrupted):
        kb.update(parser=parser, stop=stop)
    assert time.monotonic() - began < 60
    assert list(scratch.iterdir()) == []
    kb.close()


def test_the_default_is_one_worker_a_core() -> None:
    """Zero means as many as there are cores, at most four."""
    from indexer.batches import workers_of

    assert 1 <= workers_of(Settings("/").workers) <= 4
    assert workers_of(7) == 7
