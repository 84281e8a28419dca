"""Who, when, from where and which documents: what every commit puts on record."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

import pytest
from audit_lab import Lab, documents

from indexer.core.model import Key
from indexer.langchain import IndexerVectorStore
from indexer.look import Request
from indexer.store.author import Author, whoami
from indexer.update import update


def test_an_update_says_who_when_and_which(lab: Lab) -> None:
    """Before and after are the SHA-256 of the files' bytes; the run is the one on record."""
    began = time.time_ns()
    old, kept = lab.put("a.txt", "Annual leave is fifteen days."), lab.put("规定/b.txt", "婚假十五天。")
    lab.update()
    new = lab.put("a.txt", "Annual leave is sixteen days.")
    report = lab.update(trigger="schedule", actor="alice@laptop", client="10.0.0.7")
    first, second = lab.entries()
    assert documents(first) == {"a.txt": (None, old), "规定/b.txt": (None, kept)}
    assert documents(second) == {"a.txt": (old, new)}
    assert (first["actor"], first["client"], first["trigger"]) == (whoami(), "", "cli")
    assert (second["actor"], second["client"], second["trigger"]) == ("alice@laptop", "10.0.0.7", "schedule")
    assert (second["commit"], second["run"]) == (report.commit, report.run)
    assert began < first["at"] < second["at"] < time.time_ns()
    assert lab.sql("SELECT actor,trigger,exit_code FROM run") == [(whoami(), "cli", 0), ("alice@laptop", "schedule", 0)]


def test_the_hash_of_a_commit_is_that_of_its_entry(told: Lab) -> None:
    """SHA-256 of the entry; each names the one before; the first names nothing."""
    entries, hashes = told.entries(), told.hashes()
    assert [h.hex() for (h,) in told.sql("SELECT hash FROM log ORDER BY n")] == hashes
    assert [e["previous"] for e in entries] == ["0" * 64, *hashes[:-1]]
    assert [bool(e.get("begins")) for e in entries] == [True, False, False, False]


def test_deletions_and_moves(told: Lab) -> None:
    """What goes has no hash after; a move is one name gone and one come with the same hash."""
    (told.files / "c.txt").rename(told.files / "d.txt")
    told.update()
    third, last = told.entries()[2], told.entries()[-1]
    assert documents(third)["b.txt"][1] is None
    assert documents(last)["c.txt"] == (documents(last)["d.txt"][1], None)


def test_a_rollback_is_on_record_as_a_run_of_its_own(told: Lab) -> None:
    """With the old hashes again; the release of its pins brings back what lies in the folder."""
    assert told.run("rollback", "1").code == 0
    entry, run = told.entries()[-1], told.sql("SELECT id,actor,trigger,exit_code,finished FROM run ORDER BY id DESC")[0]
    first = documents(told.entries()[0])
    assert documents(entry)["b.txt"] == (None, first["b.txt"][1])
    assert documents(entry)["a.txt"][1] == first["a.txt"][1]
    assert (entry["trigger"], entry["note"]) == ("rollback", "rollback to 1")
    assert run[:4] == (entry["run"], whoami(), "rollback", 0)
    assert run[4] is not None
    assert told.run("rollback", "--release").code == 0
    told.update()
    assert documents(told.entries()[-1])["b.txt"][1] is None
    assert told.findings() == []


def test_documents_added_in_python(told: Lab) -> None:
    """Whom the application names, from where; the hash is that of text and metadata."""
    store = IndexerVectorStore(told.kb, actor="bob@intranet", client="192.0.2.9")
    store.add_texts(["Visitors get a badge."], [{"floor": 2}], ids=["badge"])
    whole = json.dumps(
        {"metadata": {"floor": 2}, "text": "Visitors get a badge."}, sort_keys=True, separators=(",", ":")
    )
    sha = hashlib.sha256(whole.encode()).hexdigest()
    entry = told.entries()[-1]
    assert (entry["actor"], entry["client"], entry["trigger"]) == ("bob@intranet", "192.0.2.9", "langchain")
    assert entry["documents"] == [["langchain", "badge", None, sha]]
    IndexerVectorStore(told.kb).delete(["badge"])
    assert told.entries()[-1]["documents"] == [["langchain", "badge", sha, None]]
    assert told.entries()[-1]["actor"] == whoami()
    assert told.findings() == []


def test_every_batch_of_a_run_has_its_entry(lab: Lab) -> None:
    """A run of several commits: one run, no document twice."""
    for i in range(7):
        lab.put(f"{i}.txt", f"Rule number {i} of the house, which no other one says.")
    lab.configure("batch_passages = 2")
    lab.update()
    entries = lab.entries()
    assert len(entries) > 2
    assert {e["run"] for e in entries} == {1}
    assert sorted(p for e in entries for p in documents(e)) == [f"{i}.txt" for i in range(7)]


def test_what_changes_nothing_leaves_no_entry(told: Lab) -> None:
    """A run without a change, a touched file, a file that cannot be read as what it is."""
    os.utime(told.files / "a.txt")
    told.update()
    told.put("broken.pdf", "no PDF at all")
    told.update()
    told.update()
    assert len(told.entries()) == 4
    assert told.findings() == []


def test_a_name_that_is_no_utf8(lab: Lab) -> None:
    """Its bytes come back from the entry."""
    lab.put(b"caf\xe9.txt", "Coffee is free.")
    lab.update()
    [path] = documents(lab.entries()[0])
    assert path.encode("utf-8", "surrogateescape") == b"caf\xe9.txt"
    assert lab.findings() == []
    assert lab.run("audit", "export").json["path"] == path


def test_a_killed_run_is_on_record_with_its_first_commit(lab: Lab) -> None:
    """Its number is not given out again, so that two people are never taken for one."""
    for i in range(6):
        lab.put(f"{i}.txt", f"Rule number {i} of the house, which no other one says.")
    lab.configure("batch_passages = 2")
    kb, commits = lab.kb, []

    def die(kind: str, facts: object) -> None:
        if kind == "commit":
            commits.append(facts)
            raise SystemExit(9)

    with pytest.raises(SystemExit):
        update(kb.world(tell=die), Request(actor="eve@there"))
    assert lab.sql("SELECT id,actor,finished,exit_code FROM run") == [(1, "eve@there", None, None)]
    lab.update(actor="bob@here")
    assert [(e["run"], e["actor"]) for e in lab.entries()][:2] == [(1, "eve@there"), (2, "bob@here")]
    assert lab.findings() == []
    assert lab.run("status", "--json").json["last_run"]["actor"] == "bob@here"


def test_part_of_the_folder_only(told: Lab) -> None:
    """A request for one file has an entry for that file."""
    told.put("a.txt", "Annual leave is seventeen days.")
    told.put("c.txt", "The canteen opens at one.")
    told.update(paths=(Key("knowledge_base", "a.txt"),))
    assert list(documents(told.entries()[-1])) == ["a.txt"]


def test_who_used_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service account that many use: the user before sudo is told as the client."""
    monkeypatch.setenv("SUDO_USER", "carol")
    assert Author().named() == Author(whoami(), "sudo by carol", "")
    assert Author("a@b", "c").named() == Author("a@b", "c")


def test_history_and_why_say_who(told: Lab) -> None:
    """In the list of commits, in that of one document's versions, and in why."""
    told.put("a.txt", "Annual leave is seventeen days.")
    told.update(actor="dora@desk", client="203.0.113.5", trigger="api")
    newest = told.run("history", "--json").json[0]
    assert (newest["actor"], newest["client"], newest["trigger"]) == ("dora@desk", "203.0.113.5", "api")
    path = str(Path("knowledge_base") / "a.txt")
    assert "dora@desk (203.0.113.5)" in told.run("history", path).out
    assert told.run("history", path, "--json").json[0]["actor"] == "dora@desk"
    assert "dora@desk (203.0.113.5)" in told.run("why", path).out
    assert told.run("why", path, "--json").json["trigger"] == "api"
