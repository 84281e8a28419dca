"""Random deaths, a second writer, a reader meanwhile: one episode each, run by workers."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from indexer.core.errors import BUSY

from . import operations
from .checks import Prepared
from .episodes import unmixed
from .operations import OPERATIONS
from .scene import DAYS, DUE, QUERY, Scene, found, model
from .wild import Log, Witness, live
from .workers import answered, child, die, forked


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


def second_writer(worker: int, root: str) -> list[str]:
    """While one process updates, another is told so at once, or waits; when the first is killed, it works."""
    here, scene = Prepared(Path(root)), Prepared(Path(root)).scene(worker)
    scene.restore(here.base)
    (scene.state / "indexer.toml").write_text(_TOML.format(documents=scene.documents), "utf-8")
    command = [sys.executable, "-m", "indexer", "update", "--now", "--home", str(scene.state)]

    def first(say: Any) -> None:
        operations.until(OPERATIONS["update"], scene, 60, lambda kind, path: (say("holding"), time.sleep(600)), say)

    pid, reading = child(first)
    with os.fdopen(reading, "rb") as pipe:
        while b"holding" not in pipe.readline():
            pass
        busy = subprocess.run([*command, "--no-wait"], capture_output=True, text=True)
        verify = subprocess.run([*command[:3], "verify", *command[-2:]], capture_output=True, text=True)
        waits = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        said = waits.stderr.readline() if waits.stderr else ""
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert waits.wait(300) == 0, said
    assert f"process {pid}" in said
    assert (busy.returncode, verify.returncode) == (BUSY, BUSY), busy.stderr + verify.stderr
    assert f"process {pid}" in busy.stderr
    assert "Traceback" not in busy.stderr
    kb = scene.open()
    assert found(kb) == model(DAYS[DUE])
    kb.close()
    (scene.state / "indexer.toml").unlink()
    return [busy.stderr]


_TOML = """
sources = [{{ name = "kb", path = "{documents}" }}]
batch_passages = 3
retention_days = 2
min_free_mb = 0
[split]
size = 64
overlap = 0
[embedding]
model = "python:indexer.embed.hashing:HashEmbedder"
options = {{ dimension = 8 }}
"""


def reader_meanwhile(worker: int, root: str, seed: int, rounds: int) -> list[int]:
    """A process searches without end while others update, change the profile, collect and are killed.

    Answers how many searches it made and how many commits it saw.
    """
    here, scene = Prepared(Path(root)), Prepared(Path(root)).scene(worker)
    scene.restore(here.base)
    rng, stop = random.Random(seed), here.root / f"stop{worker}"  # noqa: S311 - which moment is all it decides
    stop.unlink(missing_ok=True)
    pid, reading = child(lambda say: _search_until(scene, stop, say))
    try:
        for n in range(rounds):
            name = rng.choice(["update", "generation", "gc", "snapshot", "update"])
            work = OPERATIONS[name].work
            step = rng.randrange(200)
            forked(
                lambda say, name=name, step=step: operations.until(
                    OPERATIONS[name], scene, step, lambda k, p: die(), say
                )
            )
            if n % 3 == 2:
                assert forked(lambda say, work=work: work(scene, say)).code == 0
    finally:
        stop.touch()
        said = answered(reading)
        os.waitpid(pid, 0)
    assert said, "the reader died"
    assert isinstance(said[-1], list), said[-1]
    return said[-1]


def _search_until(scene: Scene, stop: Path, say: Any) -> None:
    kb, searches, seen = scene.open(), 0, [0]
    try:
        while not stop.exists():
            hits = kb.search(QUERY, k=1_000_000)
            places = frozenset((h.key.path, h.start, h.end, h.text) for h in hits)
            assert hits, "nothing found"
            assert len({h.commit for h in hits}) == 1, "hits of two commits in one answer"
            assert hits[0].commit >= seen[-1], f"commit {seen[-1]} was there, now {hits[0].commit}"
            assert unmixed(places), "a mixture of versions of one document"
            seen += [hits[0].commit] if hits[0].commit != seen[-1] else []
            searches += 1
        say([searches, len(seen) - 1])
    except BaseException:
        say(traceback.format_exc())
