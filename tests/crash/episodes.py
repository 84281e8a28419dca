"""One death each: bring about, look, heal. Run by workers, so arguments and answers are plain JSON."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

from indexer.store.local import Store

from . import operations
from .checks import Prepared, States, difference, findings, goes_on, heals, history, old_or_new
from .operations import OPERATIONS, Operation
from .scene import DAYS, DUE, Places, Scene, build, found, lay, model
from .workers import die, forked


def prepare(worker: int, root: str) -> int:
    """Build the shared scene: documents of the day under test, saved states, the truth of each operation."""
    here = Prepared(Path(root))
    scene = here.scene(worker)
    build(scene)
    kb = scene.open()
    before = history(kb)
    kb.close()
    assert before[max(before)] == model(DAYS[3])
    lay(scene.documents, DAYS[DUE])
    scene.save(here.base)
    (here.root / "nothing").mkdir()
    _damage(here, scene)
    operations._command("rollback", commit=str(operations.ROLLED_BACK_TO))(scene_of(here, scene, "base"), print)
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
    if name == "rollback":
        kb = scene.open()
        assert found(kb) == truth[operations.ROLLED_BACK_TO], difference(found(kb), truth[operations.ROLLED_BACK_TO])
        kb.close()
        assert forked(lambda say: OPERATIONS["release"].work(scene, say)).code == 0
    heals(scene, size=operation.size)


def continues(worker: int, root: str, name: str, n: int) -> None:
    """As :func:`killed`, and a further day of edits ends well too."""
    killed(worker, root, name, n)
    here = Prepared(Path(root))
    goes_on(here.scene(worker), OPERATIONS[name].size)
