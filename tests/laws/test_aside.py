"""Requests served in the middle of a run: whatever they take, what is found equals the folder."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from reference import Walk, version

from indexer import KnowledgeBase
from indexer.care.verify import verify
from indexer.core.model import Key
from indexer.core.tables import SplitSettings
from indexer.store.local import Store
from indexer.update import Request, update

SPLIT = SplitSettings(40, 0)
NAMES = [f"{folder}{name}" for folder in ("", "a/", "a/b/", "c/") for name in ("1.txt", "2.md", "3.txt", "4.md")]


def knowledge(home: Path) -> KnowledgeBase:
    """Small batches, so that there are many moments in between."""
    (home / "kb").mkdir(parents=True)
    (home / "indexer.toml").write_text(
        "batch_passages = 3\nhold_min_documents = 1000\n[[sources]]\nname = 'one'\npath = 'kb'\n"
        f"[split]\nsize = {SPLIT.size}\noverlap = 0\n[embedding]\nmodel = 'python:law_embedder:LawEmbedder'\n"
    )
    return KnowledgeBase(home)


ASIDES: list[int] = []


class Folder:
    """The documents, and somebody who changes them."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.random, self.written = root, random.Random(seed), 0  # noqa: S311 - no secret

    def change(self) -> list[str]:
        """One random change; the paths an observer would name."""
        there = [n for n in NAMES if (self.root / n).is_file()]
        kind = self.random.choice(["write", "write", "write", "delete", "rename", "copy", "folder"])
        if kind == "write" or not there:
            return [self._write(self.random.choice(NAMES))]
        name, other = self.random.choice(there), self.random.choice(NAMES)
        if kind == "delete":
            (self.root / name).unlink()
            return [name]
        if kind == "folder":
            return self._move_folder()
        (self.root / other).parent.mkdir(parents=True, exist_ok=True)
        if kind == "rename":
            os.replace(self.root / name, self.root / other)
            return [name, other]
        if name != other:
            shutil.copyfile(self.root / name, self.root / other)
        return [other]

    def _write(self, name: str) -> str:
        path, self.written = self.root / name, self.written + 1
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            f"# {self.random.randint(1, 6)}",
            *(f"Line {self.random.randint(1, 40)} of a text." for _ in range(self.random.randint(0, 9))),
        ]
        path.write_text("\n".join(lines) + "\n")
        return name

    def _move_folder(self) -> list[str]:
        old, new = self.random.sample(["a", "c", "a/b", "d"], 2)
        if (self.root / old).is_dir() and not (self.root / new).exists() and not new.startswith(old):
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            os.rename(self.root / old, self.root / new)
            return [old, new]
        return []

    def wanted(self) -> set[tuple[str, str]]:
        """Path and text of every chunk that must be found."""
        files = Walk(self.root).files.items()
        return {(p, c) for p, data in files if data is not None for c in version(p, data, SPLIT, 0).chunks}


class Interrupting:
    """Changes files at some of the moments at which a run asks whether somebody waits."""

    def __init__(self, folder: Folder, share: float) -> None:
        self.folder, self.share, self.taken = folder, share, 0
        self.paths: list[str] = []

    def waiting(self) -> bool:
        """Now and then."""
        if not self.paths and self.taken < 12 and self.folder.random.random() < self.share:
            for _ in range(self.folder.random.randint(1, 3)):
                self.paths += self.folder.change()
        return bool(self.paths)

    def take(self) -> Request:
        """What was changed."""
        self.taken += 1
        paths, self.paths = self.paths, []
        return Request(paths=tuple(Key("one", p) for p in paths), trigger="watch", retry_now=False)


def found(kb: KnowledgeBase) -> set[tuple[str, str]]:
    """Path and text of every chunk that is found."""
    return {(h.key.path, h.text) for h in kb.search("line", 100_000)}


def sound(kb: KnowledgeBase) -> None:
    """Nothing in the store disagrees with anything else."""
    store = Store.open(kb.layout, kb.layout.served() or "")
    try:
        assert verify(store) == []
    finally:
        store.close()


@pytest.mark.parametrize("seed", range(int(os.environ.get("INDEXER_TEST_LAWS", "300")) // 10))
def test_changes_in_the_middle_of_a_run(tmp_path: Path, seed: int) -> None:
    """After a run in which others went first, and after the next change nobody announced, the folder is what is found."""
    kb = knowledge(tmp_path)
    folder = Folder(tmp_path / "kb", seed)
    asides = 0
    for _ in range(4):
        for _ in range(folder.random.randint(2, 12)):
            folder.change()
        between = Interrupting(folder, folder.random.choice([0.05, 0.2, 0.6]))
        world = kb.world(waiting=between.waiting, take=between.take)
        update(world, Request(trigger="schedule"))
        asides += between.taken
        if not between.paths:  # else it changed something and nobody asked any more
            assert found(kb) == folder.wanted()
        sound(kb)
        folder.change()
        kb.update()
        assert found(kb) == folder.wanted()
    sound(kb)
    kb.close()
    ASIDES.append(asides)


def test_there_were_some(figures: list[str]) -> None:
    """The histories above did what they are for."""
    assert sum(ASIDES) >= len(ASIDES)
    figures.append(f"{sum(ASIDES)} requests in the middle of {4 * len(ASIDES)} runs")
