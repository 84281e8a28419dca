"""The no-change answer: it is given only when the full run would say the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from indexer import KnowledgeBase, quick
from indexer.cli import main
from indexer.sources.walk import Walk
from indexer.store.author import whoami

from .conftest import put

WORDS = ["update", "--now"]


def settle(home: Path) -> None:
    """Index until nothing is young, so that the quick answer is armed."""
    for file in (home / "knowledge_base").rglob("*"):
        os.utime(file, (1e9, 1e9))
    _wait_for_ctime()
    assert main([*WORDS]) == 0
    assert main([*WORDS]) == 0
    assert quick.attempt([*WORDS]) == 0


def _wait_for_ctime() -> None:
    """A file is trusted when its newest stamp is 2 s old."""
    import time

    time.sleep(2.1)


def test_says_what_the_full_run_says(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same JSON keys and the same line, but for the time it took."""
    settle(home)
    capsys.readouterr()
    assert quick.attempt([*WORDS, "--json"]) == 0
    fast = json.loads(capsys.readouterr().out)
    assert main([*WORDS, "--json"]) == 0
    full = json.loads(capsys.readouterr().out)
    assert fast.keys() == full.keys()
    varies = {"seconds", "run"}
    assert {k: v for k, v in fast.items() if k not in varies} == {k: v for k, v in full.items() if k not in varies}
    assert full["run"] == fast["run"] + 1


@pytest.mark.parametrize("named", [True, False])
def test_a_run_is_on_record_as_by_its_user(home: Path, monkeypatch: pytest.MonkeyPatch, named: bool) -> None:
    """Also in a container, whose user is often a number that has no name."""
    import pwd

    def nobody(uid: int) -> None:
        raise KeyError(uid)

    if not named:
        monkeypatch.setattr(pwd, "getpwuid", nobody)
    settle(home)
    catalog = KnowledgeBase(home).catalog()
    assert catalog is not None
    assert {actor for (actor,) in catalog.db.all("SELECT actor FROM run")} == {whoami()}
    assert named or whoami().startswith(f"uid {os.getuid()}@")
    catalog.close()


@pytest.mark.parametrize(
    "change",
    [
        "edit",
        "add",
        "delete",
        "touch",
        "configuration",
        "environment",
        "head",
        "segment",
        "catalog",
        "root",
        "seal",
        "held",
    ],
)
def test_any_difference_is_left_to_the_full_run(home: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One difference of any kind, and it does nothing."""
    settle(home)
    kb, metadata = home / "knowledge_base", home / "metadata"
    if change == "edit":
        put(home, "leave.txt", "Annual leave is sixteen days a year")
    elif change == "add":
        put(home, "more.txt", "x")
    elif change == "delete":
        (kb / "leave.txt").unlink()
    elif change == "touch":
        os.utime(kb / "leave.txt")
    elif change == "configuration":
        (home / "indexer.toml").write_text((home / "indexer.toml").read_text() + "\n# x\n")
    elif change == "environment":
        monkeypatch.setenv("INDEXER_SPLIT__SIZE", "100")
    elif change == "head":
        (metadata / "HEAD").write_text("0123456789abcdef-9\n")
    elif change == "segment":
        next((home / "vectorstore").glob("*/*.faiss")).unlink()
    elif change == "catalog":
        next(metadata.glob("*/catalog.db")).write_bytes(b"")
    elif change == "root":
        kb.rename(home / "old")
        (home / "knowledge_base").mkdir()
    elif change == "seal":
        (metadata / "quick").write_text("x" + (metadata / "quick").read_text()[1:])
    elif change == "held":
        import sqlite3

        con = sqlite3.connect(next(metadata.glob("*/catalog.db")))
        con.execute("UPDATE document SET held=1 WHERE id=1")
        con.commit()
        con.close()
    assert _left_to_the_full_run([*WORDS])


def _left_to_the_full_run(words: list[str]) -> bool:
    done = quick.attempt(words)
    if isinstance(done, quick.Walked):
        done.close()
    return done is None or isinstance(done, quick.Walked)


def test_its_walk_is_gone_on_with(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The full run after it does not walk a second time."""
    settle(home)
    put(home, "more.txt", "The canteen opens at eleven.")
    done = quick.attempt([*WORDS])
    assert isinstance(done, quick.Walked)
    with monkeypatch.context() as patched:
        patched.setattr(Walk, "go", None)
        assert main([*WORDS], walked=done) == 0
    done.close()
    assert main(["why", "knowledge_base/more.txt"]) == 0


@pytest.mark.parametrize("change", ["run", "rule", "root"])
def test_a_walk_that_is_outdated_is_made_again(home: Path, change: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A run in between has newer knowledge than the walk: what the walk did not see is not deleted."""
    settle(home)
    put(home, "more.txt", "The canteen opens at eleven.")
    done = quick.attempt([*WORDS])
    assert isinstance(done, quick.Walked)
    kb, rules = home / "knowledge_base", list[str]()
    put(home, "late.txt", "The library opens at ten.")
    if change == "run":
        assert main([*WORDS]) == 0
    elif change == "rule":
        rules = ["--set", 'sources=[{"path": "knowledge_base", "exclude": ["drafts"]}]']
    else:
        shutil.copytree(kb, home / "new")
        kb.rename(home / "old")
        (home / "new").rename(kb)
    assert main([*WORDS, *rules], walked=done) == 0
    done.close()
    capsys.readouterr()
    assert main(["files", "--json"]) == 0
    shown = {Path(f["path"]).name: f["state"] for f in json.loads(capsys.readouterr().out)}
    assert shown["late.txt"] == "indexed"


@pytest.mark.parametrize(
    "words", [["update"], ["status"], [], ["update", "--now", "x"], ["update", "--now", "--dry-run"]]
)
def test_other_words_are_not_its_own(home: Path, words: list[str]) -> None:
    """Anything but the plain no-change question goes to the product."""
    settle(home)
    assert quick.attempt(words) is None


def test_loads_nothing(home: Path) -> None:
    """In a process of its own it answers without the product, numpy, pathlib or typing."""
    settle(home)
    code = (
        "import sys\nfrom indexer.entry import main\nsys.argv = ['indexer', 'update', '--now']\nassert main() == 0\n"
        "bad = {'indexer.update', 'indexer.core.model', 'numpy', 'faiss', 'pydantic', 'typing', 'pathlib', 'argparse', 'json', 're'}\n"
        "sys.exit(repr(bad & set(sys.modules)) if bad & set(sys.modules) else 0)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, cwd=home)
    assert done.returncode == 0, done.stderr
    assert "no change" in done.stdout


def test_is_on_record(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A no-change run counts as a run: status shows it as the last one."""
    settle(home)
    capsys.readouterr()
    assert quick.attempt([*WORDS, "--json"]) == 0
    run = json.loads(capsys.readouterr().out)["run"]
    assert main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["last_run"]["run"] == run
