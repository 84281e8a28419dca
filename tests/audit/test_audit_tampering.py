"""Every kind of tampering with the trail is found, by ``audit verify`` and by ``verify``."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from audit_lab import Lab, packed


def _swap(lab: Lab) -> None:
    """Two entries change places, numbers and all."""
    (two,), (three,) = lab.sql("SELECT entry FROM audit WHERE n IN (2,3) ORDER BY n")
    for n, stored in ((2, three), (3, two)):
        lab.sql("UPDATE audit SET entry=? WHERE n=?", packed({**json.loads(zlib.decompress(stored)), "commit": n}), n)


def _cut(lab: Lab) -> None:
    """The last commit goes, with everything of it."""
    lab.sql("DELETE FROM audit WHERE n=4")
    lab.sql("DELETE FROM log WHERE n=4")
    lab.sql("DELETE FROM version WHERE added=4")
    lab.sql("UPDATE document SET state='gone',content=NULL WHERE id=3")


def _rewritten(lab: Lab, n: int, **facts: Any) -> None:
    """An entry says something else, and every hash after it is made to fit."""
    rows = [(m, json.loads(zlib.decompress(e))) for m, e in lab.sql("SELECT n,entry FROM audit ORDER BY n")]
    previous = "0" * 64
    for m, entry in rows:
        entry |= {"previous": previous, **(facts if m == n else {})}
        previous = hashlib.sha256(zlib.decompress(packed(entry))).hexdigest()
        lab.sql("UPDATE audit SET entry=? WHERE n=?", packed(entry), m)
        lab.sql("UPDATE log SET hash=? WHERE n=?", bytes.fromhex(previous), m)


def _another_actor(lab: Lab) -> None:
    """The actor of a run, everywhere but in the hash that was published."""
    lab.sql("UPDATE run SET actor='nobody@nowhere' WHERE id=2")
    _rewritten(lab, 2, actor="nobody@nowhere")


TAMPERED: dict[str, Callable[[Lab], object]] = {
    "actor of an entry": lambda lab: lab.alter(2, actor="nobody@nowhere"),
    "time of an entry": lambda lab: lab.alter(1, at=1),
    "documents of an entry": lambda lab: lab.alter(3, documents=[]),
    "newest entry": lambda lab: lab.alter(4, client="elsewhere"),
    "entry no longer JSON": lambda lab: lab.sql("UPDATE audit SET entry=? WHERE n=2", zlib.compress(b"{")),
    "entry no longer compressed": lambda lab: lab.sql("UPDATE audit SET entry=x'00' WHERE n=2"),
    "entry with a list for a run": lambda lab: lab.alter(2, run=[2]),
    "entry with a text for a time": lambda lab: lab.alter(2, at="yesterday"),
    "entry with odd holes": lambda lab: lab.alter(2, holes=[[1, 2, 3]]),
    "entry with odd documents": lambda lab: lab.alter(2, documents=[["knowledge_base", "a.txt", 1, None]]),
    "hash of a commit is a text": lambda lab: lab.sql("UPDATE log SET hash=CAST('x' AS TEXT) WHERE n=2"),
    "state of a commit is a number": lambda lab: lab.sql("UPDATE log SET state=7 WHERE n=2"),
    "entry of another shape": lambda lab: lab.sql("UPDATE audit SET entry=? WHERE n=2", zlib.compress(b"[]")),
    "first entry removed": lambda lab: lab.sql("DELETE FROM audit WHERE n=1"),
    "entry removed": lambda lab: lab.sql("DELETE FROM audit WHERE n=2"),
    "newest entry removed": lambda lab: lab.sql("DELETE FROM audit WHERE n=4"),
    "all entries removed": lambda lab: lab.sql("DELETE FROM audit"),
    "commit removed from the log": lambda lab: lab.sql("DELETE FROM log WHERE n=2"),
    "newest commit removed from the log": lambda lab: lab.sql("DELETE FROM log WHERE n=4"),
    "last commit cut off": _cut,
    "order swapped": _swap,
    "entry invented": lambda lab: lab.sql(
        "INSERT INTO audit SELECT 5,entry FROM audit WHERE n=4"
    ),
    "actor of a run": lambda lab: lab.sql("UPDATE run SET actor='nobody@nowhere' WHERE id=2"),
    "trigger of a run": lambda lab: lab.sql("UPDATE run SET trigger='schedule' WHERE id=2"),
    "run removed": lambda lab: lab.sql("DELETE FROM run WHERE id=2"),
    "time of a commit": lambda lab: lab.sql("UPDATE log SET at=at-1 WHERE n=3"),
    "run of a commit": lambda lab: lab.sql("UPDATE log SET run=1 WHERE n=3"),
    "hash of a commit": lambda lab: lab.sql("UPDATE log SET hash=zeroblob(32) WHERE n=2"),
    "hash of the newest commit": lambda lab: lab.sql("UPDATE log SET hash=zeroblob(32) WHERE n=4"),
    "version begins elsewhere": lambda lab: lab.sql("UPDATE version SET added=1 WHERE added=2"),
    "version ends elsewhere": lambda lab: lab.sql("UPDATE version SET removed=4 WHERE removed=3"),
    "version removed": lambda lab: lab.sql("DELETE FROM version WHERE removed=2"),
    "document renamed": lambda lab: lab.sql("UPDATE document SET path=CAST('x.txt' AS BLOB) WHERE id=2"),
    "actor, and every hash after it": _another_actor,
}  # fmt: skip


@pytest.mark.parametrize("kind", TAMPERED)
def test_found(told: Lab, kind: str) -> None:
    """Both commands end with exit code 6 and say what it is."""
    assert told.run("audit", "verify").code == 0
    assert told.run("verify").code == 0
    TAMPERED[kind](told)
    said = told.run("audit", "verify")
    assert said.code == 6
    assert "does not hold" in said.err
    assert told.run("audit", "verify", "--json").json["findings"]
    whole = told.run("verify")
    assert whole.code == 6
    assert "Traceback" not in said.err + whole.err


def test_the_first_commit_that_does_not_hold_is_named(told: Lab) -> None:
    """The others are listed by --json."""
    told.alter(3, actor="x")
    told.alter(2, actor="y")
    said = told.run("audit", "verify")
    assert "commit 2" in said.err
    assert "more" in said.err
    assert {f["commit"] for f in told.run("audit", "verify", "--json").json["findings"]} >= {2, 3}


def test_a_chain_rewritten_as_a_whole(told: Lab) -> None:
    """By somebody who knows of the witness beside the catalog: it proves itself, a hash that was noted finds it."""
    noted = told.hashes()
    _another_actor(told)
    assert "commit 4 is not the one that was published" in told.run("audit", "verify").err
    told.catalog.with_name("tip").unlink()
    assert told.run("audit", "verify").code == 0
    assert told.run("audit", "verify", "--expect", noted[0]).code == 0
    for hash_ in noted[1:]:
        said = told.run("audit", "verify", "--expect", hash_)
        assert said.code == 6
        assert hash_[:16] in said.err


def test_a_snapshot_bears_witness(told: Lab) -> None:
    """A chain rewritten from before a snapshot on is not the one in the snapshot."""
    assert told.run("snapshots", "--take").code == 0
    told.put("a.txt", "Annual leave is eighteen days.")
    told.update()
    _another_actor(told)
    told.catalog.with_name("tip").unlink()
    said = told.run("audit", "verify")
    assert said.code == 6
    assert "snapshot" in said.err


def test_noted_hashes(told: Lab) -> None:
    """Whole or their beginning, in any case; what is no hash is a usage error."""
    hashes = told.hashes()
    assert told.run("audit", "verify", *(x for h in hashes for x in ("--expect", h))).code == 0
    found = told.run("audit", "verify", "--expect", f" {hashes[1][:20].upper()} ", "--json").json
    assert found["expected"] == [{"hash": hashes[1], "commit": 2, "proved": True}]
    assert told.run("audit", "verify", "--expect", "f" * 64).code == 6
    for no_hash in ("abc", "g" * 64, "0" * 65):
        assert told.run("audit", "verify", "--expect", no_hash).code == 2


def test_verify_beside_a_writer(told: Lab) -> None:
    """It takes no lock: the trail is proved while somebody writes."""
    with told.store() as store, store.catalog.db.write():
        assert told.run("audit", "verify").code == 0
