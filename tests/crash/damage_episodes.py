"""Damaged states, full disks, limits on files: one episode each, run by workers."""

from __future__ import annotations

import resource
from functools import partial
from pathlib import Path
from typing import Any

from indexer.api import KnowledgeBase
from indexer.core.errors import INTERNAL, IndexerError
from indexer.update import Request, update

from . import damages, flips, operations, power
from .checks import Prepared, States, difference, head, heals
from .episodes import after, judge, load, named
from .operations import OPERATIONS
from .scene import DUE, Scene, clock, found
from .workers import forked


def damaged(worker: int, root: str, name: str, remedy: str) -> list[str]:
    """The state is found damaged: reading never ends in a traceback, ``verify`` says so, ``remedy`` puts it right.

    Answers what the remedy said.
    """
    here, scene = Prepared(Path(root)), Prepared(Path(root)).scene(worker)
    scene.restore(here.root / damages.DAMAGES[name].state)
    damages.damage(scene, name)
    try:
        seen = forked(lambda say: say([_searched(scene), flips.reported(scene) if _served(scene) else False]))
        assert seen.code == 0, "reading or verify ended in a traceback"
        assert seen.said[0][1] == damages.DAMAGES[name].reported, f"verify: {seen.said[0][1]}"
        done = forked(lambda say: say(_remedied(scene, remedy)))
        assert done.code == 0, "see the traceback on stderr"
    except Exception as e:
        e.add_note(f"{name}, then {remedy}")
        raise
    return [str(x) for x in done.said[0]]


def _served(scene: Scene) -> bool:
    return (scene.state / "metadata" / "HEAD").exists()


def _searched(scene: Scene) -> int:
    """A search gives answers (whole, or from a snapshot, with a warning) or says what to do."""
    kb = KnowledgeBase(scene.settings())
    try:
        return len(kb.search("anything", k=1000))
    except IndexerError as e:
        if "indexer repair" not in str(e) and "indexer update" not in str(e):
            raise
        return -1
    finally:
        kb.close()


def _remedied(scene: Scene, remedy: str) -> list[str]:
    kb, foreign = (
        KnowledgeBase(scene.settings()),
        [scene.state / f for f in damages.FOREIGN if (scene.state / f).exists()],
    )
    report = update(kb.world(now_ns=clock(DUE)), Request(repair=remedy == "repair", trigger=remedy))
    assert report.exit_code == 0, [str(p.reason) for p in report.tally.problems.values()]
    for path in foreign:
        path.unlink()  # fails if it was swept: it is not ours
    heals(scene)
    return [str(m) for m in report.healed]


def full_disk(worker: int, root: str, kind: str, spare_kb: int) -> str:
    """The disk has room for so much more and fills up within the run; then there is room again."""
    power.own_mounts(worker)
    here = Prepared(Path(root))
    operations.named("update")
    with power.small_disk(here.root / f"small{worker}", kind) as disk:
        scene = Scene(here.root / "docs", disk.point)
        scene.restore(here.base)
        disk.fill(spare_kb)
        work = partial(OPERATIONS["update"].work, scene)
        ended = forked(lambda say: named(lambda say: work(say), say))
        truth = load(here.root / "truth-update")
        told = [w for w in ended.said if isinstance(w, list)]
        announced = max([w for w in ended.said if isinstance(w, int)], default=0)
        assert ended.code == 0, "not an IndexerError: see the traceback on stderr"
        assert all(code == INTERNAL and kind == "DiskFull" and "Free some" in text for code, kind, text in told), told
        power.apart(lambda: readable(scene, truth, announced))  # while it is full
        disk.empty()
        power.apart(lambda: after(scene, "update", OPERATIONS["update"], truth, announced))
    return "told" if told else "room enough"


def readable(scene: Scene, truth: States, at_least: int) -> None:
    """A reader finds one commit exactly."""
    kb = scene.open()
    n = head(kb)
    assert n >= at_least
    assert found(kb) == truth[n], difference(found(kb), truth[n])
    kb.close()


def file_limit(worker: int, root: str, limit_kb: int) -> str:
    """No file may grow beyond a limit, as ``ulimit -f`` says it."""
    here, scene = Prepared(Path(root)), Prepared(Path(root)).scene(worker)
    scene.restore(here.base)

    def limited(say: Any) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_kb << 10, resource.RLIM_INFINITY))
        named(partial(OPERATIONS["update"].work, scene), say)

    ended = forked(limited)
    try:
        return judge(scene, "update", ended, load(here.root / "truth-update"), "ENOSPC")
    except Exception as e:
        e.add_note(f"no file beyond {limit_kb} KB")
        raise
