"""The shipped documents: reproducible, readable without a complaint, and good answers to plain questions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer import KnowledgeBase
from indexer.core.model import Hit
from indexer.core.tables import ParseLimits, Source
from indexer.parse import Parsers
from indexer.settings import Settings
from indexer.update import Report

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "knowledge_base"
QUESTIONS: list[dict[str, str]] = json.loads((ROOT / "tests" / "shipped_questions.json").read_text("utf-8"))
OURS = {"README.md", ".indexerignore"}
FIRST_SHARE = 0.85  # of the questions have the right document on top


def documents() -> set[str]:
    """Paths of the shipped documents, relative to the folder."""
    return {p.relative_to(FOLDER).as_posix() for p in FOLDER.rglob("*") if p.is_file()} - OURS


def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Made document: its source, as the script has it."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import make_knowledge_base

    return {name: make_knowledge_base.SOURCES / source for name, (source, _) in make_knowledge_base.MADE.items()}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[KnowledgeBase, Report]]:
    """The shipped folder indexed with the default model, outside the repository."""
    home = tmp_path_factory.mktemp("shipped")
    base = KnowledgeBase(Settings(str(home), sources=(Source("knowledge_base", str(FOLDER)),)))
    yield base, base.update()
    base.close()


@pytest.fixture(scope="module")
def found(indexed: tuple[KnowledgeBase, Report]) -> list[list[Hit]]:
    """The first five hits of each question."""
    return [indexed[0].search(question["q"], k=5) for question in QUESTIONS]


def bare(text: str) -> str:
    """Text without white space: a page breaks lines where it must."""
    return re.sub(r"\s+", "", text)


def test_the_script_reproduces_the_committed_files(tmp_path: Path) -> None:
    """Every made document is, byte for byte, what its source gives, whatever the hash seed, zone and date are."""
    script = str(ROOT / "scripts" / "make_knowledge_base.py")
    odd = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Pacific/Chatham", "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run([sys.executable, script, "--to", str(tmp_path)], check=True, env=odd)
    files = [p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file()]
    assert len(files) == 5
    assert [str(name) for name in files if (tmp_path / name).read_bytes() != (FOLDER / name).read_bytes()] == []


def test_the_check_tells_a_changed_document(tmp_path: Path) -> None:
    """--check names what differs, fails, and writes nothing."""
    run = [sys.executable, str(ROOT / "scripts" / "make_knowledge_base.py"), "--check"]
    assert subprocess.run(run, check=False).returncode == 0
    told = subprocess.run([*run, "--to", str(tmp_path)], check=False, capture_output=True, text=True, encoding="utf-8")
    assert told.returncode == 1
    assert "employee-handbook.docx differs" in told.stdout
    assert list(tmp_path.iterdir()) == []


def test_every_document_is_made_or_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the script does not make is UTF-8 text that can be edited in place."""
    for name in documents() - set(made(monkeypatch)):
        assert Path(name).suffix in (".md", ".txt")
        (FOLDER / name).read_text("utf-8")


def test_what_was_written_is_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each heading, paragraph, cell and note of the sources is in the parsed text, in full and in order."""
    sources = made(monkeypatch)
    from documents.blocks import NOTE, load

    parsers = Parsers(ParseLimits())
    try:
        for name, source in sources.items():
            if source.suffix != ".md":
                continue
            text, at = bare(parsers.parse(name, (FOLDER / name).read_bytes()).text), 0
            for block in load(source).blocks:
                for piece in [*NOTE.split(block.text), *(cell for row in block.rows for cell in row)]:
                    at = text.find(bare(piece), at)
                    assert at >= 0, f"{name}: {piece}"
    finally:
        parsers.close()


def test_word_counts_the_articles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chapters and articles are numbered by Word, articles through all chapters."""
    parsers = Parsers(ParseLimits())
    try:
        text = parsers.parse("a.docx", (FOLDER / "hr/员工休假管理办法.docx").read_bytes()).text
    finally:
        parsers.close()
    assert "第三章 请假程序\n第十七条 员工请假应当" in text
    assert "\n第二十三条 本办法由人力资源部负责解释" in text
    assert "第十七条" not in made(monkeypatch)["hr/员工休假管理办法.docx"].read_text("utf-8")


def test_all_are_indexed_without_a_complaint(indexed: tuple[KnowledgeBase, Report]) -> None:
    """No shipped document fails, warns or is without text."""
    base, report = indexed
    assert [str(p) for p in report.tally.problems.values()] == []
    assert report.exit_code == 0
    assert base.searchable() == documents()


def test_every_document_is_asked_for() -> None:
    """At least 14 questions, in both languages, none without its document and no document without one."""
    assert len(QUESTIONS) >= 14
    assert {q["file"] for q in QUESTIONS} == documents()
    assert {bool(re.search("[\u4e00-\u9fff]", q["q"])) for q in QUESTIONS} == {True, False}


def test_the_right_document_is_on_top(found: list[list[Hit]]) -> None:
    """The first hit is of the right document for 85 % of the questions, one of the first three for all."""
    paths = [[hit.key.path for hit in hits] for hits in found]
    first = [q["q"] for q, p in zip(QUESTIONS, paths, strict=True) if p[0] == q["file"]]
    assert [q["q"] for q, p in zip(QUESTIONS, paths, strict=True) if q["file"] not in p[:3]] == []
    assert len(first) >= FIRST_SHARE * len(QUESTIONS), [q["q"] for q in QUESTIONS if q["q"] not in first]


def test_the_answer_is_found(found: list[list[Hit]]) -> None:
    """One of the first five chunks has the words of the answer."""
    missing = [
        question["q"]
        for question, hits in zip(QUESTIONS, found, strict=True)
        if not any(hit.key.path == question["file"] and question["phrase"] in hit.text for hit in hits)
    ]
    assert missing == []
