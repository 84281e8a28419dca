"""The trail goes on when another generation takes the place of the served one, and says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest
from audit_lab import Lab, documents

from indexer.core.errors import Interrupted
from indexer.store import disk
from indexer.update import Request, update


def _unbroken(lab: Lab) -> None:
    entries, hashes = lab.entries(), lab.hashes()
    assert [e["previous"] for e in entries[1:]] == hashes[:-1]
    numbers = [e["commit"] for e in entries]
    assert numbers == sorted(set(numbers))
    assert lab.findings() == []
    assert lab.run("audit", "verify").code == 0


def test_another_profile(told: Lab) -> None:
    """Every entry comes along; the next one says what is replaced, by whom, and that nothing is shown otherwise."""
    before, runs, served = told.hashes(), told.sql("SELECT id,actor,trigger,started FROM run"), told.kb.layout.served()
    told.configure(size=100)
    told.update(actor="olga@ops", trigger="schedule")
    last = told.entries()[-1]
    assert told.kb.layout.served() != served
    assert told.hashes()[:-1] == before
    assert (last["actor"], last["trigger"], last["note"]) == ("olga@ops", "schedule", "another generation is served")
    assert (last["documents"], last["replaces"]) == ([], {"generation": served, "whole": True})
    assert told.sql("SELECT id,actor,trigger,started FROM run")[: len(runs)] == runs
    _unbroken(told)
    told.put("a.txt", "Annual leave is seventeen days.")
    told.update()
    _unbroken(told)
    assert told.run("audit", "verify", "--expect", before[0]).code == 0


def test_there_and_back_again(told: Lab) -> None:
    """Two changes of profile: one chain from the first commit to the last."""
    for size in (100, 256):
        told.configure(size=size)
        told.update()
    assert [e.get("begins") for e in told.entries()].count(True) == 1
    assert len(told.entries()) == 6
    _unbroken(told)


def test_what_changed_meanwhile_is_in_the_commit_that_serves_it(told: Lab) -> None:
    """A document edited, one added, one that fails: before and after as people saw them."""
    old = documents(told.entries()[1])["a.txt"][1]
    new, added = told.put("a.txt", "Annual leave is seventeen days."), told.put("d.txt", "Badges are worn visibly.")
    told.put("bad.pdf", "no PDF")
    told.configure(size=100)
    told.update()
    assert documents(told.entries()[-1]) == {"a.txt": (old, new), "d.txt": (None, added)}
    _unbroken(told)


def test_documents_added_in_python_come_along(told: Lab) -> None:
    """They are shown as before, so the trail has nothing to say of them."""
    from indexer.langchain import IndexerVectorStore

    IndexerVectorStore(told.kb).add_texts(["Visitors get a badge."], ids=["badge"])
    told.configure(size=100)
    told.update()
    assert told.entries()[-1]["documents"] == []
    _unbroken(told)


class _Stop:
    """Stops a run at the n-th question."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Interrupted("stopped")


def test_filled_by_two_runs_with_a_deletion_between(told: Lab) -> None:
    """What is deleted meanwhile is a commit of the served generation; no two commits have one number."""
    for i in range(8):
        told.put(f"{i}.txt", f"Rule number {i} of the house, which no other one says.")
    told.update()
    told.configure("batch_passages = 2", size=100)
    kb = told.kb
    with pytest.raises(Interrupted):
        update(kb.world(stop=_Stop(6)), Request(actor="first@run"))
    assert len(kb.layout.generations()) == 2
    (told.files / "3.txt").unlink()
    told.update(actor="second@run")
    assert len(kb.layout.generations()) == 1
    *_, gone, served = told.entries()
    assert [p for p, (_, after) in documents(gone).items() if after is None] == ["3.txt"]
    assert (gone["actor"], served["actor"], served["documents"]) == ("second@run", "second@run", [])
    _unbroken(told)


def test_a_crash_between_the_last_commit_and_head(told: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run serves it, with one commit that says so and not two."""
    told.configure(size=100)
    served = told.kb.layout.served()

    def die(operation: str, path: str) -> None:
        if operation == "rename" and path.endswith("HEAD"):
            raise SystemExit(9)

    for _ in range(2):
        monkeypatch.setattr(disk, "fault", die)
        with pytest.raises(SystemExit):
            told.update(actor="first@run")
        monkeypatch.setattr(disk, "fault", None)
        assert told.kb.layout.served() == served
        _unbroken(told)
    told.put("a.txt", "Annual leave is seventeen days.")
    told.update(actor="second@run")
    assert [e["actor"] for e in told.entries() if "replaces" in e] == ["second@run"]
    _unbroken(told)


# ---- damage ------------------------------------------------------------------------------


def _content(lab: Lab) -> None:
    """Something in the catalog that is no part of the trail."""
    lab.sql("UPDATE content SET spans=zeroblob(9) WHERE id=1")


def _unreadable(lab: Lab) -> None:
    """The whole catalog."""
    for path in lab.catalog.parent.glob("catalog.db*"):
        path.unlink()
    lab.catalog.write_bytes(b"nothing of this is a catalog" * 200)


@pytest.fixture
def snapped(told: Lab) -> Lab:
    """Commits 1 to 4 are in a snapshot, 5 and 6 are not."""
    told.run("snapshots", "--take")
    told.put("d.txt", "Badges are worn visibly.")
    told.update()
    told.put("a.txt", "Annual leave is seventeen days.")
    told.update()
    return told


def test_a_damaged_catalog_keeps_its_trail(snapped: Lab) -> None:
    """It is restored from a snapshot; the entries made since are taken from the damaged one."""
    before = snapped.hashes()
    _content(snapped)
    assert snapped.run("repair").code == 0
    last = snapped.entries()[-1]
    assert snapped.hashes()[: len(before)] == before
    assert (last["trigger"], last["replaces"]["whole"], last["documents"]) == ("repair", True, [])
    assert snapped.run("audit", "verify", *(x for h in before for x in ("--expect", h))).code == 0
    _unbroken(snapped)


def test_damage_in_the_trail_too(snapped: Lab) -> None:
    """An entry that does not hold any more is left out, and the commit that serves the new generation says where."""
    before = snapped.hashes()
    _content(snapped)
    snapped.sql("DELETE FROM audit WHERE n=5")
    assert snapped.run("repair").code == 0
    last = snapped.entries()[-1]
    assert last["holes"] == [[4, before[3], 6, before[4]]]
    assert snapped.findings() == []
    assert snapped.run("audit", "verify", "--expect", before[5], "--expect", before[0]).code == 0
    assert snapped.run("audit", "verify", "--expect", before[4]).code == 3


def test_a_catalog_nobody_can_read(snapped: Lab) -> None:
    """What the snapshot holds goes on; that later commits are lost is said, with the hash of the last."""
    before = snapped.hashes()
    _unreadable(snapped)
    assert snapped.run("repair").code == 0
    entries = snapped.entries()
    [teller] = [e for e in entries if "lost" in e]
    assert snapped.hashes()[:4] == before[:4]
    assert (teller["lost"], teller["replaces"]["whole"]) == ([6, before[5]], False)
    assert teller["commit"] > 6
    checked = snapped.run("audit", "verify", "--json")
    assert "commit 6 was lost by damage" in checked.json["remarks"][0]
    assert snapped.run("audit", "verify", "--expect", before[3]).code == 0
    assert snapped.run("audit", "verify", "--expect", before[5]).code == 3
    _unbroken(snapped)


def test_neither_catalog_nor_snapshot(snapped: Lab) -> None:
    """Another trail begins, and says what was lost."""
    before = snapped.hashes()
    _unreadable(snapped)
    shutil.rmtree(snapped.catalog.parents[2] / "vectorstore")
    assert snapped.run("repair").code == 0
    first = snapped.entries()[0]
    assert (first["begins"], first["lost"]) == (True, [6, before[5]])
    assert sorted(documents(first)) == ["a.txt", "c.txt", "d.txt"]
    assert snapped.run("audit", "verify", "--expect", before[5]).code == 3
    _unbroken(snapped)


@pytest.mark.parametrize("repaired", [True, False])
def test_the_end_of_the_catalog_is_lost(told: Lab, repaired: bool) -> None:
    """Commits dropped with a damaged log: the next entry tells the last of them, and no number is used twice."""
    told.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    old = told.catalog.read_bytes()
    told.put("a.txt", "Annual leave is seventeen days.")
    told.update()
    lost = told.hashes()[-1]
    told.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    for name in ("catalog.db-wal", "catalog.db-shm"):
        told.catalog.with_name(name).unlink(missing_ok=True)
    told.catalog.write_bytes(old)
    assert "the catalog ends at 4" in told.run("audit", "verify").err
    if repaired:
        assert told.run("repair").code == 0
    else:
        told.update()
    told.put("a.txt", "Annual leave is eighteen days.")
    told.update()
    assert [e["lost"] for e in told.entries() if "lost" in e] == [[5, lost]]
    assert told.entries()[4]["commit"] > 5
    assert told.run("audit", "verify", "--expect", lost).code == 3
    _unbroken(told)


DAMAGES: dict[str, Callable[[Lab], None]] = {"content": _content, "all of it": _unreadable}


@pytest.mark.parametrize("damage", DAMAGES)
def test_runs_after_damage_have_new_numbers(snapped: Lab, damage: str) -> None:
    """Nobody is taken for somebody else: what the damaged catalog counted is counted on."""
    runs = {e["run"]: e["actor"] for e in snapped.entries()}
    DAMAGES[damage](snapped)
    snapped.update(repair=True, actor="late@night", trigger="repair")
    assert snapped.entries()[-1]["run"] > max(runs)
    _unbroken(snapped)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("how", ["altered", "removed"])
def test_what_was_carried_is_proved_and_mended_too(told: Lab, n: int, how: str) -> None:
    """There are no commits any more beside these entries: the chain alone proves them, snapshots put them back."""
    told.configure(size=100)
    told.update()
    before = told.hashes()
    snapshots = told.kb.layout.vectorstore / (told.kb.layout.served() or "") / "snapshots"
    for kept in (True, False):
        if how == "altered":
            told.alter(n, actor="nobody@nowhere")
        else:
            told.sql("DELETE FROM audit WHERE n=?", n)
        assert told.run("audit", "verify").code == told.run("verify").code == 6
        if not kept:
            shutil.rmtree(snapshots)
        assert told.run("repair").code == 0
        assert (told.hashes() == before) == kept
        assert told.findings() == []
    assert told.entries()[-1]["holes"][0][3] == before[n - 1]
