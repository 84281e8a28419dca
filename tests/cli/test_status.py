"""``indexer status``: what it says, in which order, its exit codes, and that it loads nothing for it."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import docx
import pytest

from indexer import KnowledgeBase
from indexer.cli import main
from indexer.core.errors import StoreDamaged
from indexer.glance import FRESH_SECONDS, glance, message_of
from indexer.store.local import Layout

from .conftest import put

Out = pytest.CaptureFixture[str]
HEAVY = ("pydantic", "numpy", "faiss", "langchain_core", "pathlib", "indexer.api", "indexer.update")


def run(*words: str) -> int:
    """One command."""
    return main(list(words))


def status(capsys: Out, *options: str) -> dict[str, Any]:
    """The facts of ``status --json``."""
    capsys.readouterr()
    run("status", "--json", *options)
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    return facts


def lines(capsys: Out, *options: str) -> list[str]:
    """What ``status`` prints for a person."""
    capsys.readouterr()
    run("status", *options)
    return capsys.readouterr().out.splitlines()


def catalog_of(home: Path) -> Path:
    """The served catalog."""
    layout = Layout(home / "metadata", home / "vectorstore")
    return layout.metadata / str(layout.served()) / "catalog.db"


def change(home: Path, sql: str, *args: object) -> None:
    """Write into the catalog what it would take days to get there."""
    with sqlite3.connect(catalog_of(home)) as con:
        con.execute(sql, args)
    con.close()


def letter() -> bytes:
    """A document of Word's."""
    document, stream = docx.Document(), io.BytesIO()
    document.add_paragraph("The plan for next year.")
    document.save(stream)
    return stream.getvalue()


def test_before_the_first_update(home: Path, capsys: Out) -> None:
    """Nothing is indexed, nothing is wrong, and it says what to do."""
    assert run("status") == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("Nothing is indexed yet.")
    facts = status(capsys)
    assert facts["commit"] == 0
    assert facts["documents"] == {}
    assert facts["last_run"] is None
    assert facts["fresh"] == {"fresh": False, "age_seconds": None, "watched": False}
    assert facts["followers"] == []
    assert facts["disk"]["free_bytes"] > 0


def test_a_fresh_index(home: Path, capsys: Out) -> None:
    """After an update: no problem, how old, what is in it, how to keep it so."""
    run("update", "--now")
    said = lines(capsys)
    assert said[0].startswith("Up to date as of 0 s ago; commit 1 of ") or " s ago; commit 1 of " in said[0]
    assert said[1] == "Documents: indexed 2; 2 passages"
    assert any(x.startswith("Last run: ") for x in said)
    assert any(x.startswith("Disk: ") for x in said)
    assert said[-1].startswith("No daemon runs: ")
    assert not any(x.startswith("!") for x in said)
    facts = status(capsys)
    assert facts["fresh"]["fresh"]
    assert facts["last_success"] == facts["last_run"]
    assert facts["problems"] == []
    assert facts["disk"]["index_bytes"] > os.stat(catalog_of(home)).st_size


def test_problems_come_first(home: Path, capsys: Out) -> None:
    """Each with the command that shows or ends it; exit code 3."""
    for i in range(20):
        put(home, f"n{i}.txt", f"note number {i}")
    put(home, "bad.pdf", b"%PDF-1.4 nothing of the kind")
    put(home, "plan.docx", letter())
    run("update", "--now")
    for i in range(20):
        (home / "knowledge_base" / f"n{i}.txt").unlink()
    put(home, "plan.docx", letter()[:2000], age=50)
    run("update", "--now")
    assert run("status") == 3
    said = lines(capsys)
    assert [x[0] for x in said[:4]] == ["!", "!", "!", "U"]
    assert "20 deletions are held: `indexer files --state held`" in said[0]
    assert said[1] == "! 1 document failed: `indexer files --state failed`"
    assert said[2] == "! 1 document is found in an older version only: `indexer files --state stale`"
    facts = status(capsys)
    assert (facts["failed"], facts["stale"], facts["held"]) == (1, 1, 20)
    assert len(facts["problems"]) == 3


def test_an_old_index_is_not_called_fresh(home: Path, capsys: Out) -> None:
    """When the last look at everything is longer ago than a day and a night's run."""
    run("update", "--now")
    change(home, "UPDATE run SET started=started-?, finished=finished-?", *[(FRESH_SECONDS + 3600) * 10**9] * 2)
    facts = status(capsys)
    assert not facts["fresh"]["fresh"]
    assert facts["problems"] == ["The folders were last looked at in full 27 h ago."]


def test_a_clock_that_went_back(home: Path, capsys: Out) -> None:
    """A last look in the future is said to be one."""
    run("update", "--now")
    change(home, "UPDATE run SET finished=finished+?", 10 * 86_400 * 10**9)
    assert "in the future: check the clock" in lines(capsys)[0]


@pytest.mark.parametrize(
    ("report", "code", "counts"),
    [
        ({"full": True, "left": 0}, 0, True),
        ({"full": True}, 3, True),
        ({}, 0, True),
        ({"added": 1}, 0, False),  # of single paths
        ({"full": True, "left": 7}, 3, False),  # ended by its budget
        ({"full": True}, 4, False),
        ({"full": True, "error": ["The catalog {path} is x", {"path": "p"}]}, 1, False),
    ],
)
def test_which_runs_make_it_fresh(home: Path, capsys: Out, report: Mapping[str, Any], code: int, counts: bool) -> None:
    """Only those that looked at everything and came to the end."""
    run("update", "--now")
    change(home, "UPDATE run SET exit_code=5")
    row = (5, 10**18, 10**18 + 1, "me", "watch", code, json.dumps(report))
    change(home, "INSERT INTO run(id,started,finished,actor,trigger,exit_code,report) VALUES(?,?,?,?,?,?,?)", *row)
    facts = status(capsys)
    assert facts["last_run"]["run"] == 5
    assert (facts["last_success"] is not None) == counts


def test_why_the_last_run_could_not_go_on(home: Path, capsys: Out) -> None:
    """In the reader's language, though it was stored in another's."""
    run("update", "--now")
    error = {"full": True, "error": ["{path} cannot be read ({why}); run `indexer repair`.", {"path": "p", "why": "y"}]}
    change(home, "UPDATE run SET exit_code=6, report=?", json.dumps(error))
    assert lines(capsys)[0] == "! The last run could not go on: p cannot be read (y); run `indexer repair`."
    assert "p" in lines(capsys, "--set", "language=zh")[0]
    assert "上次运行未能完成" in lines(capsys, "--set", "language=zh")[0]
    change(home, "UPDATE run SET exit_code=4, report='{}'")
    assert lines(capsys)[0] == "! The last run ended with exit code 4."


def test_sentences_on_record() -> None:
    """Template and values, sentences inside sentences, lists that are none, and plain text."""
    inner = ["{path} is empty", {"path": "p"}]
    assert str(message_of(["{why}: {names}", {"why": inner, "names": [1, 2]}])) == "p is empty: [1, 2]"
    assert str(message_of("plain {text}")) == "plain {text}"
    assert str(message_of(["no values"])) == "no values"
    assert str(message_of([])) == "[]"


def test_a_full_disk_is_said(home: Path, capsys: Out) -> None:
    """Before the run that would stop for it."""
    run("update", "--now")
    assert "are kept in reserve" in lines(capsys, "--set", "min_free_mb=99999999999")[0]


def test_look_tells_what_an_update_would_do(home: Path, capsys: Out) -> None:
    """And names a source that is not there; exit code 4 then."""
    run("update", "--now")
    put(home, "new.txt", "something new")
    assert "Pending: added 1" in lines(capsys, "--look")
    assert status(capsys, "--look")["pending"]["added"] == 1
    (home / "knowledge_base").rename(home / "elsewhere")
    assert run("status", "--look") == 4
    said = lines(capsys, "--look")
    assert said[0].startswith("! ")
    assert "not available" in said[0]


def test_counts_are_those_of_a_look_at_each(home: Path, capsys: Out) -> None:
    """Through additions, failures, deletions, a rollback and its end: the short cut counts as GROUP BY does."""

    def compare() -> None:
        with sqlite3.connect(catalog_of(home)) as con:
            sql = "SELECT state,count(*) FROM document WHERE state<>'gone' GROUP BY state"
            counted = dict(con.execute(sql).fetchall())
            pinned = con.execute("SELECT count(*) FROM document WHERE pinned IS NOT NULL").fetchone()[0]
        con.close()
        facts = status(capsys)
        assert (facts["documents"], facts["pinned"]) == (counted, pinned)

    put(home, "bad.pdf", b"%PDF-1.4 nothing of the kind")
    put(home, "empty.txt", b"")
    put(home, "plan.docx", letter())
    put(home, "copy.txt", "Annual leave is fifteen days a year.")
    run("update", "--now")
    compare()
    (home / "knowledge_base" / "copy.txt").unlink()
    put(home, "plan.docx", letter()[:2000], age=50)
    run("update", "--now")
    compare()
    put(home, "leave.txt", "Annual leave is thirty days a year.", age=40)
    put(home, "later.txt", "A later document.")
    run("update", "--now")
    compare()
    assert run("rollback", "1") == 0
    compare()
    run("rollback", "--release")
    run("update", "--now")
    compare()
    for file in (home / "knowledge_base").rglob("*.*"):
        file.unlink()
    run("update", "--now", "--allow-deletions")
    compare()


def test_nothing_heavy_is_loaded(home: Path) -> None:
    """The second time, when the configuration is known to be valid: no library, not even our own API."""
    run("update", "--now")
    code = (
        "import sys; from indexer.entry import main; sys.argv = ['indexer', 'status']; code = main();"
        f"print(code, [m for m in {HEAVY!r} if m in sys.modules])"
    )
    got = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300).stdout
        for _ in range(2)
    ]
    assert got[1].splitlines()[-1] == "0 []"


def test_a_damaged_catalog_is_said_as_everywhere(home: Path, capsys: Out) -> None:
    """The product's own words and exit code, not SQLite's."""
    run("update", "--now")
    for name in ("catalog.db-wal", "catalog.db-shm"):
        catalog_of(home).with_name(name).unlink(missing_ok=True)
    catalog_of(home).write_bytes(b"no database at all" * 1000)
    assert run("status") == 6
    assert "indexer repair" in capsys.readouterr().err
    catalog_of(home).write_bytes(b"")
    assert run("status") == 6
    (home / "metadata" / "HEAD").write_bytes(b"nonsense\n")
    assert run("status", "--json") == 6


def test_a_folder_that_cannot_be_written(home: Path, capsys: Out) -> None:
    """Where SQLite cannot open the catalog as usual, the product's own way is taken."""
    run("update", "--now")
    catalog = KnowledgeBase(home).catalog()
    assert catalog is not None
    facts = glance(KnowledgeBase(home).settings, 10**18, catalog.db.con)
    assert facts["commit"] == 1
    assert facts["documents"] == {"indexed": 2}
    with pytest.raises(sqlite3.ProgrammingError):
        catalog.db.con.execute("SELECT 1")  # it was given away


def test_the_catalog_s_place_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """Blanks, percent signs, question marks, Chinese: SQLite is given an address, not a path."""
    home = tmp_path / "a b%20c?d#e 知识库"
    (home / "knowledge_base").mkdir(parents=True)
    (home / "indexer.toml").write_text('[embedding]\nmodel = "python:indexer.embed.hashing:HashEmbedder"\n', "utf-8")
    monkeypatch.chdir(home)
    put(home, "a.txt", "some text")
    run("update", "--now")
    assert status(capsys)["documents"] == {"indexed": 1}


def test_glance_raises_what_is_wrong(home: Path) -> None:
    """StoreDamaged with the path, for whoever asks in Python."""
    run("update", "--now")
    settings = KnowledgeBase(home).settings
    catalog_of(home).write_bytes(b"")
    with pytest.raises(StoreDamaged, match="missing or empty"):
        glance(settings, 10**18)


DAEMON = {
    "pid": 7, "started_ns": 1, "host": "box", "version": "0.1.0", "mode": "run",
    "schedule": {"text": "every day at 02:00", "next_ns": 1_900_000_000 * 10**9},
    "watch": [
        {"source": "knowledge_base", "how": "events", "why": "", "folders": 2},
        {"source": "share", "how": "polling", "why": ["Source {source}: events arrive again, it is not polled any more.", {"source": "x"}], "folders": 9},
    ],
    "running": {"trigger": "watch", "since_ns": 1_800_000_000 * 10**9}, "waiting": 3,
}  # fmt: skip


@pytest.fixture
def daemon(home: Path) -> Iterator[Path]:
    """Another process that holds the daemon's lock and has written its state."""
    metadata = home / "metadata"
    metadata.mkdir(exist_ok=True)
    (metadata / "daemon.json").write_text(json.dumps(DAEMON), "utf-8")
    code = (
        "import fcntl, sys; lock = open(sys.argv[1], 'w'); fcntl.flock(lock, fcntl.LOCK_EX);"
        "print('held', flush=True); sys.stdin.read()"
    )
    argv = [sys.executable, "-c", code, str(metadata / "daemon.lock")]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield metadata
        holder.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="flock")
def test_what_the_daemon_says(home: Path, daemon: Path, capsys: Out) -> None:
    """What it is at, what comes next, what it watches, and why it polls."""
    run("update", "--now")
    said = lines(capsys)
    assert any(x.startswith("Polled: share (Source x: events arrive") for x in said)
    assert any("来源 x：" in x for x in lines(capsys, "--set", "language=zh"))
    assert said[0].startswith("Up to date as of ")
    assert any(x.startswith("Updating since ") and x.endswith("(watch); 3 more wait") for x in said)
    assert any(x.startswith("Next run: ") and x.endswith(", every day at 02:00") for x in said)
    assert "Watched: knowledge_base" in said
    assert not any(x.startswith("No daemon") for x in said)
    facts = status(capsys)
    assert facts["daemon"]["pid"] == 7
    assert facts["next_run"]["schedule"] == "every day at 02:00"
    assert facts["fresh"]["watched"]
    assert facts["waiting"] == 3


@pytest.mark.skipif(sys.platform == "win32", reason="flock")
def test_health_is_about_the_daemon(home: Path, daemon: Path, capsys: Out) -> None:
    """A file that failed makes nobody unhealthy."""
    put(home, "bad.pdf", b"%PDF-1.4 nothing of the kind")
    run("update", "--now")
    assert run("status") == 3
    assert run("status", "--health") == 0


def test_no_daemon_is_not_healthy(home: Path, capsys: Out) -> None:
    """However fresh the index is; what a killed daemon wrote counts for nothing."""
    run("update", "--now")
    (home / "metadata" / "daemon.json").write_text(json.dumps(DAEMON), "utf-8")
    (home / "metadata" / "daemon.lock").touch()
    assert run("status", "--health") == 1
    assert status(capsys)["daemon"] is None
