"""Generated trees and the workloads on them."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmarks import trees

FILES = 200


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree that no test changes."""
    root = tmp_path_factory.mktemp("made")
    trees.make(root, FILES)
    return root


def state(root: Path) -> dict[str, str]:
    """Relative path → digest."""
    return {p.relative_to(root).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in trees.files_of(root)}


def test_every_top_folder_holds_five_percent(made: Path) -> None:
    """20 top folders, each with exactly one file in twenty, nested below."""
    tops = [len(trees.files_of(top)) for top in made.iterdir()]
    assert tops == [FILES // 20] * 20
    assert all(len(p.relative_to(made).parts) == 4 for p in trees.files_of(made))


def test_same_seed_same_tree(made: Path, tmp_path: Path) -> None:
    """A tree is a function of its size and seed."""
    trees.make(tmp_path / "a", FILES)
    trees.make(tmp_path / "b", FILES, seed=8)
    assert state(tmp_path / "a") == state(made)
    assert set(state(tmp_path / "b").values()).isdisjoint(state(made).values())


def test_files_have_the_promised_shape(made: Path) -> None:
    """2 to 8 KB, Chinese and English, past times, about 22.5 chunks a file at 256/50."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=256, chunk_overlap=50)
    files = trees.files_of(made)
    assert all(2048 <= p.stat().st_size <= 8192 + 2500 for p in files)
    assert all(p.stat().st_mtime < time.time() - 86_400 for p in files)
    chunks = sum(len(splitter.split_text(p.read_text(encoding="utf-8"))) for p in files)
    assert 20.5 <= chunks / FILES <= 24.5


def test_files_must_be_a_multiple_of_twenty(tmp_path: Path) -> None:
    """Otherwise no folder could hold exactly 5 %."""
    with pytest.raises(ValueError, match="multiple of 20"):
        trees.make(tmp_path, 50)


@pytest.mark.parametrize(
    ("workload", "added", "modified", "deleted"),
    [
        ("build", 0, 0, 0),
        ("noop", 0, 0, 0),
        ("edit", 0, 1, 0),
        ("delete", 0, 0, 1),
        ("edit1pct", 0, FILES // 100, 0),
        ("rename", FILES // 20, 0, FILES // 20),
        ("touch", 0, 0, 0),
    ],
)
def test_a_workload_does_what_it_says(workload: str, added: int, modified: int, deleted: int, tmp_path: Path) -> None:
    """Each workload adds, modifies and deletes exactly so many files, every time it is repeated."""
    trees.make(tmp_path, FILES)
    for turn in range(2):
        before = state(tmp_path)
        trees.WORKLOADS[workload](tmp_path, turn)
        after = state(tmp_path)
        assert len(after.keys() - before.keys()) == added
        assert len(before.keys() - after.keys()) == deleted
        assert sum(before[p] != after[p] for p in before.keys() & after.keys()) == modified


def test_an_edit_inserts_one_sentence_in_the_first_paragraph(tmp_path: Path) -> None:
    """Title and all later paragraphs stay as they were."""
    path = tmp_path / "a.txt"
    text = trees.Prose().document(3)
    trees.write(path, text, trees.BORN)
    trees.insert_sentence(path, "x")
    title, paragraph, rest = text.split("\n\n", 2)
    new_title, new_paragraph, new_rest = path.read_text(encoding="utf-8").split("\n\n", 2)
    assert (new_title, new_rest) == (title, rest)
    assert new_paragraph.replace(" 新增一句 One sentence added x.", "") == paragraph


def test_touch_sets_every_time_to_two_days_ago(tmp_path: Path) -> None:
    """Only the modification time changes, and to another one each turn."""
    trees.make(tmp_path, 20)
    times = []
    for turn in range(2):
        trees.WORKLOADS["touch"](tmp_path, turn)
        times.append({p.stat().st_mtime for p in trees.files_of(tmp_path)})
        assert all(abs(t - (time.time() - 2 * 86_400)) < 60 for t in times[-1])
    assert times[0].isdisjoint(times[1])
