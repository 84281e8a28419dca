"""The power is cut, at a step or at a random moment: one episode each, run by workers."""

from __future__ import annotations

import os
import pickle
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from . import operations, power
from .checks import Prepared
from .episodes import after, load
from .operations import OPERATIONS
from .scene import Scene
from .wild import Log, Witness, live
from .workers import child, die, forked


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
    here, operation = Prepared(Path(root)), operations.named(name)
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
    truth = load(here.root / f"truth-{name}")
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
