"""After any history of changes, outages, lost answers and deaths the other side has what searches find; and nothing twice.

``INDEXER_TEST_FOLLOWERS`` sets how many histories are played (3), and has every scene die at every step.
"""

from __future__ import annotations

import os
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from following import Lab, differs, killed_before, text
from lightrag_stand_in import StandIn

from indexer.core.following import FollowerSettings
from indexer.followers.runner import flush

MANY = "INDEXER_TEST_FOLLOWERS" in os.environ
SEEDS = range(int(os.environ.get("INDEXER_TEST_FOLLOWERS", "3")))
SCENES = ("first", "edit", "delete", "move", "copy") if MANY else ("edit", "move")
NAMES = [f"{folder}{name}" for folder in ("", "hr/", "it/") for name in ("a.txt", "b.md", "员工手册.md")]


def settings(server: StandIn, **more: Any) -> FollowerSettings:
    return FollowerSettings("graph", url=server.url, api_key="secret", timeout_seconds=10, **more)


def change(lab: Lab, chance: random.Random) -> None:
    """One thing somebody does in the folder."""
    there = sorted(p for p in lab.root.rglob("*") if p.is_file())
    what = chance.choice(["write", "write", "edit", "delete", "move", "copy"])
    if what == "write" or not there:
        lab.write(chance.choice(NAMES), text(chance.randrange(6)))
        return
    one = chance.choice(there)
    if what == "edit":
        lab.write(one.relative_to(lab.root).as_posix(), text(chance.randrange(100)))
    elif what == "delete":
        one.unlink()
    else:
        other = lab.root / chance.choice(NAMES)
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_bytes(one.read_bytes())
        if what == "move" and other != one:
            one.unlink()


def faults(chance: random.Random) -> Any:
    """Now and then nothing arrives, or the answer does not, or the server is unwell."""

    def fault(method: str, path: str) -> Any:
        if chance.random() > 0.15 or path == "/health":
            return None
        return chance.choice(["refuse", "drop", (503, {"detail": "fence"}), (429, {"detail": "queue"}, {"retry-after": "3"}), (500, {"detail": "oops"})])  # fmt: skip

    return fault


def worked(lab: Lab, turns: int) -> None:
    """So many turns of a process of ours."""
    with lab.opened() as runner:
        for _ in range(turns):
            lab.clock.sleep(runner.turn())


def sent(lab: Lab) -> None:
    """Everything is sent."""
    assert lab.flush() is None


@pytest.mark.parametrize("seed", SEEDS)
def test_random_histories(tmp_path: Path, server: StandIn, seed: int) -> None:
    """Edits, moves, copies, deletions; an unwell server, one that is started anew; deaths of ours. Then peace."""
    chance = random.Random(seed)  # noqa: S311 - a history to repeat
    lab = Lab(tmp_path, settings(server))
    for _ in range(8):
        for _ in range(chance.randrange(1, 4)):
            change(lab, chance)
        lab.commit()
        server.fault = faults(chance)
        server.broken = chance.random() < 0.2
        if chance.random() < 0.3:
            server.restart()
        step, turns = chance.randrange(3, 60), chance.randrange(30)
        killed_before(step, partial(worked, lab, turns), ("http", "ledger"))
    server.fault, server.broken = (lambda method, path: None), False
    lab.clock.sleep(4000)
    for _ in range(5):  # what failed there is tried again in its time
        if lab.flush() is None:
            break
        lab.clock.sleep(2000)
    assert differs(server.content(), lab.texts()) == []
    server.seen.clear()
    assert lab.flush() is None
    assert not [call for call in server.seen if call.startswith(("POST /documents/text", "DELETE"))]


@pytest.mark.parametrize("scene", SCENES)
def test_death_before_any_step(tmp_path: Path, server: StandIn, scene: str) -> None:
    """Killed before each step of a sending in turn: nothing is lost, nothing is sent twice without need."""
    lab = Lab(tmp_path, settings(server))
    for n in range(2):
        lab.write(f"{n}.txt", text(n))
    if scene != "first":
        lab.commit()
        assert lab.flush() is None
    if scene == "edit":
        lab.write("1.txt", text(11))
    elif scene == "delete":
        (lab.root / "1.txt").unlink()
    elif scene == "move":
        (lab.root / "1.txt").rename(lab.root / "9.txt")
    elif scene == "copy":
        lab.write("9.txt", text(1))
    lab.commit()
    before = (dict(server.docs), lab.kb.settings.metadata)
    ledger = Path(before[1]) / "followers"
    saved = {p.name: p.read_bytes() for p in ledger.iterdir()} if ledger.is_dir() else {}
    step, died = 0, True
    while died:
        step += 1
        server.docs = {k: _again(d) for k, d in before[0].items()}
        server.deleting = 0
        _restore(ledger, saved)
        server.taken.clear()
        died = killed_before(step, lambda: sent(lab))
        assert lab.flush() is None
        assert differs(server.content(), lab.texts()) == [], f"after a death before step {step}"
        assert all(n == 1 for n in server.taken.values()), f"sent twice after a death before step {step}"
    assert step > 5


def _again(doc: Any) -> Any:
    made = type(doc)(doc.id, doc.name, doc.text, doc.track, doc.state, doc.original)
    made.left = doc.left
    return made


def _restore(folder: Path, saved: dict[str, bytes]) -> None:
    if folder.is_dir():
        for path in folder.iterdir():
            path.unlink()
    for name, data in saved.items():
        (folder / name).write_bytes(data)


def test_the_answer_to_a_copy_is_lost(tmp_path: Path, server: StandIn) -> None:
    """The server lists it as a copy of another, by its name: it is not sent for ever; when the other goes, it is sent as itself."""
    lab = Lab(tmp_path, settings(server))
    lab.write("1.txt", text(1))
    lab.commit()
    assert lab.flush() is None
    lab.write("2.txt", text(1))
    lab.commit()
    lost = iter(["drop"])
    server.fault = lambda method, path: next(lost, None) if path == "/documents/text" else None
    lab.flush()
    lab.clock.sleep(100)
    assert lab.flush() is None
    assert differs(server.content(), lab.texts()) == []
    (lab.root / "1.txt").unlink()
    lab.commit()
    assert lab.flush() is None
    assert (differs(server.content(), lab.texts()), list(server.content())) == ([], ["kb%2F2.txt"])


def test_the_original_goes_before_its_copy_is_known_as_one(tmp_path: Path, server: StandIn) -> None:
    """The copy was handed over and we died; its original is deleted meanwhile: the copy is sent as itself."""
    lab = Lab(tmp_path, settings(server))
    lab.write("1.txt", text(1))
    lab.commit()
    assert lab.flush() is None
    lab.write("2.txt", text(1))
    lab.commit()
    step, died = 1, True
    while died and not any(name == "kb%2F2.txt" for name, _ in server.taken):
        step += 1
        died = killed_before(step, lambda: sent(lab), ("http", "ledger"))
    (lab.root / "1.txt").unlink()
    lab.commit()
    assert lab.flush() is None
    assert differs(server.content(), lab.texts()) == []
    assert len(server.docs) == 1


def test_an_outage_sends_the_final_state_only(tmp_path: Path, server: StandIn) -> None:
    """50 edits of 5 documents while the server is away: 5 documents are sent when it is back."""
    lab = Lab(tmp_path, settings(server))
    for n in range(5):
        lab.write(f"{n}.txt", text(n))
    lab.commit()
    assert lab.flush() is None
    server.fault = lambda method, path: "refuse"
    with lab.opened() as runner:
        for n in range(50):
            lab.write(f"{n % 5}.txt", text(100 + n))
            lab.commit()
            lab.clock.sleep(runner.turn())
        assert runner.state == "down"
        assert runner.follower.behind().documents == 5
        server.fault = lambda method, path: None
        server.taken.clear()
        lab.clock.sleep(31)
        assert flush(runner, lambda: None, lab.clock.sleep) is None
    assert differs(server.content(), lab.texts()) == []
    assert sum(server.taken.values()) == 5
