"""Readers never wait and never fail while somebody writes (DESIGN 3.6)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from law_writer import Entry, Writer, kb_of, settings_of

from indexer import KnowledgeBase
from indexer.core.errors import IndexerError

HERE = Path(__file__).resolve().parent
COMMITS = 200


def _readers(home: Path) -> list[subprocess.Popen[bytes]]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(HERE / "law_reader.py"), str(home)]
    return [subprocess.Popen([*command, str(home / f"reader{i}"), str(i)], env=environ) for i in range(4)]


@pytest.mark.timeout(600)
def test_four_processes_search_while_commits_happen(tmp_path: Path, figures: list[str]) -> None:
    """200 commits with merges, snapshots, new profiles and garbage collection: no error, no step back, nothing dead."""
    writer = Writer(tmp_path)
    writer.update()
    readers = _readers(tmp_path)
    try:
        n = 0
        while len(writer.log) < COMMITS:
            writer.step(n)
            n += 1
    finally:
        (tmp_path / "stop").touch()
        for reader in readers:
            reader.wait(60)
    truth = {e.commit: e for e in writer.log}
    searches = 0
    for i in range(4):
        lines = [json.loads(line) for line in (tmp_path / f"reader{i}").read_text().splitlines()]
        assert not [x for x in lines if isinstance(x, dict)][:3], f"reader {i} failed"
        searches += len(lines)
        _check(i, lines, truth, writer.log)
    assert searches > 4 * 10
    figures.append(f"4 readers, {searches} searches during {len(writer.log)} commits, 0 errors")


def _check(reader: int, lines: list[list[object]], truth: dict[int, Entry], log: list[Entry]) -> None:
    """One commit an answer, exactly what it shows, never an older one than before, never one that is over."""
    last = 0
    for start, end, commits, found in lines:
        assert isinstance(commits, list)
        assert len(commits) == 1, "an answer mixes commits"
        commit = commits[0]
        assert commit >= last, f"back from commit {last} to {commit}"
        last = commit
        assert _shows(found, commit, truth), f"reader {reader}: commit {commit} shows something else"
        done = max((e.commit for e in log if e.returned < start), default=0)  # type: ignore[operator]
        begun = max((e.commit for e in log if e.began < end), default=0)  # type: ignore[operator]
        assert done <= commit <= begun, f"commit {commit} was answered, {done} was there before the question"


def _shows(found: object, commit: int, truth: dict[int, Entry]) -> bool:
    """Whether this is what the commit shows.

    While another profile is filled the old one may publish deletions under a number of its own:
    such a commit shows what the one before it showed, without what the one after it lost.
    """
    if commit in truth:
        return found == truth[commit].found
    before = max(c for c in truth if c < commit)
    update = truth[min(c for c in truth if c > commit)].began
    after = max(c for c, entry in truth.items() if entry.began == update)
    paths = {path for path, _ in truth[after].found}
    return found == [x for x in truth[before].found if x[0] in paths]


def test_two_updates_never_run_at_once(tmp_path: Path) -> None:
    """A second update, in another process, is turned away with exit code 7 and changes nothing."""
    from indexer.store.lock import writer_lock

    writer = Writer(tmp_path)
    writer.update()
    (tmp_path / "indexer.toml").write_text(
        '[[sources]]\nname = "kb"\npath = "kb"\n[embedding]\nmodel = "python:law_embedder:LawEmbedder"\n'
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    with writer_lock(tmp_path / "metadata/writer.lock"):
        command = [sys.executable, "-m", "indexer", "update", "--now", "--no-wait"]
        done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 7, done.stderr


def test_a_segment_that_was_merged_away_is_no_damage(tmp_path: Path) -> None:
    """A file that is gone is told from one that is damaged: the first is looked up anew, the second reported."""
    from indexer.core.errors import StoreDamaged
    from indexer.store.texts import Texts

    with pytest.raises(FileNotFoundError):
        Texts(tmp_path / "000001.texts")
    (tmp_path / "000002.texts").write_bytes(b"something else")
    with pytest.raises(StoreDamaged):
        Texts(tmp_path / "000002.texts")


@pytest.mark.parametrize("when", ["before it opens", "after it opened"])
def test_a_generation_that_goes_while_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """Whatever such a catalog gives, an error or what it held before its log went: the next generation answers."""
    from indexer.store.catalog import Catalog

    writer = Writer(tmp_path)
    writer.update()
    first, opening = kb_of(tmp_path), Catalog.open.__func__  # type: ignore[attr-defined]
    replaced: list[Path] = []

    def open_late(cls: type[Catalog], folder: Path, *, readonly: bool = False) -> Catalog:
        if not readonly or replaced:
            return opening(cls, folder, readonly=readonly)  # type: ignore[no-any-return]
        replaced.append(folder)
        catalog = opening(cls, folder, readonly=True) if when == "after it opened" else None
        second = KnowledgeBase(settings_of(tmp_path, size=100))
        second.update()
        second.close()
        assert not folder.exists()
        if catalog is None:
            raise IndexerError("The disk failed while it was used (disk I/O error).")
        return catalog  # type: ignore[no-any-return]

    monkeypatch.setattr(Catalog, "open", classmethod(open_late))
    hits = first.search("which document", 1000)
    assert replaced
    assert hits
    catalog = first.catalog()
    assert catalog is not None
    assert {h.commit for h in hits} == {catalog.head()}
    catalog.close()
    first.close()
