"""One death each: bring about, look, heal. Run by workers, so arguments and answers are plain JSON."""

from __future__ import annotations

import errno
import math
import os
import pickle
import shutil
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

from indexer.core.errors import DAMAGED, INTERNAL, IndexerError
from indexer.store.local import Store

from . import calls, operations
from .checks import Prepared, States, difference, exported, findings, goes_on, heals, history, old_or_new
from .operations import OPERATIONS, Operation
from .scene import BASE, DAYS, DUE, Places, Scene, build, found, lay, model
from .workers import Ended, die, forked


def prepare(worker: int, root: str) -> int:
    """Build the shared scene: documents of the day under test, saved states, the truth of each operation."""
    here = Prepared(Path(root))
    scene = here.scene(worker)
    build(scene)
    kb = scene.open()
    before = history(kb)
    kb.close()
    assert before[max(before)] == model(DAYS[BASE])
    lay(scene.documents, DAYS[DUE])
    scene.save(here.base)
    (here.root / "nothing").mkdir()
    _damage(here, scene)
    scene.restore(here.base)
    assert forked(lambda say: OPERATIONS["rollback"].work(scene, say)).code == 0
    scene.save(here.root / "rolled-back")
    (here.root / "before").write_bytes(pickle.dumps(before))
    return len(before)


def scene_of(here: Prepared, scene: Scene, saved: str) -> Scene:
    """The scene with a saved state restored."""
    scene.restore(here.root / saved)
    return scene


def _damage(here: Prepared, scene: Scene) -> None:
    """Two damaged states: one without a segment of vectors, one with a broken catalog."""
    kb = scene_of(here, scene, "base").open()
    served = kb.layout.served()
    assert served is not None
    min((kb.layout.vectorstore / served).glob("*.faiss")).unlink()
    scene.save(here.root / "no-vectors")
    scene.restore(here.base)
    store = Store.open(kb.layout, served)
    with store.catalog.db.write():
        store.catalog.db.run("UPDATE content SET spans=zeroblob(9) WHERE id=1")
    store.close()
    scene.save(here.root / "bad-catalog")


def rehearse(worker: int, root: str, name: str) -> list[list[str]]:
    """Do an operation undisturbed; keeps what each commit shows and answers the steps."""
    here, operation = Prepared(Path(root)), operations.named(name)
    scene = scene_of(here, here.scene(worker), operation.base)
    seen = here.root / f"seen-{name}"
    ended = forked(lambda say: operations.watched(operation, scene, seen, say))
    assert ended.code == 0
    kb = scene.open()
    before = {} if operation.base == "nothing" else load(here.root / "before")
    truth = {**before, **history(kb)}
    kb.close()
    for n, places in load(seen).items():
        assert truth.setdefault(n, places) == places, f"commit {n} showed one thing when it was new and another later"
    for n, places in truth.items():
        assert unmixed(places), f"commit {n} shows a mixture of versions of one document"
    (here.root / f"truth-{name}").write_bytes(pickle.dumps(truth))
    steps: list[list[str]] = ended.said
    return steps


def load(path: Path) -> dict[int, Places]:
    states: dict[int, Places] = pickle.loads(path.read_bytes())  # noqa: S301 - written by us
    return states


def unmixed(places: Places) -> bool:
    """Whether every document is shown exactly as it was on some day, or not at all."""
    paths = {p for p, _, _, _ in places}
    known = [model(d) for d in DAYS.values()]
    return all(
        any({x for x in places if x[0] == path} == {x for x in day if x[0] == path} for day in known) for path in paths
    )


def killed(worker: int, root: str, name: str, n: int) -> str:
    """Die just before step ``n`` (which is just after step n - 1), look, heal."""
    here, operation = Prepared(Path(root)), operations.named(name)
    scene = scene_of(here, here.scene(worker), operation.base)
    where: list[str] = []

    def deadly(say: Any) -> None:
        def act(kind: str, path: str) -> None:
            say(f"{kind} {path}")
            die()

        operations.until(operation, scene, n, act, say)

    ended = forked(deadly)
    assert ended.killed, f"step {n} was never reached"
    where = [w for w in ended.said if isinstance(w, str)]
    announced = max([w for w in ended.said if isinstance(w, int)], default=0)
    announced = 0 if name == "generation" else announced  # what is announced is not served yet
    truth = load(here.root / f"truth-{name}")
    try:
        after(scene, name, operation, truth, announced)
    except Exception as e:
        e.add_note(f"killed before step {n} of {name}: {where}")
        keep = here.root / f"failed-{name}-{n}"
        shutil.copytree(scene.state, keep, dirs_exist_ok=True)
        raise
    return where[0]


def calls_of(worker: int, root: str, name: str, reads: bool) -> list[list[str]]:
    """Every system call of an operation that changes (or reads) a file of the state, undisturbed."""
    here, operation = Prepared(Path(root)), operations.named(name)
    scene = scene_of(here, here.scene(worker), operation.base)
    never = calls.Trouble(-2, "kill", reads=reads)
    ended, made = calls.traced(lambda say: operation.work(scene, say), str(scene.state), never)
    assert ended.code == 0
    return [list(c) for c in made]


def stopped(worker: int, root: str, name: str, n: int, what: str, forever: bool, reads: bool) -> str:
    """The ``n``-th system call is the last one, or is refused."""
    here, operation = Prepared(Path(root)), operations.named(name)
    scene = scene_of(here, here.scene(worker), operation.base)
    trouble = calls.Trouble(n, what, forever, reads)
    ended, made = calls.traced(lambda say: named(partial(operation.work, scene), say), str(scene.state), trouble)
    try:
        if what in ("kill", "torn"):
            assert ended.killed or len(made) <= n, f"ended with {ended.code}"
        answer = judge(scene, name, ended, load(here.root / f"truth-{name}"), "" if ended.killed else what, reads)
    except Exception as e:
        e.add_note(f"{trouble} {made[n] if n < len(made) else 'never reached'} of {name}")
        raise
    return answer


def refused(worker: int, root: str, name: str, n: int, why: str, forever: bool) -> str:
    """The disk refuses step ``n`` (and all after it) with EIO or ENOSPC; then it is well again."""
    here, operation = Prepared(Path(root)), operations.named(name)
    scene = scene_of(here, here.scene(worker), operation.base)
    work = partial(operations.until, operation, scene, n, partial(refuse, why), last=math.inf if forever else 0)
    ended = forked(lambda say: named(work, say))
    try:
        return judge(scene, name, ended, load(here.root / f"truth-{name}"), why)
    except Exception as e:
        e.add_note(f"{why} {'from' if forever else 'at'} step {n} of {name}")
        raise


def named(work: Any, say: Any) -> None:
    """Do it; an IndexerError is said with its exit code, any other error is a failure of the test."""
    try:
        work(say=say)
    except IndexerError as e:
        say([e.exit_code, type(e).__name__, str(e)])


def judge(scene: Scene, name: str, ended: Ended, truth: States, why: str, reads: bool = False) -> str:
    """What was told names folder and remedy, and the state is whole; ``why`` is empty after a death."""
    told = [w for w in ended.said if isinstance(w, list)]
    announced = max([w for w in ended.said if isinstance(w, int)], default=0)
    assert ended.code == 0 or not why, "not an IndexerError: see the traceback on stderr"
    for code, kind, message in told:
        assert code == INTERNAL or (reads and code == DAMAGED), f"exit code {code}: {message}"
        assert str(scene.state) in message, f"names no folder: {message}"
        assert any(r in message for r in REMEDIES), f"names no remedy: {message}"
        assert kind != "DiskFull" or why == "ENOSPC", f"{kind}: {message}"
    after(scene, name, OPERATIONS[name], truth, 0 if name == "generation" else announced)
    return "told" if told else "tolerated"


REMEDIES = ("Free some", "Check the disk", "run `indexer repair`")


def refuse(why: str, kind: str, path: str) -> None:
    """What the operating system or SQLite would raise here."""
    if kind == "sql":
        e = sqlite3.OperationalError("disk I/O error" if why == "EIO" else "database or disk is full")
        e.sqlite_errorname = "SQLITE_IOERR_WRITE" if why == "EIO" else "SQLITE_FULL"
        raise e
    if kind != "committed":  # it is done by then
        number = getattr(errno, why)
        raise OSError(number, os.strerror(number), path)


def after(scene: Scene, name: str, operation: Operation, truth: States, announced: int) -> None:
    """What must hold after a death."""
    if not operation.damaged:
        old_or_new(scene, truth, at_least=announced)
    else:
        kb = scene.open()
        kb.warn = lambda text: None  # damaged before we came: a warning is right, an error is not
        kb.search("anything", k=3)
        kb.close()
    if operation.damaged or name in ("rollback", "snapshot", "gc", "release"):
        again = forked(lambda say: operation.work(scene, say))
        assert again.code == 0, "doing it again failed"
        assert findings(scene) == []
    if name == "export":
        exported(scene, truth[max(truth)])
        assert forked(lambda say: operation.work(scene, say)).code == 0
        assert exported(scene, truth[max(truth)]), "no export"
    if name == "rollback":
        kb = scene.open()
        assert found(kb) == truth[operations.ROLLED_BACK_TO], difference(found(kb), truth[operations.ROLLED_BACK_TO])
        kb.close()
        assert forked(lambda say: OPERATIONS["release"].work(scene, say)).code == 0
    heals(scene, size=operation.size)


def continues(worker: int, root: str, name: str, n: int, healed: bool) -> None:
    """Die before step ``n``; a further day of edits and deletions, with or without a run before it, ends well too."""
    here, operation = Prepared(Path(root)), operations.named(name)
    scene = scene_of(here, here.scene(worker), operation.base)
    ended = forked(lambda say: operations.until(operation, scene, n, lambda kind, path: die(), say))
    assert ended.killed
    if healed:
        heals(scene, size=operation.size)
    goes_on(scene, operation.size)
