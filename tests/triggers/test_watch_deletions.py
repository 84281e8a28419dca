"""Deletions that events told of, and the rules for deletions nobody saw happen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from indexer import KnowledgeBase
from indexer.core.model import Key
from indexer.core.tables import EmbeddingSettings, Source
from indexer.look import Request
from indexer.settings import Settings
from indexer.update import Report, update


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    """Eight documents in one folder, indexed."""
    for n in range(8):
        (tmp_path / f"kb/old/{n}").mkdir(parents=True)
        (tmp_path / f"kb/old/{n}/f.txt").write_text(f"text {n}")
    found = KnowledgeBase(
        Settings(
            str(tmp_path),
            sources=(Source("kb", str(tmp_path / "kb")),),
            embedding=EmbeddingSettings("python:indexer.embed.hashing:HashEmbedder"),
        )
    )
    _run(found, Request())
    return found


def _run(kb: KnowledgeBase, request: Request) -> Report:
    return update(kb.world(), request)


def _watch(*paths: str) -> Request:
    return Request(trigger="watch", paths=tuple(Key("kb", p) for p in paths))


def test_a_folder_seen_to_go_leaves_an_empty_source(kb: KnowledgeBase, tmp_path: Path) -> None:
    """An event named what went, and the root is the one on record: the documents go."""
    (tmp_path / "kb/old").rename(tmp_path / "gone")
    report = _run(kb, _watch("old"))
    assert (len(report.tally.deleted), report.unavailable, kb.searchable()) == (8, [], set())


@pytest.mark.parametrize("request_", [Request(), _watch(""), Request(paths=(Key("kb", "old"),))], ids=str)
def test_an_emptied_source_nobody_saw_is_held(kb: KnowledgeBase, tmp_path: Path, request_: Request) -> None:
    """A look at everything, and one that somebody asked for by name, cannot tell it from a share that is away."""
    (tmp_path / "kb/old").rename(tmp_path / "gone")
    report = _run(kb, request_)
    assert (len(report.tally.held), len(kb.searchable())) == (8, 8)


def test_another_root_is_no_proof(kb: KnowledgeBase, tmp_path: Path) -> None:
    """Events of a folder that is not the one on record: its emptiness says nothing of the documents."""
    shutil.move(tmp_path / "kb", tmp_path / "away")
    (tmp_path / "kb").mkdir()
    report = _run(kb, _watch("old"))
    assert (len(report.tally.held), len(kb.searchable())) == (8, 8)


def test_many_seen_to_go_are_held(kb: KnowledgeBase, tmp_path: Path) -> None:
    """More than ten documents and a fifth of the source: events tell that they went, not that it was meant."""
    for n in range(12):
        (tmp_path / f"kb/more/{n}").mkdir(parents=True)
        (tmp_path / f"kb/more/{n}/f.txt").write_text(f"more {n}")
    _run(kb, _watch("more"))
    shutil.rmtree(tmp_path / "kb/more")
    report = _run(kb, _watch("more"))
    assert (len(report.tally.held), len(kb.searchable())) == (12, 20)


def test_a_folder_renamed_is_moved_however_many(kb: KnowledgeBase, tmp_path: Path) -> None:
    """Both names in one request: nothing is deleted, held or embedded."""
    for n in range(12):
        (tmp_path / f"kb/old/{n}x.txt").write_text(f"more {n}")
    _run(kb, _watch("old"))
    (tmp_path / "kb/old").rename(tmp_path / "kb/new")
    report = _run(kb, _watch("old", "new"))
    assert (len(report.tally.moved), report.tally.held, report.tally.embedded) == (20, [], 0)
