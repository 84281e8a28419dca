"""``repair`` puts entries back from snapshots, and what none holds is missing on record."""

from __future__ import annotations

import pytest
from audit_lab import Lab


@pytest.fixture
def kept(told: Lab) -> Lab:
    """The four commits are in a snapshot, a fifth is not."""
    told.run("snapshots", "--take")
    told.put("d.txt", "Badges are worn visibly.")
    told.update()
    return told


@pytest.mark.parametrize("how", ["altered", "removed", "unreadable"])
def test_put_back_from_a_snapshot(kept: Lab, how: str) -> None:
    """The very bytes: the hashes are what they were, and no commit is added."""
    before = kept.hashes()
    if how == "altered":
        kept.alter(2, actor="nobody@nowhere")
    else:
        kept.sql("DELETE FROM audit WHERE n=2" if how == "removed" else "UPDATE audit SET entry=x'' WHERE n=2")
    said = kept.run("repair")
    assert said.code == 0
    assert "put back from a snapshot" in said.err
    assert kept.hashes() == before
    assert kept.run("verify").code == 0


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("how", ["altered", "removed"])
def test_what_no_snapshot_holds_is_missing_on_record(told: Lab, n: int, how: str) -> None:
    """For ever: a commit by whoever repaired says between which commits, and `verify` says it too."""
    hashes = told.hashes()
    for folder in (told.kb.layout.vectorstore / (told.kb.layout.served() or "") / "snapshots").iterdir():
        (folder / "manifest").unlink()
    if how == "altered":
        told.alter(n, actor="nobody@nowhere")
    else:
        told.sql("DELETE FROM audit WHERE n=?", n)
    said = told.run("repair", "--json").json
    assert (said["exit_code"], said["commit"]) == (0, 5)
    last = told.entries()[-1]
    assert (last["trigger"], last["documents"], last["commit"]) == ("repair", [], 5)
    [hole] = last["holes"]
    assert hole[3] == hashes[n - 1]
    checked = told.run("audit", "verify", "--json")
    assert checked.code == 0
    assert "as commit 5 says" in checked.json["remarks"][0]
    told.put("a.txt", "Annual leave is nineteen days.")
    told.update()
    assert told.findings() == []
    assert told.run("audit", "verify", "--expect", hashes[0 if n > 1 else 1]).code == 0
    assert told.run("audit", "verify", "--expect", hashes[n - 1]).code == 3


def test_an_entry_lost_twice_is_on_record_once(told: Lab) -> None:
    """A second repair has nothing to do."""
    told.sql("DELETE FROM audit WHERE n=3")
    assert told.run("repair").code == 0
    before = told.hashes()
    assert "Nothing needed repair." in told.run("repair").out
    assert told.hashes() == before


def test_the_record_of_runs_follows_the_trail(told: Lab) -> None:
    """A run's actor is what the entries prove; nothing else of the run changes."""
    before = told.sql("SELECT * FROM run")
    told.sql("UPDATE run SET actor='x',trigger='y' WHERE id=2")
    assert told.run("repair").code == 0
    assert told.sql("SELECT * FROM run WHERE id<5") == before
    assert told.findings() == []


def test_what_is_lost_cannot_be_forged_into_an_excuse(told: Lab) -> None:
    """A hole that no entry of the chain states is one, whatever the tables say."""
    told.sql("DELETE FROM audit WHERE n=2")
    told.alter(4, holes=[[1, told.hashes()[0], 3, told.entries()[1]["previous"]]])
    assert told.run("audit", "verify").code == 6
