"""A catalog from before there was an audit trail is read as it is, and taken over by the first who writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import format_1
import pytest
from audit_lab import Lab


@pytest.fixture
def old(told: Lab) -> tuple[Lab, list[str]]:
    """Four commits in format 1, and their hashes; no snapshot from later."""
    for folder in (told.kb.layout.vectorstore / (told.kb.layout.served() or "") / "snapshots").iterdir():
        (folder / "manifest").unlink()
    return told, format_1.age(told.catalog)


def _format(lab: Lab) -> int:
    [(found,)] = lab.sql("SELECT value FROM meta WHERE key='format'")
    return int(found)


def test_who_only_reads_changes_nothing(old: tuple[Lab, list[str]]) -> None:
    """Search, history, status, why and the audit commands work on format 1."""
    lab, hashes = old
    before = lab.catalog.read_bytes()
    assert "canteen" in lab.run("search", "when does the canteen open").out
    assert [r["hash"].lower() for r in lab.run("history", "--json").json] == hashes[::-1]
    assert lab.run("history", "knowledge_base/a.txt").code == lab.run("why", "knowledge_base/a.txt").code == 0
    assert lab.run("status").code == 0
    assert "no audit entry yet" in lab.run("audit", "verify").out
    assert lab.run("audit", "verify", "--expect", hashes[2]).code == 0
    assert lab.run("audit", "export").out == ""
    assert lab.catalog.read_bytes() == before
    assert _format(lab) == 1


def test_the_trail_begins_with_the_next_commit(old: tuple[Lab, list[str]]) -> None:
    """And names the last hash from before; everything holds, every old commit can be searched."""
    lab, hashes = old
    lab.put("a.txt", "Annual leave is seventeen days.")
    report = lab.update()
    [first] = lab.entries()
    assert (report.commit, report.healed, first["begins"]) == (5, [], True)
    assert (first["commit"], first["previous"]) == (5, hashes[-1])
    assert first["documents"][0][2:] != [None, None]
    assert _format(lab) == 3
    assert lab.findings() == []
    assert lab.run("audit", "verify", *(x for h in hashes for x in ("--expect", h))).code == 0
    assert "ninety" in lab.run("search", "password", "--as-of", "2").out
    assert lab.sql("SELECT count(*) FROM sqlite_schema WHERE name='document_pinned'") == [(1,)]


def test_a_run_that_changes_nothing_migrates_too(old: tuple[Lab, list[str]]) -> None:
    """Without an entry."""
    lab, _ = old
    assert lab.update().commit == 4
    assert _format(lab) == 3
    assert lab.entries() == []
    assert lab.run("verify").code == 0


@pytest.mark.parametrize("n", [1, 3, 4])
def test_old_commits_are_proved_as_before(old: tuple[Lab, list[str]], n: int) -> None:
    """By the formula they were made with."""
    lab, _ = old
    lab.put("a.txt", "Annual leave is seventeen days.")
    lab.update()
    lab.sql("UPDATE log SET note='api' WHERE n=?", n)
    said = lab.run("audit", "verify")
    assert said.code == 6
    assert f"the chain of commits is broken at {n}" in said.err


@pytest.mark.parametrize("rows", ["n=5", "n=6", "1"])
def test_an_entry_removed_is_no_old_commit(old: tuple[Lab, list[str]], rows: str) -> None:
    """Its commit has another hash than one without an entry would have."""
    lab, _ = old
    for days in ("seventeen", "eighteen"):
        lab.put("a.txt", f"Annual leave is {days} days.")
        lab.update()
    assert lab.findings() == []
    lab.sql(f"DELETE FROM audit WHERE {rows}")
    assert lab.run("audit", "verify").code == 6
    assert lab.run("verify").code == 6


def test_another_profile_at_once(old: tuple[Lab, list[str]]) -> None:
    """A new version has often new parsers too: the first entry is that of the commit with which the new generation is served."""
    lab, hashes = old
    lab.configure(size=100)
    lab.update()
    [first] = lab.entries()
    assert (first["previous"], first["begins"], first["replaces"]["whole"]) == (hashes[-1], True, True)
    assert "lost" not in first
    assert lab.findings() == []
    assert lab.run("audit", "verify").code == 0


def test_repair_from_an_old_snapshot(old: tuple[Lab, list[str]]) -> None:
    """A snapshot in format 1 is restored and taken over."""
    lab, hashes = old
    lab.run("snapshots", "--take")
    lab.sql("UPDATE content SET spans=zeroblob(9) WHERE id=1")
    assert lab.run("repair").code == 0
    assert _format(lab) == 3
    assert lab.entries()[0]["previous"] == hashes[-1]
    assert lab.findings() == []


def test_a_newer_format_is_left_alone(told: Lab) -> None:
    """An older version of the product says what to do, and rebuilds nothing; without its seal the format is damage."""
    with told.store() as store, store.catalog.db.write():
        store.catalog.set_meta(format=4)
    before = told.catalog.read_bytes()
    for words in (["update", "--now"], ["repair"], ["search", "leave"], ["audit", "verify"]):
        said = told.run(*words)
        assert (said.code, "newer version" in said.err) == (2, True), words
    assert told.catalog.read_bytes() == before
    assert len(told.kb.layout.generations()) == 1
    told.sql("UPDATE meta SET value=5 WHERE key='format'")
    assert told.run("verify").code == 6
    assert told.run("repair").code == 0
    assert told.findings() == []


def test_the_old_tables_are_the_old_ones() -> None:
    """The catalog of this test knows nothing of the trail."""
    with closing(sqlite3.connect(":memory:")) as con:
        con.executescript(format_1.TABLES)
        assert con.execute("SELECT count(*) FROM sqlite_schema WHERE name='audit'").fetchone() == (0,)
