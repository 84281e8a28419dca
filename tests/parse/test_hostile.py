"""Thousands of broken files: the main process lives, nothing hangs, good neighbours are indexed, reasons have remedies.

In its short form a share of them; ``make fuzz`` (INDEXER_TEST_FUZZ=3000) all.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

if sys.platform == "win32":
    pytest.skip("figures of memory are read from /proc and resource", allow_module_level=True)

import hostile_run
from hostile_run import LIMITS, Figures, feed, main_mb, mutants

from indexer.cli import main
from indexer.core.errors import ParseRefused
from indexer.parse import Parsers

COUNT = int(os.environ.get("INDEXER_TEST_FUZZ", "0")) or 150
END_TO_END = COUNT // 5
GOOD = 12
CONFIG = """
[embedding]
model = "python:indexer.embed.hashing:HashEmbedder"
[limits]
cpu_seconds = 10
wall_seconds = 20
"""


@pytest.fixture(name="parsers")
def fixture_parsers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parsers]:
    """Real parsers whose workers live below ``tmp_path/work``; nothing of them may be left behind."""
    (tmp_path / "work").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "work"))
    others = set(psutil.Process().children(recursive=True))
    parsers = Parsers(LIMITS)
    yield parsers
    parsers.close()
    assert list((tmp_path / "work").iterdir()) == []
    left = [p for p in psutil.Process().children(recursive=True) if p not in others]
    assert left == [], "a process or a zombie is left behind"


@pytest.mark.timeout(7200)
def test_broken_files_are_read_or_refused(parsers: Parsers, capsys: pytest.CaptureFixture[str]) -> None:
    """Every mutant ends as text or as a sentence with a remedy in both languages, within its limits."""
    before, figures = main_mb(), Figures()
    feed(parsers, mutants(parsers.supports, COUNT), figures)
    with capsys.disabled():
        print("\n" + figures.line())
    assert figures.wrong == []
    assert figures.files == COUNT
    assert figures.worker_mb < LIMITS.memory_mb
    assert main_mb() < before + 1200  # output_chars as Python strings, twice: received and decoded
    assert parsers.parse("good.txt", b"fine").text == "fine"


@pytest.mark.timeout(7200)
def test_good_neighbours_are_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One update over broken and good files: exit code 3, all good ones found, all bad ones listed with what to do."""
    for name in [n for n in os.environ if n.startswith(("INDEXER_", "LC_", "LANG"))]:
        monkeypatch.delenv(name)
    (tmp_path / "work").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "work"))
    home = tmp_path / "home"
    folder = home / "knowledge_base"
    folder.mkdir(parents=True)
    (home / "indexer.toml").write_text(CONFIG, "utf-8")
    monkeypatch.chdir(home)
    good = _good(folder)
    broken = dict(mutants(Parsers(LIMITS).supports, END_TO_END, seed=7))
    for name, data in broken.items():
        (folder / name).write_bytes(data)
    aged = time.time() - 100
    for file in folder.iterdir():
        os.utime(file, (aged, aged))
    assert main(["update", "--now", "--json"]) in (0, 3)
    capsys.readouterr()
    assert main(["files", "--json"]) == 0
    listed = {row["path"]: row for row in json.loads(capsys.readouterr().out)}
    assert {name: listed[name]["state"] for name in good} == dict.fromkeys(good, "indexed")
    assert set(listed) == set(good) | set(broken)
    mute = [n for n, row in listed.items() if row["state"] not in ("indexed",) and not row["reasons"]]
    assert mute == []
    assert list((tmp_path / "work").iterdir()) == []
    assert [p for p in psutil.Process().children() if p.status() == psutil.STATUS_ZOMBIE] == []


def _good(folder: Path) -> list[str]:
    """Sound files of many formats between the broken ones, by name."""
    parsers = Parsers(LIMITS)
    made = []
    for number in range(GOOD):
        (folder / f"{number * 300:04}-good.txt").write_text(f"Neighbour number {number} is fine.\n")
        made.append(f"{number * 300:04}-good.txt")
    for suffix, data in hostile_run.hostile_seeds.own(parsers.supports):
        if suffix in (".docx", ".pdf", ".xlsx", ".html", ".csv"):
            (folder / f"0001-good{suffix}").write_bytes(data)
            made.append(f"0001-good{suffix}")
    return made


def test_seeds_are_sound(parsers: Parsers) -> None:
    """A seed that was refused as it is would test nothing but the door."""
    bare = (".doc", ".xls", ".ppt", ".png", ".bmp")  # their streams and pixels say nothing
    for suffix, data in hostile_run.hostile_seeds.own(parsers.supports):
        if suffix not in bare:
            assert parsers.parse(f"a{suffix}", data).text.strip(), suffix


def test_a_mistake_in_this_process_costs_one_file(parsers: Parsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that raises what it should not refuses its file, in one sentence."""

    def wrong(data: bytes, limits: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("indexer.parse.text.parse", wrong)
    with pytest.raises(ParseRefused, match="ZeroDivisionError: by zero"):
        parsers.parse("a.txt", b"text")
