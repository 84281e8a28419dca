"""The benchmark of the parsers makes sound files and counts what was read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import documents, parsing
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers


def test_made_files_are_sound(capsys: pytest.CaptureFixture[str]) -> None:
    """Every made file of a supported format is read, and the sentences are found in it."""
    parsers = Parsers(ParseLimits())
    lines = documents.sentences(1, 12)
    for suffix, make in documents.MAKERS.items():
        if parsers.supports(f"a{suffix}"):
            text = parsers.parse(f"a{suffix}", make(lines)).text
            assert lines[3][:15] in text, suffix
    parsers.close()


def test_one_command_prints_a_table_or_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Made files and a given folder, one worker and two."""
    parsing.main(["--files", "2", "--sentences", "5", "--formats", "txt,docx", "--workers", "1,2"])
    out = capsys.readouterr().out
    assert "| .docx | 2 |" in out
    assert "files/s, 2 workers" in out
    (tmp_path / "a.txt").write_text("text")
    parsing.main(["--folder", str(tmp_path), "--workers", "1", "--json"])
    [row] = json.loads(capsys.readouterr().out)["rows"]
    assert (row["format"], row["files"], row["refused"], row["chars"]) == (".txt", 1, 0, 4)
