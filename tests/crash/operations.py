"""Everything that writes to a state, as functions that may be killed at any step."""

from __future__ import annotations

import argparse
import importlib
import pickle
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from indexer.care import upkeep
from indexer.cli import Out
from indexer.commands import care
from indexer.store import disk
from indexer.update import Request, update

from .checks import head
from .scene import DUE, Scene, clock, found

Say = Callable[[object], None]


class Operation(NamedTuple):
    """What is done, from which saved state, and with which chunk size the next runs go on."""

    work: Callable[[Scene, Say], None]
    base: str = "base"
    size: int = 64

    @property
    def damaged(self) -> bool:
        """Whether it starts from a state that does not hold."""
        return self.base in ("no-vectors", "bad-catalog")


def _run(scene: Scene, say: Say, size: int = 64, repair: bool = False) -> None:
    """An update; announces each commit once it is durable."""
    kb = scene.open(size)
    world = kb.world(now_ns=clock(DUE), tell=lambda kind, facts: say(facts["commit"]) if kind == "commit" else None)
    report = update(world, Request(repair=repair, trigger="test"))
    assert report.exit_code == 0


def _command(name: str, **options: object) -> Callable[[Scene, Say], None]:
    """A command of the command line on the day under test."""

    def work(scene: Scene, say: Say) -> None:
        time.time_ns = clock(DUE)
        given = {
            "command": name,
            "json": False,
            "quiet": True,
            "commit": None,
            "dry_run": False,
            "release": False,
            "take": False,
        }
        upkeep._DROP_SHARE = 0.1  # so that gc has a segment to rewrite
        code = care._COMMANDS[name](scene.open(), argparse.Namespace(**{**given, **options}), Out("en", quiet=True))
        assert code == 0

    return work


def _export(scene: Scene) -> None:
    from indexer.langchain.exporting import export

    export(scene.open(), scene.state / "export")


ROLLED_BACK_TO = 11

OPERATIONS = {
    "update": Operation(_run),
    "first": Operation(_run, base="nothing"),
    "generation": Operation(lambda scene, say: _run(scene, say, 80), size=80),
    "repair-vectors": Operation(lambda scene, say: _run(scene, say, repair=True), base="no-vectors"),
    "repair-catalog": Operation(lambda scene, say: _run(scene, say, repair=True), base="bad-catalog"),
    "rollback": Operation(_command("rollback", commit=str(ROLLED_BACK_TO))),
    "release": Operation(_command("rollback", release=True), base="rolled-back"),
    "snapshot": Operation(_command("snapshots", take=True)),
    "gc": Operation(_command("gc")),
    "export": Operation(lambda scene, say: _export(scene)),
}


def named(name: str) -> Operation:
    """One of them; what an export imports is imported here, once for all children."""
    if name == "export":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the package announces its end
            for module in (
                "langchain_core.documents",
                "langchain_community.docstore.in_memory",
                "indexer.langchain.exporting",
            ):
                importlib.import_module(module)
    return OPERATIONS[name]


def watched(operation: Operation, scene: Scene, states: Path, say: Say) -> None:
    """Do it undisturbed, say every step, and keep what each commit showed while it was the newest."""
    shown: dict[int, object] = {}

    def look() -> None:
        kb = scene.open()
        n = head(kb)
        if n not in shown:
            shown[n] = found(kb)
        kb.close()

    def fault(kind: str, path: str) -> None:
        look()
        say([kind, path])

    if not operation.damaged:
        disk.fault = fault
    else:
        disk.fault = lambda kind, path: say([kind, path])
    operation.work(scene, lambda word: None)
    disk.fault = None
    look()
    states.write_bytes(pickle.dumps(shown))


def until(
    operation: Operation, scene: Scene, n: int, act: Callable[[str, str], None], say: Say, last: float = 0
) -> None:
    """Do it, and ``act`` at step ``n`` (counted from 0) before it is done, and at the next ``last`` ones."""
    count = 0

    def fault(kind: str, path: str) -> None:
        nonlocal count
        count += 1
        if n < count <= n + 1 + last:
            act(kind, path)

    disk.fault = fault
    operation.work(scene, say)
