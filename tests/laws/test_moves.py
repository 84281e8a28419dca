"""A moved document is missing in no commit, within a source and from one to another."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest

from indexer import KnowledgeBase, batches
from indexer.core.tables import EmbeddingSettings, Source, SplitSettings
from indexer.settings import Settings

COUNT = 12


def later() -> int:
    """Ten seconds from now."""
    return time.time_ns() + 10 * 10**9


class Died(BaseException):
    """Nobody catches it."""


def kb_of(home: Path) -> KnowledgeBase:
    """Two sources, deletions never held."""
    sources = tuple(Source(name, str(home / name)) for name in ("first", "second"))
    embedding = EmbeddingSettings("python:law_embedder:LawEmbedder", options={"dimension": 16, "salt": ""})
    return KnowledgeBase(
        Settings(
            home=str(home),
            sources=sources,
            split=SplitSettings(200, 0),
            min_free_mb=0,
            embedding=embedding,
            hold_min_documents=1000,
        )
    )


@pytest.mark.parametrize(("old", "new"), [("first", "second"), ("second", "first"), ("first", "first/elsewhere")])
@pytest.mark.parametrize("edited", [0, 3])
def test_a_moved_document_is_always_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, edited: int
) -> None:
    """Though the update makes many commits, each of them shows every text."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "stays.txt").write_text("It stays.")
    for n in range(COUNT):
        (tmp_path / old / f"{n:02d}.txt").write_text(f"Document number {n:02d}.")
    kb = kb_of(tmp_path)
    before = kb.update().commit
    (tmp_path / new).mkdir(exist_ok=True)
    for n in range(COUNT):
        (tmp_path / old / f"{n:02d}.txt").rename(tmp_path / new / f"{n:02d}.txt")
    for n in range(edited):
        (tmp_path / new / f"new{n}.txt").write_text(f"Also new: {n}.")
    monkeypatch.setattr(batches, "_MANY", 4)
    report = kb.update()
    assert len(report.tally.moved) == COUNT
    assert report.tally.embedded == edited
    assert report.commit > before + 2
    for commit in range(before, report.commit + 1):
        texts = {h.text for h in kb.search("document", 100, as_of=str(commit))}
        assert texts >= {"It stays.", *(f"Document number {n:02d}." for n in range(COUNT))}, f"commit {commit}"
    kb.close()


@pytest.mark.parametrize("after", range(1, 5))
def test_a_death_between_the_new_name_and_the_end_of_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Whichever commit was the last: the next update ends what is gone."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    (tmp_path / "first" / "stays.txt").write_text("It stays.")
    for n in range(COUNT):
        (tmp_path / "first" / f"{n:02d}.txt").write_text(f"Document number {n:02d}.")
    (tmp_path / "first" / "gone.txt").write_text("It goes away.")
    kb = kb_of(tmp_path)
    kb.update(now_ns=later)  # nothing is young, so each folder's record is settled
    (tmp_path / "first" / "gone.txt").unlink()
    for n in range(COUNT):
        (tmp_path / "first" / f"{n:02d}.txt").rename(tmp_path / "second" / f"{n:02d}.txt")
    monkeypatch.setattr(batches, "_MANY", 4)
    commits: list[str] = []

    def tell(kind: str, facts: object) -> None:
        commits.extend([kind] if kind == "commit" else [])
        if len(commits) == after:
            raise Died

    with suppress(Died):
        kb.update(tell=tell, now_ns=later)
    kb.update(now_ns=later)
    assert kb.searchable() == {"stays.txt", *(f"{n:02d}.txt" for n in range(COUNT))}
    kb.close()
