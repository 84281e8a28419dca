"""Every command through ``main``: what it prints, its exit code, and that no traceback reaches a user."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from indexer.cli import COMMANDS, main

from .conftest import put

Out = pytest.CaptureFixture[str]


def run(*words: str) -> int:
    """One command."""
    return main(list(words))


def said(capsys: Out) -> str:
    """Everything printed since the last look."""
    got = capsys.readouterr()
    assert "Traceback" not in got.out + got.err
    return got.out + got.err


def as_json(capsys: Out) -> object:
    """The one JSON document on stdout."""
    return json.loads(capsys.readouterr().out)


def test_first_update_then_search(home: Path, capsys: Out) -> None:
    """What lies in the folder is found after one update, with its place."""
    assert run("update", "--now") == 0
    assert "added 2" in said(capsys)
    assert run("search", "# Passwords\n\nChange your password every ninety days.", "-k", "1") == 0
    assert "1. “Passwords” · knowledge_base/guide/security.md" in said(capsys)


def test_a_hit_is_cited_as_one_would_write_it(home: Path, capsys: Out) -> None:
    """Title, version of the file name, chapter, and the file; the same sentence in the JSON."""
    put(home, "年假管理办法_v3.1.md", "# 年假管理办法\n\n总则在前。\n\n## 第五章\n\n婚假为十五天。")
    run("update", "--now")
    said(capsys)
    run("search", "## 第五章\n\n婚假为十五天。", "-k", "1")
    assert "《年假管理办法》 v3.1 第五章 · knowledge_base/年假管理办法_v3.1.md" in said(capsys)
    run("search", "## 第五章\n\n婚假为十五天。", "-k", "1", "--json")
    assert as_json(capsys)[0]["citation"] == "《年假管理办法》 v3.1 第五章"  # type: ignore[index]


def test_dry_run_changes_nothing(home: Path, capsys: Out) -> None:
    """--dry-run names the documents and leaves no commit."""
    assert run("update", "--dry-run") == 0
    assert "added: knowledge_base/leave.txt" in said(capsys)
    assert run("status", "--json") == 0
    assert as_json(capsys)["commit"] == 0  # type: ignore[index]


def test_failed_file_gives_three_and_a_remedy(home: Path, capsys: Out) -> None:
    """A file that cannot be read is named with the remedy, the others are indexed."""
    put(home, "bad.pdf", b"%PDF-1.4 nothing of the kind")
    assert run("update", "--now") == 3
    text = said(capsys)
    assert "knowledge_base/bad.pdf" in text
    assert "added 2" in text
    assert run("files", "--state", "failed") == 0
    assert "bad.pdf" in said(capsys)


def test_unavailable_source_gives_four(home: Path, capsys: Out) -> None:
    """A source that is gone is exit code 4 and its documents stay."""
    run("update", "--now")
    (home / "knowledge_base").rename(home / "elsewhere")
    assert run("update", "--now") == 4
    assert "not available" in said(capsys)
    run("search", "Annual leave is fifteen days a year.", "--json")
    assert as_json(capsys)[0]["key"] == ["knowledge_base", "leave.txt"]  # type: ignore[index]


def test_many_deletions_are_held_and_released(home: Path, capsys: Out) -> None:
    """More than ten and a fifth gone: held, said, released by --allow-deletions."""
    for i in range(20):
        put(home, f"n{i}.txt", f"note number {i}")
    run("update", "--now")
    for i in range(20):
        (home / "knowledge_base" / f"n{i}.txt").unlink()
    said(capsys)
    assert run("update", "--now") == 3
    assert "--allow-deletions" in said(capsys)
    run("status")
    assert "20 deletions are held" in said(capsys)
    assert run("update", "--now", "--allow-deletions") == 0
    assert "deleted 20" in said(capsys)


def test_only_the_named_path(home: Path, capsys: Out) -> None:
    """PATH limits an update to what lies under it."""
    assert run("update", "--now", "knowledge_base/guide") == 0
    assert "added 1" in said(capsys)
    assert run("update", "--now", "/etc") == 2
    assert "none of the sources" in said(capsys)


def test_history_diff_rollback_release(home: Path, capsys: Out) -> None:
    """Commits are listed, compared, gone back to; the pin holds until it is released."""
    run("update", "--now")
    put(home, "leave.txt", "Annual leave is twenty days a year.", age=50)
    run("update", "--now")
    said(capsys)
    assert run("history") == 0
    assert said(capsys).count("commit ") == 2
    assert run("diff", "1", "2") == 0
    assert "modified: knowledge_base/leave.txt" in said(capsys)
    assert run("search", "Annual leave is fifteen days a year.", "-k", "1", "--as-of", "1") == 0
    assert "fifteen" in said(capsys)
    assert run("rollback", "1", "--dry-run") == 0
    assert run("rollback", "1") == 0
    assert run("update", "--now") == 0
    said(capsys)
    run("search", "Annual leave is fifteen days a year.", "-k", "1")
    assert "fifteen" in said(capsys)
    assert run("rollback", "--release") == 0
    assert run("update", "--now") == 0
    said(capsys)
    run("search", "Annual leave is twenty days a year.", "-k", "1")
    assert "twenty" in said(capsys)
    assert run("verify") == 0


def test_rollback_of_added_and_deleted(home: Path, capsys: Out) -> None:
    """Going back shows deleted documents again and hides later ones; release undoes both."""
    run("update", "--now")
    (home / "knowledge_base" / "leave.txt").unlink()
    put(home, "new.txt", "A brand new document.")
    run("update", "--now")
    run("rollback", "1")
    run("update", "--now")
    run("files", "--json")
    said(capsys)
    run("files", "--json")
    assert {f["path"] for f in as_json(capsys)} == {"leave.txt", "guide/security.md"}  # type: ignore[union-attr,index]
    run("rollback", "--release")
    assert run("update", "--now") == 0
    said(capsys)
    run("files", "--json")
    assert {f["path"] for f in as_json(capsys)} == {"new.txt", "guide/security.md"}  # type: ignore[union-attr,index]
    assert run("verify") == 0


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("~$leave.docx", b"x", "Office owner file"),
        ("song.mp3", b"x", "no parser for the type .mp3"),
        ("secret/a.txt", b"x", "its folder secret is ignored"),
        ("draft.txt", b"x", ".indexerignore"),
    ],
)
def test_why_names_the_rule(home: Path, capsys: Out, name: str, content: bytes, why: str) -> None:
    """``why`` says which rule keeps a file out."""
    put(home, ".indexerignore", "secret/\ndraft.txt\n")
    put(home, name, content)
    run("update", "--now")
    said(capsys)
    assert run("why", f"knowledge_base/{name}") == 0
    assert why in said(capsys)


def test_why_names_version_and_commit(home: Path, capsys: Out) -> None:
    """``why`` of an indexed file names chunks, commit and hash."""
    run("update", "--now")
    said(capsys)
    run("why", "knowledge_base/leave.txt")
    text = said(capsys)
    assert "since commit 1" in text
    assert re.search(r"SHA-256 [0-9a-f]{64}", text)


def test_snapshots_verify_repair_gc(home: Path, capsys: Out) -> None:
    """A sound store verifies; a damaged segment is found, named and repaired."""
    run("update", "--now")
    assert run("snapshots", "--take") == 0
    assert run("verify") == 0
    segment = next((home / "vectorstore").glob("*/*.faiss"))
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.unlink()
    segment.write_bytes(bytes(data))
    said(capsys)
    assert run("verify") == 6
    assert segment.name in said(capsys)
    assert run("repair") == 0
    assert run("verify") == 0
    assert run("gc") == 0
    run("search", "Annual leave is fifteen days a year.", "-k", "1")
    assert "fifteen" in said(capsys)


def test_repair_of_a_damaged_catalog(home: Path, capsys: Out) -> None:
    """A changed row is found by verify and repaired without losing a document."""
    run("update", "--now")
    catalog = next((home / "metadata").glob("*/catalog.db"))
    con = sqlite3.connect(catalog)
    con.execute("UPDATE version SET document=2 WHERE document=1")
    con.commit()
    con.close()
    assert run("verify") == 6
    said(capsys)
    assert run("repair") == 0
    assert run("verify") == 0
    run("search", "Annual leave is fifteen days a year.", "-k", "1", "--json")
    assert "fifteen" in said(capsys)


def test_config_show_and_check(home: Path, capsys: Out) -> None:
    """The configuration is shown with origins; a wrong key names the nearest right one."""
    assert run("config", "show") == 0
    assert "embedding" in said(capsys)
    assert run("config", "check") == 0
    said(capsys)
    assert run("status", "--set", "split.sise=3") == 2
    assert "split.size" in said(capsys)


def test_init_makes_what_is_missing(tmp_path: Path, capsys: Out) -> None:
    """``init`` makes the configuration and the folders, and never overwrites."""
    assert run("init", str(tmp_path / "kb")) == 0
    for name in ("indexer.toml", "knowledge_base", "vectorstore/README.md", "metadata/README.md"):
        assert (tmp_path / "kb" / name).exists()
    said(capsys)
    assert run("init", str(tmp_path / "kb")) == 0
    assert "nothing was changed" in said(capsys)


@pytest.mark.parametrize(
    "words",
    [["serch", "x"], ["search"], ["search", "x", "-k", "0"], ["update"], ["update", "--nwo"], ["rollback"], ["rollback", "99"],
     ["search", "x", "--as-of", "someday"], ["status", "--home", "/nowhere"], ["status", "--set", "nonsense"], ["diff", "7", "8"]],
)  # fmt: skip
def test_wrong_words_are_two(home: Path, capsys: Out, words: list[str]) -> None:
    """A wrong word is exit code 2 with a sentence that says what is right."""
    run("update", "--now")
    said(capsys)
    assert run(*words) == 2
    assert said(capsys).startswith("indexer: ")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_everywhere(capsys: Out, monkeypatch: pytest.MonkeyPatch, command: str, language: str) -> None:
    """Every command has help, in both languages."""
    monkeypatch.setenv("INDEXER_LANG", language)
    assert run(command, "--help") == 0
    text = said(capsys)
    assert ("用法" in text) == (language == "zh")
    assert all(not re.search(r"--[a-z-]+\s*$", line) for line in text.splitlines() if line.startswith("  -q"))


@pytest.mark.parametrize("words", [["--frob"], *[[c, "--frob"] for c in COMMANDS]], ids=" ".join)
def test_an_unknown_option_points_to_the_help_of_its_command(capsys: Out, words: list[str]) -> None:
    """The remedy names the help that lists the options the user was looking for."""
    extra = {"rollback": ["1"], "diff": ["1", "2"], "why": ["x"], "search": ["x"]}.get(words[0], [])
    assert run(*words, *extra) == 2
    said_ = said(capsys)
    assert f"`{' '.join(['indexer', *words[:-1]])} --help`" in said_, said_


def test_model_failure_is_five(home: Path, capsys: Out) -> None:
    """A model that does not answer is exit code 5, on record, and loses nothing."""
    run("update", "--now")
    put(home, "new.txt", "something to embed")
    (home / "indexer.toml").write_text(
        '[embedding]\nmodel = "openai:none"\nbase_url = "http://127.0.0.1:9/v1"\n', "utf-8"
    )
    assert run("update", "--now", "--set", "embedding.timeout_seconds=1") == 5
    said(capsys)
    (home / "indexer.toml").write_text('[embedding]\nmodel = "python:indexer.embed.hashing:HashEmbedder"\n', "utf-8")
    run("search", "Annual leave is fifteen days a year.", "-k", "1")
    assert "fifteen" in said(capsys)


def test_interrupted_run_is_no_attempt(home: Path, capsys: Out) -> None:
    """A run that was stopped in order holds nothing against a file: the next one works in whole batches."""
    from indexer import KnowledgeBase
    from indexer.core.errors import Interrupted

    for i in range(30):
        put(home, f"n{i}.txt", f"note number {i}")

    def tell(kind: str, facts: object) -> None:
        if kind == "embedding":
            raise Interrupted("stopped")

    kb = KnowledgeBase(home)
    with pytest.raises(Interrupted):
        kb.update(tell=tell)
    report = KnowledgeBase(home).update()
    assert (len(report.tally.added), report.commit) == (32, 1)
    assert run("status", "--json") == 0


def test_failed_files_say_what_to_do(home: Path, capsys: Out) -> None:
    """Each has its reason with the remedy, when it is tried again, and the command that tries it at once; in Chinese too."""
    put(home, "a folder/bad.pdf", b"%PDF-1.4 nothing of the kind")
    run("update", "--now")
    said(capsys)
    assert run("files", "--state", "failed") == 0
    text = said(capsys)
    assert "knowledge_base/a folder/bad.pdf\n    The PDF is damaged" in text
    assert "\n    Tried again when the file, its parser or the settings change." in text
    assert "indexer update --now 'knowledge_base/a folder/bad.pdf'" in text
    run("files", "--state", "failed", "--set", "language=zh")
    text = said(capsys)
    assert "PDF 已损坏" in text
    assert "设置改变后会再次尝试" in text
    run("files", "--state", "failed", "--json")
    [row] = as_json(capsys)  # type: ignore[misc]
    assert row["release"] == "indexer update --now 'knowledge_base/a folder/bad.pdf'"
    run("why", "knowledge_base/a folder/bad.pdf")
    assert "Try it again at once: indexer update --now" in said(capsys)


def test_an_unknown_state_is_a_mistake(home: Path, capsys: Out) -> None:
    """`--state faild` names the states instead of listing nothing."""
    run("update", "--now")
    said(capsys)
    assert run("files", "--state", "faild") == 2
    assert "indexed, warned, no_text, failed, stale" in said(capsys)


def test_naming_a_document_tries_it_again(home: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set aside for good, then released by its name, or by its folder's; others stay as they are."""
    monkeypatch.syspath_prepend(str(home / "code"))
    (home / "code").mkdir()
    config = home / "indexer.toml"
    config.write_text(config.read_text() + '[loaders]\n".odd" = "my_odd_loader:Loader"\n')
    put(home, "x.odd", b"text of x")
    put(home, "y.odd", b"text of y")
    assert run("update", "--now", "--set", "attempts=1") == 3
    said(capsys)
    run("files", "--state", "failed")
    assert "cannot be imported" in said(capsys)
    source = "class D:\n    metadata = {}\n    def __init__(self, t): self.page_content = t\n"
    source += "class Loader:\n    def __init__(self, p): self.p = p\n    def lazy_load(self): return [D(open(self.p).read())]\n"
    (home / "code" / "my_odd_loader.py").write_text(source)
    assert run("update", "--now", "--set", "attempts=1") == 3, "set aside: not tried again by itself"
    assert run("update", "--now", "--set", "attempts=1", "knowledge_base/x.odd") == 3
    said(capsys)
    run("files", "--json")
    states = {row["path"]: row["state"] for row in as_json(capsys)}  # type: ignore[attr-defined]
    assert (states["x.odd"], states["y.odd"]) == ("indexed", "failed")
    run("update", "--now", "--set", "attempts=1", "knowledge_base")
    said(capsys)
    run("files", "--state", "failed", "--json")
    assert as_json(capsys) == []
    assert run("verify") == 0
