"""The export: every format, every filter, files and streams."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from audit_lab import Lab

from indexer.care.audit_export import COLUMNS, changes

A, B, C = "a" * 64, "b" * 64, "c" * 64


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("documents", "shown"),
    [
        ([], []),
        ([("s", "x", None, A)], [("added", "x", None)]),
        ([("s", "x", A, None)], [("deleted", "x", None)]),
        ([("s", "x", A, B)], [("modified", "x", None)]),
        ([("s", "x", A, A)], [("reindexed", "x", None)]),
        ([("s", "x", A, None), ("s", "y", None, A)], [("moved", "y", "x")]),
        ([("s", "x", A, None), ("s", "y", None, B)], [("deleted", "x", None), ("added", "y", None)]),
        ([("s", "x", A, None), ("s", "y", None, A), ("s", "z", None, A)], [("moved", "y", "x"), ("added", "z", None)]),
        (
            [("s", "w", A, None), ("s", "x", A, None), ("s", "y", None, A)],
            [("deleted", "x", None), ("moved", "y", "w")],
        ),
        ([("s", "x", A, B), ("s", "y", None, A)], [("modified", "x", None), ("added", "y", None)]),
    ],
)
def test_changes(documents: list[Any], shown: list[Any]) -> None:
    """A move is a name gone and a name come with the same bytes, each used once."""
    assert [(c["change"], c["path"], c["from_path"]) for c in changes(documents)] == shown


def test_lines(told: Lab) -> None:
    """One for each document, keys in the documented order, hash of the commit, time with its offset."""
    (told.files / "c.txt").rename(told.files / "d.txt")
    told.update(client="10.0.0.7")
    lines = _lines(told.run("audit", "export").out)
    assert [(x["commit"], x["change"], x["path"]) for x in lines] == [
        (1, "added", "a.txt"), (1, "added", "b.txt"), (2, "modified", "a.txt"), (3, "deleted", "b.txt"), (4, "added", "c.txt"), (5, "moved", "d.txt"),
    ]  # fmt: skip
    assert all(tuple(x) == COLUMNS for x in lines)
    assert lines[-1]["from_path"] == "c.txt"
    assert lines[-1]["sha256_before"] == lines[-1]["sha256_after"] == lines[-2]["sha256_after"]
    assert lines[-1]["client"] == "10.0.0.7"
    assert [x["hash"] for x in lines] == [told.hashes()[x["commit"] - 1] for x in lines]
    assert all(x["time"][-6] in "+-" for x in lines)


def test_filters(told: Lab) -> None:
    """From and to a commit, a moment or a day, both included; documents by glob or folder."""
    times = [x["time"] for x in _lines(told.run("audit", "export").out)]
    day = times[-1][:10]

    def commits(*words: str) -> list[int]:
        return [x["commit"] for x in _lines(told.run("audit", "export", *words).out)]

    assert commits("--since", "3") == [3, 4]
    assert commits("--until", "1") == [1, 1]
    assert commits("--since", "2", "--until", "3") == [2, 3]
    assert commits("--since", times[0][:19], "--until", day) == [1, 1, 2, 3, 4]
    assert commits("--since", "2999-01-01") == commits("--until", "1999-12-31") == []
    assert commits("--path", "b.txt") == [1, 3]
    assert commits("--path", "*.md") == []
    assert commits("--path", "knowledge_base") == [1, 1, 2, 3, 4]
    for words in (["--since", "yesterday"], ["--until", "2026-13-01"], ["--format", "entries", "--path", "a*"]):
        assert told.run("audit", "export", *words).code == 2
    assert told.run("audit", "export", "--expect", "0" * 64).code == 2
    assert told.run("audit", "verify", "--since", "1").code == 2


def test_a_moved_document_is_found_under_both_names(told: Lab) -> None:
    """The old place matches as well."""
    (told.files / "c.txt").rename(told.files / "d.txt")
    told.update()
    for name in ("c.txt", "d.txt"):
        assert _lines(told.run("audit", "export", "--since", "5", "--path", name).out)[0]["change"] == "moved"


def test_a_commit_without_documents_has_a_line(told: Lab) -> None:
    """Another generation is served: nothing is shown otherwise, and it is not invisible."""
    told.configure(size=100)
    told.update()
    last = _lines(told.run("audit", "export").out)[-1]
    assert (last["note"], last["change"], last["path"]) == ("another generation is served", None, None)
    assert last["commit"] not in [x["commit"] for x in _lines(told.run("audit", "export", "--path", "*").out)]


def test_csv_is_for_spreadsheets(lab: Lab) -> None:
    """A name that would be a formula is a text; a file has the mark without which Chinese is taken for another encoding."""
    for name in ("=1+1.txt", "+x.txt", "@y.txt", "-z.txt", '规定,"甲".txt'):
        lab.put(name, f"About {name}.")
    lab.update(actor="=HYPERLINK(1)")
    rows = list(csv.DictReader(io.StringIO(lab.run("audit", "export", "--format", "csv").out)))
    assert sorted(r["path"] for r in rows) == sorted(["'=1+1.txt", "'+x.txt", "'@y.txt", "'-z.txt", '规定,"甲".txt'])
    assert rows[0]["actor"] == "'=HYPERLINK(1)"
    assert lab.run("audit", "export", "--format", "csv", "-o", "t.csv").code == 0
    data = Path("t.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbfcommit,time")
    assert "规定".encode() in data


def test_entries_are_the_bytes_that_are_hashed(told: Lab) -> None:
    """A line without its end has the commit's hash."""
    out = told.run("audit", "export", "--format", "entries").out
    assert [hashlib.sha256(line.encode()).hexdigest() for line in out.splitlines()] == told.hashes()


def test_a_file_is_whole_or_not_there(told: Lab) -> None:
    """Readable by its owner alone; a failure leaves the old one and no litter; a missing folder is named."""
    said = told.run("audit", "export", "-o", "trail.jsonl")
    assert said.code == 0
    assert "5 lines" in said.out
    path = told.home / "trail.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert _lines(path.read_text("utf-8")) == _lines(told.run("audit", "export").out)
    before = sorted(os.listdir(told.home))
    said = told.run("audit", "export", "-o", "nowhere/trail.jsonl")
    assert said.code == 1
    assert "nowhere/trail.jsonl" in said.err
    assert sorted(os.listdir(told.home)) == before


def test_an_entry_that_cannot_be_read_is_left_out_and_said(told: Lab) -> None:
    """The others are written; exit code 6."""
    told.sql("UPDATE audit SET entry=x'00' WHERE n=2")
    said = told.run("audit", "export")
    assert said.code == 6
    assert [x["commit"] for x in _lines(said.out)] == [1, 1, 3, 4]
    assert "commit 2" in said.err


def test_before_anything_is_indexed(lab: Lab) -> None:
    """A sentence, no traceback."""
    for what in ("verify", "export"):
        said = lab.run("audit", what)
        assert (said.code, "Nothing is indexed yet" in said.err) == (2, True)


def test_in_chinese(told: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person reads, and what is wrong."""
    monkeypatch.setenv("INDEXER_LANG", "zh")
    assert "审计记录完好" in told.run("audit", "verify").out
    told.alter(2, actor="x")
    assert "审计记录校验未通过：提交 2" in told.run("audit", "verify").err
