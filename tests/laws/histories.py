"""Random sequences of operations, how one is run, and how a failing one is made small.

A history is plain data: `print(history)` gives what can be put into `test_directed.py`.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from lab import RULES, Lab, Op

FILES = (
    "a.txt", "b.txt", "A.txt", "c.md", "d.bin", "手册/请假.txt", "手册/安全.md", "deep/er/x.txt", "deep/y.TXT", "deep/er/z.bin",
    "caf\u00e9.txt", "cafe\u0301.txt", "\udcff\udcfe.txt", "deep/~$lock.txt", "notes", "new/a.txt", "with space.md",
)  # fmt: skip
FOLDERS = ("手册", "deep", "deep/er", "new", "many", "deep/many")
SOURCES = ("one", "one", "one", "two")
ROOM = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where the folders are made: in memory where there is such a place, an fsync costs nothing there."""


class History(NamedTuple):
    """How the laboratory is set up, and what happens in it."""

    ops: Sequence[Op]
    ahead: bool = True
    size: int = 80
    overlap: int = 20
    batch: int = 1000


def generate(seed: int, rounds: int = 7) -> History:
    """The history of a seed: rounds of a few operations, each ended by an update."""
    rng = random.Random(seed)  # noqa: S311
    ops: list[Op] = [
        ("write", rng.choice(SOURCES), rng.choice(FILES), rng.randrange(60)) for _ in range(rng.randint(0, 9))
    ]
    for _ in range(rng.randint(2, rounds)):
        ops += _round(rng)
        if rng.random() < 0.15:
            ops += _scene(rng)
    size, overlap = rng.choice(((80, 20), (60, 0), (120, 30)))
    return History(ops, rng.random() < 0.8, size, overlap, rng.choice((1000, 1000, 4)))


def _round(rng: random.Random) -> list[Op]:
    ops = [_operation(rng) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.15:
        ops.append(_configuration(rng))
    if rng.random() < 0.2:
        ops.append(_partial(rng))
        ops += [
            ("write", rng.choice(SOURCES), rng.choice(FILES), rng.randrange(100, 900)) for _ in range(rng.randrange(2))
        ]
        if rng.random() < 0.3:
            ops.append(_partial(rng))
    elif rng.random() < 0.1:
        ops.append(("update", "", rng.choice(SOURCES), rng.choice(FILES + FOLDERS)))
    ops.append(("update", rng.choice(("",) * 8 + ("allow", "verify", "scrub"))))
    if rng.random() < 0.15:
        ops.append(("update",))
    if rng.random() < 0.12:
        ops.append(rng.choice((("roll_back", rng.randrange(4)), ("roll_back", 1), ("release",), ("collect",))))
    return ops


def _scene(rng: random.Random) -> list[Op]:
    """A few operations that belong together, with anything in between."""
    source, path, folder, n = rng.choice(SOURCES), rng.choice(FILES), rng.choice(FOLDERS), rng.randrange(60)
    anything = [_operation(rng) for _ in range(rng.randrange(3))]
    if rng.random() < 0.3:
        anything.append(_configuration(rng))
    update: Op = ("update",)
    many: Op = ("many", source, "many", rng.randint(11, 16), n)
    scenes: tuple[list[Op], ...] = (
        [
            many,
            update,
            ("delete", source, "many"),
            update,
            *anything,
            update,
            rng.choice((("update", "allow"), many, ("copy", source, path, source, "b.txt"))),
        ],
        [many, update, ("rename", source, "many", source, "moved"), *anything, update],
        [
            many,
            update,
            ("wipe", source),
            update,
            *anything,
            update,
            rng.choice((("wipe", source), ("update", "allow"))),
            update,
        ],
        [
            ("write", source, path, n),
            update,
            ("chmod", source, path, 0),
            update,
            *anything,
            update,
            ("chmod", source, path, 0o644),
            update,
        ],
        [("chmod", source, folder, 0), update, *anything, update, ("chmod", source, folder, 0o755), update],
        [
            ("write", source, path, n),
            update,
            ("broken", source, path, n),
            update,
            *anything,
            update,
            ("revert", source, path, n),
            update,
        ],
        [("away", source), update, *anything, ("away", source), update],
        [op for i in range(9) for op in (("write", source, rng.choice(FILES), n + i), update)],
        [
            ("delete", source, path),
            update,
            ("days", 40),
            ("write", source, "b.txt", n),
            update,
            ("collect",),
            *anything,
            ("revert", source, path, n),
            update,
        ],
        [
            update,
            ("write", source, path, n),
            update,
            ("roll_back", 1),
            ("touch", source, path),
            update,
            *anything,
            update,
            ("release",),
            update,
        ],
    )
    return [*rng.choice(scenes), update]


def _configuration(rng: random.Random) -> Op:
    return rng.choice(
        (
            ("chunk", *rng.choice(((80, 20), (60, 0), (120, 30)))),
            ("model", rng.choice(("", "m2"))),
            ("parser", rng.randrange(3)),
        )
    )


def _partial(rng: random.Random) -> Op:
    kind = rng.choice(("embed", "stop", "fault", "fault"))
    return ("partial", kind, rng.randrange({"embed": 12, "stop": 12, "fault": 90}[kind]))


def _operation(rng: random.Random) -> Op:
    source, path, n = rng.choice(SOURCES), rng.choice(FILES), rng.randrange(60)
    other, there = rng.choice(SOURCES), rng.choice(FILES)
    choices: tuple[tuple[int, Callable[[], Op]], ...] = (
        (12, lambda: ("write", source, path, n)),
        (3, lambda: ("replace_file", source, path, n)),
        (5, lambda: ("same_stat", source, path, n)),
        (5, lambda: ("append", source, path, n)),
        (3, lambda: ("touch", source, path)),
        (3, lambda: ("mtime", source, path, rng.choice((-400_000, -5, 3, 90_000)))),
        (4, lambda: ("revert", source, path, n)),
        (2, lambda: ("empty", source, path)),
        (4, lambda: ("broken", source, path, n)),
        (3, lambda: ("killer", source, rng.choice(("d.bin", "deep/er/z.bin")), n)),
        (1, lambda: ("silent", source, path, n)),
        (6, lambda: ("delete", source, path)),
        (2, lambda: ("delete", source, rng.choice(FOLDERS))),
        (6, lambda: ("rename", source, path, other, there)),
        (3, lambda: ("rename", source, rng.choice(FOLDERS), other, rng.choice(FOLDERS))),
        (3, lambda: ("swap", source, path, there)),
        (1, lambda: ("swap", source, rng.choice(FOLDERS), rng.choice(FOLDERS))),
        (6, lambda: ("copy", source, path, other, there)),
        (1, lambda: ("to_folder", source, path, n)),
        (1, lambda: ("to_file", source, rng.choice(FOLDERS) + rng.choice(("", "/")).rstrip("/"), n)),
        (1, lambda: ("to_file", source, path, n)),
        (1, lambda: ("link", source, path, there)),
        (1, lambda: ("fifo", source, path)),
        (2, lambda: ("chmod", source, rng.choice(FILES + FOLDERS), 0)),
        (3, lambda: ("chmod", source, rng.choice(FILES + FOLDERS), 0o755)),
        (2, lambda: ("rules", source, rng.randrange(len(RULES)))),
        (3, lambda: ("many", source, rng.choice(("many", "deep/many")), rng.randint(9, 16), n)),
        (1, lambda: ("away", source)),
        (2, lambda: ("days", rng.choice((0, 2, 8, 40)))),
        (2, lambda: ("doze", rng.randrange(1, 6))),
    )
    return rng.choices([make for _, make in choices], [weight for weight, _ in choices])[0]()


def play(history: History) -> Lab:
    """Run a history in a folder of its own; raises AssertionError (or what the product raised)."""
    home = Path(tempfile.mkdtemp(prefix="law", dir=ROOM))
    lab = Lab(home, ahead=history.ahead, size=history.size, overlap=history.overlap, batch=history.batch)
    try:
        for op in history.ops:
            lab.run(op)
        lab.end()
    finally:
        lab.close()
        shutil.rmtree(home, ignore_errors=True)
    return lab


def failure(history: History) -> str:
    """What went wrong, "" when nothing did."""
    try:
        play(history)
    except Exception as e:
        return f"{type(e).__name__}: {e}"
    return ""


def shrink(history: History, tries: int = 400) -> tuple[History, str]:
    """The same history with every operation taken out that the failure does not need."""
    why, i = failure(history), 0
    while i < len(history.ops) and tries:
        tries -= 1
        smaller = history._replace(ops=[*history.ops[:i], *history.ops[i + 1 :]])
        if (said := failure(smaller))[:24] == why[:24]:
            history, why = smaller, said
        else:
            i += 1
    return history, why


class Verdict(NamedTuple):
    """What playing one seed showed."""

    checked: int
    met: Counter[str]
    failed: str = ""


def judge(seed: int) -> Verdict:
    """Play a seed; a failure is reported with its shrunk history."""
    history = generate(seed)
    try:
        lab = play(history)
    except Exception as e:
        small, why = shrink(history)
        text = "\n".join(f"    {op!r}," for op in small.ops)
        return Verdict(
            0, Counter(), f"seed {seed}: {type(e).__name__}: {e}\n  shrunk: {why}\n  {small._replace(ops=[])}\n{text}"
        )
    return Verdict(lab.checked, lab.met)


__all__ = ["History", "Verdict", "failure", "generate", "judge", "play", "shrink"]
