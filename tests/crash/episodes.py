"""One death each: bring about, look, heal. Run by workers, so arguments and answers are plain JSON."""

from __future__ import annotations

import errno
import json
import math
import os
import pickle
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

from indexer.core.errors import DAMAGED, INTERNAL, IndexerError
from indexer.store.local import Store

from . import calls, flips, operations, power
from .checks import Prepared, States, difference, exported, findings, goes_on, heals, history, old_or_new
from .operations import OPERATIONS, Operation
from .scene import BASE, DAYS, DUE, Places, Scene, build, found, lay, model
from .wild import Log, Witness, live
from .workers import Ended, child, die, forked


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
    here, operation = Prepared(Path(root)), OPERATIONS[name]
    operations.preload()
    scene = scene_of(here, here.scene(worker), operation.base)
    seen = here.root / f"seen-{name}"
    ended = forked(lambda say: operations.watched(operation, scene, seen, say))
    assert ended.code == 0
    kb = scene.open()
    before = {} if operation.base == "nothing" else _load(here.root / "before")
    truth = {**before, **history(kb)}
    kb.close()
    for n, places in _load(seen).items():
        assert truth.setdefault(n, places) == places, f"commit {n} showed one thing when it was new and another later"
    for n, places in truth.items():
        assert _unmixed(places), f"commit {n} shows a mixture of versions of one document"
    (here.root / f"truth-{name}").write_bytes(pickle.dumps(truth))
    steps: list[list[str]] = ended.said
    return steps


def _load(path: Path) -> dict[int, Places]:
    states: dict[int, Places] = pickle.loads(path.read_bytes())  # noqa: S301 - written by us
    return states


def _unmixed(places: Places) -> bool:
    """Whether every document is shown exactly as it was on some day, or not at all."""
    paths = {p for p, _, _, _ in places}
    known = [model(d) for d in DAYS.values()]
    return all(
        any({x for x in places if x[0] == path} == {x for x in day if x[0] == path} for day in known) for path in paths
    )


def killed(worker: int, root: str, name: str, n: int) -> str:
    """Die just before step ``n`` (which is just after step n - 1), look, heal."""
    here, operation = Prepared(Path(root)), OPERATIONS[name]
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
    truth = _load(here.root / f"truth-{name}")
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
    here, operation = Prepared(Path(root)), OPERATIONS[name]
    scene = scene_of(here, here.scene(worker), operation.base)
    never = calls.Trouble(-2, "kill", reads=reads)
    ended, made = calls.traced(lambda say: operation.work(scene, say), str(scene.state), never)
    assert ended.code == 0
    return [list(c) for c in made]


def stopped(worker: int, root: str, name: str, n: int, what: str, forever: bool, reads: bool) -> str:
    """The ``n``-th system call is the last one, or is refused."""
    here, operation = Prepared(Path(root)), OPERATIONS[name]
    scene = scene_of(here, here.scene(worker), operation.base)
    trouble = calls.Trouble(n, what, forever, reads)
    ended, made = calls.traced(lambda say: named(partial(operation.work, scene), say), str(scene.state), trouble)
    try:
        if what in ("kill", "torn"):
            assert ended.killed or len(made) <= n, f"ended with {ended.code}"
        answer = judge(scene, name, ended, _load(here.root / f"truth-{name}"), "" if ended.killed else what, reads)
    except Exception as e:
        e.add_note(f"{trouble} {made[n] if n < len(made) else 'never reached'} of {name}")
        raise
    return answer


def refused(worker: int, root: str, name: str, n: int, why: str, forever: bool) -> str:
    """The disk refuses step ``n`` (and all after it) with EIO or ENOSPC; then it is well again."""
    here, operation = Prepared(Path(root)), OPERATIONS[name]
    scene = scene_of(here, here.scene(worker), operation.base)
    work = partial(operations.until, operation, scene, n, partial(refuse, why), last=math.inf if forever else 0)
    ended = forked(lambda say: named(work, say))
    try:
        return judge(scene, name, ended, _load(here.root / f"truth-{name}"), why)
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
    here, operation = Prepared(Path(root)), OPERATIONS[name]
    scene = scene_of(here, here.scene(worker), operation.base)
    ended = forked(lambda say: operations.until(operation, scene, n, lambda kind, path: die(), say))
    assert ended.killed
    if healed:
        heals(scene, size=operation.size)
    goes_on(scene, operation.size)


def killed_at_random(worker: int, root: str, seed: int, kills: int) -> list[int]:
    """Kill a process that edits and updates, again and again, each time going on from what is left.

    Answers how many of the kills fell into a whole update, into a started one, and the last commit.
    """
    rng = random.Random(seed)  # noqa: S311 - which moment is all it decides
    folder = Path(root) / f"wild{seed}"
    scene = Scene(folder / "docs", folder / "state")
    scene.documents.mkdir(parents=True)
    scene.clear()
    witness, started = Witness(scene), 0
    for n in range(seed * 1000, seed * 1000 + kills):
        log = Log(folder / "said")
        pid, reading = child(lambda say, log=log, n=n: live(scene, n, log.say))
        time.sleep(rng.choice([0.02, 0.1, 0.5]) * rng.random() + 0.01)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(reading)
        said = log.said()
        started += bool(said) and isinstance(said[-1], dict)
        try:
            witness.look(said)
            if n % 4 == 0:
                witness.heal(n * 50 + 49)
        except Exception as e:
            e.add_note(f"seed {n}, said: {str(said)[-600:]}")
            shutil.copytree(folder, Path(root) / f"failed-wild-{n}")
            raise
    shutil.rmtree(folder)
    return [kills, started, witness.commit]


# ---- power ---------------------------------------------------------------------------------


def format_disks(worker: int, root: str, name: str) -> None:
    """The image an operation starts from, with the saved state on it."""
    power.own_mounts(worker)
    here = Prepared(Path(root))
    disk = power.Disk(here.root / f"disk-{name}")
    disk.format()
    with disk.mounted() as point:
        Scene(here.root / "docs", point).restore(here.root / OPERATIONS[name].base)


def power_cut(worker: int, root: str, name: str, n: int, sabotaged: str) -> str:
    """Cut the power just before step ``n``; mount again, look, heal. Answers what was lost under sabotage."""
    power.own_mounts(worker)
    here, operation = Prepared(Path(root)), OPERATIONS[name]
    disk = power.Disk(here.root / f"power{worker}")
    subprocess.run(["cp", "--sparse=always", here.root / f"disk-{name}" / "image", disk.image], check=True)
    scene = Scene(here.root / "docs", disk.point)

    def doomed(say: Any) -> None:
        if sabotaged:
            power.sabotage(sabotaged)
        operations.until(operation, scene, n, lambda kind, path: _out(scene.state), say)
        _out(scene.state)

    with disk.mounted():
        ended = forked(doomed)
        assert ended.killed, f"ended with {ended.code}"
    announced = max([w for w in ended.said if isinstance(w, int)], default=0)
    announced = 0 if name == "generation" else announced
    truth = _load(here.root / f"truth-{name}")
    with disk.mounted():
        try:
            power.apart(lambda: after(scene, name, operation, truth, announced))
        except AssertionError as e:
            if sabotaged:
                return str(e).strip().splitlines()[-1]
            e.add_note(f"power cut before step {n} of {name}")
            raise
    return ""


def _out(point: Path) -> None:
    power.cut(point)
    die()


def power_cut_at_random(worker: int, root: str, seed: int, cuts: int) -> list[int]:
    """Cut the power under a process that edits and updates, again and again, each time going on from what is left."""
    power.own_mounts(worker)
    rng = random.Random(seed)  # noqa: S311 - which moment is all it decides
    folder = Path(root) / f"power-wild{seed}"
    disk = power.Disk(folder)
    disk.format()
    scene = Scene(folder / "docs", disk.point)
    scene.documents.mkdir()
    witness, started = Witness(scene), 0
    for n in range(seed * 1000, seed * 1000 + cuts):
        log = Log(folder / "said")
        with disk.mounted():
            pid, reading = child(lambda say, log=log, n=n: live(scene, n, log.say))
            time.sleep(0.02 + rng.choice([0.1, 0.5, 1.0]) * rng.random())
            disk.cut()
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(reading)
        said = [w for w in log.said() if not isinstance(w, list) or w[0] == 0]  # errors after the cut are no wonder
        started += bool(said) and isinstance(said[-1], dict)
        with disk.mounted():
            try:
                power.apart(lambda said=said, n=n: _look(witness, said, n, folder / "witness"))
            except AssertionError as e:
                e.add_note(f"seed {n}, said: {str(said)[-600:]}")
                raise
        witness.known, witness.commit = pickle.loads((folder / "witness").read_bytes())  # noqa: S301 - ours
    shutil.rmtree(folder)
    return [cuts, started]


def _look(witness: Witness, said: list[object], n: int, keep: Path) -> None:
    witness.look(said)
    if n % 3 == 0:
        witness.heal(n * 50 + 49)
    keep.write_bytes(pickle.dumps((witness.known, witness.commit)))


# ---- flipped bits --------------------------------------------------------------------------


def prepare_flips(worker: int, root: str, steps: list[list[str]]) -> list[int]:
    """Two states with history, their answers kept: closed cleanly, and left by a death with a full log."""
    here = Prepared(Path(root))
    scene = here.scene(worker)
    merge = [n for n, (kind, _) in enumerate(steps) if kind == "committed"][-2]
    known = []
    for name, stop in (("closed", len(steps)), ("hot", merge)):
        scene.restore(here.base)
        forked(
            lambda say, stop=stop: operations.until(OPERATIONS["update"], scene, stop, lambda kind, path: die(), say)
        )
        scene.save(here.root / name)
        scene.restore(here.root / name)
        told = forked(lambda say: say(flips.answers(scene)))
        (here.root / f"answers-{name}").write_text(json.dumps(told.said[0]))
        known.append(len(told.said[0]))
    return known


def flipped(worker: int, root: str, name: str, file: str, bit: int, compare: bool, repair: bool) -> str:
    """One bit of one file is turned over."""
    here = Prepared(Path(root))
    scene = here.scene(worker)
    truth = json.loads((here.root / f"answers-{name}").read_text())

    def damage() -> None:
        scene.restore(here.root / name)
        flips.flip(scene.state / file, bit)

    try:
        return flips.one(scene, damage, truth, compare, repair)
    except Exception as e:
        e.add_note(f"bit {bit % 8} of byte {bit // 8} of {file} ({name})")
        raise


def cells(worker: int, root: str, name: str) -> list[list[object]]:
    """Table, column and rowid (or key) of two cells of every column of the catalog, one of them NULL where there is one."""
    con = _catalog(Prepared(Path(root)).root / name)
    found: list[list[object]] = []
    for (table,) in con.execute("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_stat%'"):
        for column in [c[1] for c in con.execute(f"PRAGMA table_info({table})")]:
            key = con.execute(f"SELECT name FROM pragma_table_info('{table}') WHERE pk=1").fetchone()
            key = key[0] if key else "rowid"
            sql = f"SELECT {key} FROM {table} ORDER BY {column} IS NULL, {key}"
            rows = [k for (k,) in con.execute(sql)]
            if key not in ("source", "at", "passage"):
                found += [
                    [table, column, key, k if isinstance(k, (int, str)) else None] for k in {*rows[:1], *rows[-1:]}
                ]
    con.close()
    return found


def altered(worker: int, root: str, name: str, table: str, column: str, key: str, row: object) -> str:
    """One cell of the catalog holds something else by one bit, and SQLite itself has nothing to complain about."""
    here = Prepared(Path(root))
    scene = here.scene(worker)
    truth = json.loads((here.root / f"answers-{name}").read_text())

    def damage() -> None:
        scene.restore(here.root / name)
        con = _catalog(scene.state)
        (value,) = con.execute(f"SELECT {column} FROM {table} WHERE {key}=?", (row,)).fetchone()
        con.execute(f"UPDATE OR IGNORE {table} SET {column}=? WHERE {key}=?", (_other(value), row))
        con.close()

    try:
        return flips.one(scene, damage, truth, False, False)
    except Exception as e:
        e.add_note(f"{table}.{column} where {key}={row}")
        raise


def _catalog(state: Path) -> sqlite3.Connection:
    [path] = (state / "metadata").glob("*/catalog.db")
    return sqlite3.connect(path, isolation_level=None)


def _other(value: object) -> object:
    if isinstance(value, int):
        return value ^ 1
    if isinstance(value, str) and value:
        return chr(ord(value[0]) ^ 1) + value[1:]
    if isinstance(value, bytes) and value:
        return bytes([value[0] ^ 1]) + value[1:]
    return 1
