"""Old entries leave from the front, and what is left proves itself and says what left."""

from __future__ import annotations

import json

import pytest
from audit_lab import DAY, Lab

from indexer.store.author import whoami


@pytest.fixture
def aged(lab: Lab) -> Lab:
    """Five commits, one every ten days, the last one now; entries are kept for 25 days."""
    for n in range(5):
        lab.put("a.txt", f"Annual leave is {n} days.")
        lab.update(days=10 * n - 40)
    lab.configure("audit_days = 25")
    return lab


def test_for_ever_is_the_default(aged: Lab) -> None:
    """Neither time nor `gc` removes an entry."""
    aged.configure()
    assert aged.run("gc").code == 0
    assert len(aged.entries()) == 5


def test_gc_removes_from_the_front(aged: Lab) -> None:
    """The chain holds from the kept hash on, and the next entry says how many went, when, and by whom."""
    hashes = aged.hashes()
    assert aged.run("gc", "--json").json["audit_entries"] == 2
    assert aged.hashes() == hashes[2:]
    assert aged.findings() == []
    checked = aged.run("audit", "verify", "--json")
    assert (checked.code, checked.json["entries"]) == (0, 3)
    assert "2 entries up to commit 2 were removed" in checked.json["remarks"][0]
    aged.put("a.txt", "Annual leave is unlimited.")
    aged.update()
    told = aged.entries()[-1]["removed_before"]
    assert (told["commit"], told["hash"], told["actor"], told["entries"]) == (2, hashes[1], whoami(), 2)
    aged.put("a.txt", "Annual leave is limited.")
    aged.update()
    assert "removed_before" not in aged.entries()[-1]
    assert aged.findings() == []


def test_a_run_removes_them_once_a_day(aged: Lab) -> None:
    """After its last commit."""
    aged.put("a.txt", "Annual leave is unlimited.")
    aged.update(days=2)
    assert [e["commit"] for e in aged.entries()] == [3, 4, 5, 6]
    assert aged.run("audit", "verify").code == 0


def test_the_newest_entry_stays(aged: Lab) -> None:
    """However old it is: the next commit has something to follow."""
    aged.configure("audit_days = 1")
    with aged.store() as store:
        from indexer.care.audit_retention import forget

        assert forget(store, 1, aged.entries()[-1]["at"] + 99 * DAY) == 4
    assert len(aged.entries()) == 1
    assert aged.findings() == []


def test_noted_hashes_from_before(aged: Lab) -> None:
    """The last removed one and all after it are proved; of earlier ones it is said that they cannot be any more."""
    hashes = aged.hashes()
    aged.run("gc")
    for n, code in enumerate((3, 0, 0, 0, 0)):
        said = aged.run("audit", "verify", "--expect", hashes[n])
        assert said.code == code, said
    assert "not there any more" in aged.run("audit", "verify", "--expect", hashes[0]).err


@pytest.mark.parametrize("what", ["entries", "anchor", "nothing"])
def test_removed_by_somebody_else(aged: Lab, what: str) -> None:
    """Entries removed by hand are missing, also behind a made-up record of a removal."""
    aged.run("gc")
    if what == "entries":
        aged.sql("DELETE FROM audit WHERE n=3")
    elif what == "anchor":
        aged.sql("DELETE FROM audit WHERE n=3")
        aged.sql(
            "UPDATE meta SET value=? WHERE key='audit_removed'",
            json.dumps({"commit": 3, "hash": "0" * 64, "entries": 3, "actor": "x"}),
        )
    assert aged.run("audit", "verify").code == (0 if what == "nothing" else 6)


def test_the_kept_part_goes_on_in_another_generation(aged: Lab) -> None:
    """With what is on record about the removed one."""
    aged.run("gc")
    hashes = aged.hashes()
    aged.configure("audit_days = 25", size=100)
    aged.update()
    assert aged.hashes()[:-1] == hashes
    assert aged.entries()[-1]["removed_before"]["commit"] == 2
    assert aged.findings() == []
    assert aged.run("audit", "verify").code == 0


def test_an_entry_that_cannot_be_read_stops_it(aged: Lab) -> None:
    """Evidence is not removed; the run goes on."""
    aged.sql("UPDATE audit SET entry=x'00' WHERE n=1")
    assert aged.run("gc", "--json").json["audit_entries"] == 0
    aged.put("a.txt", "Annual leave is unlimited.")
    assert aged.update(days=2).healed == []
    assert aged.sql("SELECT count(*) FROM audit") == [(6,)]
