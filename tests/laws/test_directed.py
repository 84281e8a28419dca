"""Histories told by hand: the situations DESIGN 3 to 7 speak of, each in a few operations.

They run through the same laboratory and the same laws as the random ones; a shrunk failure of
`test_oracle.py` belongs here. The sabotages of `mutants.py` name them.
"""

from __future__ import annotations

import pytest
from histories import History, play
from lab import Op

UPDATE: Op = ("update",)
A, B = ("one", "a.txt"), ("one", "b.txt")

HISTORIES: dict[str, History] = {
    # ---- what a file can do
    "same size and mtime": History([("write", *A, 1), UPDATE, ("same_stat", *A, 5), UPDATE]),
    "edit nobody can see, young file": History([("write", *A, 1), ("silent", *A, 4)], ahead=False),
    "edit nobody can see, by force": History([("write", *A, 1), UPDATE, ("silent", *A, 5)]),
    "edit nobody can see, by scrub": History([("write", *A, 1), UPDATE, ("silent", *A, 4)]),
    "stamp in the future": History([("write", *A, 1), UPDATE, ("silent", *A, 5, 90_000)]),
    "touch": History([("write", *A, 1), UPDATE, ("touch", *A), UPDATE]),
    "swap two": History([("write", *A, 1), ("write", *B, 2), UPDATE, ("swap", "one", "a.txt", "b.txt"), UPDATE]),
    "copy, then edit the copy": History([("write", *A, 1), UPDATE, ("copy", *A, *B), UPDATE, ("append", *B, 3), UPDATE, ("delete", *A), UPDATE]),
    "same bytes, another suffix": History([("write", *A, 9), UPDATE, ("copy", *A, "one", "a.md"), UPDATE, ("rename", *A, "one", "z.bin"), UPDATE]),
    "file becomes folder becomes file": History([("write", *A, 1), UPDATE, ("to_folder", *A, 2), UPDATE, ("to_file", *A, 3), UPDATE]),
    "names": History([
        ("write", "one", "caf\u00e9.txt", 1), ("write", "one", "cafe\u0301.txt", 2), ("write", "one", "\udcff.txt", 3), ("write", "one", "手册/请假.md", 3),
        ("write", "one", "~$a.txt", 4), ("link", "one", "l.txt", "手册/请假.md"), ("fifo", "one", "p.txt"), UPDATE,
        ("rename", "one", "caf\u00e9.txt", "two", "cafe\u0301.txt"), ("delete", "one", "\udcff.txt"), UPDATE,
    ]),
    "empty, then text, then empty": History([("empty", *A), UPDATE, ("write", *A, 1), UPDATE, ("empty", *A), UPDATE]),
    "carried over while the served one went on": History([
        ("killer", "one", "deep/er/z.bin", 14), ("write", "one", "d.bin", 571), ("copy", "one", "deep/er/z.bin", "one", "new/a.txt"), UPDATE,
        ("to_file", "one", "new", 5), ("killer", "one", "d.bin", 36), ("model", "m2"), ("update", "allow"),
    ], ahead=False),
    # ---- deleted and back
    "undelete": History([("write", *A, 1), ("write", *B, 2), UPDATE, ("delete", *A), UPDATE, ("revert", *A, 0), UPDATE]),
    "shared passage outlives one document": History([("write", *A, 1), ("copy", *A, *B), ("append", *B, 2), UPDATE, ("delete", *A), UPDATE, ("delete", *B), UPDATE]),
    "revert": History([("write", *A, 1), UPDATE, ("write", *A, 2), UPDATE, ("revert", *A, 0), UPDATE, ("revert", *A, 1), UPDATE]),
    "rename a file": History([("write", *A, 1), ("write", *B, 2), UPDATE, ("rename", *A, "one", "c/d.txt"), ("write", *B, 3), ("write", "one", "z.txt", 4), UPDATE], batch=2),
    "rename over another": History([("write", *A, 31), ("write", *B, 36), UPDATE, ("rename", *A, *B), UPDATE]),
    "rename a folder": History([("many", "one", "many", 14, 1), UPDATE, ("rename", "one", "many", "one", "moved"), UPDATE], batch=4),
    # ---- failures
    "no longer parses": History([("write", *A, 1), UPDATE, ("broken", *A, 1), UPDATE, ("touch", *A), UPDATE, ("revert", *A, 0), UPDATE, ("broken", *A, 2), ("days", 9), UPDATE]),
    "never parsed": History([("broken", *A, 1), UPDATE, ("rename", *A, *B), UPDATE, ("write", *B, 1), UPDATE]),
    "kills its parser": History([("killer", "one", "d.bin", 1), ("write", *A, 1), UPDATE, UPDATE, UPDATE, UPDATE, ("write", "one", "d.bin", 1), UPDATE, ("killer", "one", "d.bin", 2), UPDATE]),
    "right revoked": History([("write", *A, 1), ("write", *B, 2), UPDATE, ("chmod", *A, 0), UPDATE, UPDATE, UPDATE, ("chmod", *A, 0o644), UPDATE]),
    "right revoked for a moment": History([("write", *A, 1), UPDATE, ("chmod", *A, 0), UPDATE, ("chmod", *A, 0o644), UPDATE, ("chmod", *A, 0), UPDATE]),
    "folder nobody can list": History([("many", "one", "deep/many", 12, 1), UPDATE, ("chmod", "one", "deep", 0), UPDATE, ("write", *A, 2), UPDATE, ("chmod", "one", "deep", 0o755), UPDATE]),
    "source away": History([("many", "one", "many", 12, 1), ("write", "two", "a.txt", 1), UPDATE, ("away", "one"), UPDATE, ("append", "two", "a.txt", 1), UPDATE, ("away", "one"), UPDATE]),
    "embedder fails": History([("write", *A, 1), UPDATE, ("write", *A, 2), ("write", *B, 3), ("delete", "one", "c.txt"), ("partial", "embed", 1), UPDATE], batch=2),
    "stopped": History([("write", *A, 1), UPDATE, ("many", "one", "many", 9, 1), ("partial", "stop", 6), ("write", *B, 500), ("partial", "stop", 5), UPDATE], batch=2),
    # ---- deletions withheld
    "many gone": History([("many", "one", "many", 14, 1), ("write", *A, 1), UPDATE, ("delete", "one", "many"), UPDATE, ("write", *A, 2), UPDATE, UPDATE, ("update", "allow")]),
    "many gone and back": History([("many", "one", "many", 14, 1), UPDATE, ("delete", "one", "many"), ("write", *A, 1), UPDATE, ("many", "one", "many", 7, 1), UPDATE, ("update", "allow")]),
    "many gone, back under another name": History([("many", "one", "many", 14, 1), UPDATE, ("delete", "one", "many"), ("write", *A, 1), UPDATE, ("many", "one", "again", 14, 1), UPDATE]),
    "released is the shown set": History([
        ("many", "one", "many", 14, 1), ("many", "one", "deep/many", 30, 20), UPDATE, ("delete", "one", "many"), UPDATE,
        ("delete", "one", "deep/many"), ("update", "allow"), ("update", "allow"),
    ]),
    "ten are no more than ten": History([("many", "one", "many", 10, 1), ("write", *A, 1), UPDATE, ("delete", "one", "many"), UPDATE]),
    "a fifth is no more than a fifth": History([("many", "one", "many", 12, 1), ("many", "one", "new", 48, 20), UPDATE, ("delete", "one", "many"), UPDATE]),
    "emptied": History([("many", "one", "many", 6, 1), UPDATE, ("wipe", "one"), UPDATE, UPDATE, ("wipe", "one"), ("append", "one", "many/01.txt", 1), UPDATE, ("wipe", "one"), UPDATE, ("update", "allow")]),
    "a small folder emptied": History([("many", "one", "many", 4, 1), UPDATE, ("wipe", "one"), UPDATE]),
    "rules": History([("many", "one", "deep/many", 14, 1), ("write", *A, 1), ("write", "one", "c.md", 1), UPDATE, ("rules", "one", 1), UPDATE, ("rules", "one", 0), UPDATE, ("rules", "one", 6), UPDATE]),
    "held, then ruled out": History([("many", "one", "deep/many", 14, 1), UPDATE, ("delete", "one", "deep/many"), ("write", *A, 1), UPDATE, ("write", "one", "deep/x.md", 1), ("rules", "one", 1), UPDATE]),
    # ---- asked for a part
    "one file asked for": History([("many", "one", "many", 4, 1), UPDATE, ("append", "one", "many/00.txt", 1), ("append", "one", "many/01.txt", 1), ("delete", "one", "many/02.txt"), ("update", "", "one", "many/00.txt"), UPDATE]),
    "one folder asked for": History([("many", "one", "many", 4, 1), ("write", *A, 1), UPDATE, ("delete", "one", "many"), ("delete", *A), ("update", "", "one", "many"), UPDATE]),
    # ---- time
    "many small commits": History([op for i in range(20) for op in (("write", "one", f"{i % 7}.txt", i), UPDATE)]),
    "past the retention": History([
        *(op for i in range(12) for op in (("write", "one", f"{i % 3}.txt", i), UPDATE)), ("days", 40), ("write", *A, 1), UPDATE, ("collect",),
        ("revert", "one", "0.txt", 0), UPDATE, ("delete", "one", "1.txt"), UPDATE, ("days", 40), ("write", *A, 2), UPDATE, ("revert", "one", "1.txt", 0), UPDATE,
    ]),
    "a reader asleep past the retention": History(
        [
            ("write", *A, 1), ("write", *B, 2), UPDATE, ("delete", *A), UPDATE, ("doze", 4), ("revert", *A, 0), UPDATE,
            ("write", *B, 3), ("days", 40), UPDATE, ("collect",), ("append", *B, 4), UPDATE, UPDATE,
        ]
    ),
    "back to an earlier commit": History([
        ("write", *A, 1), ("write", *B, 2), UPDATE, ("write", *A, 3), ("delete", *B), ("write", "one", "c.md", 4), UPDATE, ("roll_back", 1), ("touch", *A), UPDATE,
        ("days", 9), UPDATE, ("append", *A, 1), ("write", *B, 5), UPDATE, ("release",), UPDATE,
    ]),
    "back, and past the retention": History(
        [
            ("write", *A, 1), UPDATE, ("write", *B, 2), ("update", "scrub"), ("roll_back", 1), ("days", 40), UPDATE, ("chunk", 60, 0), UPDATE,
            ("release",), UPDATE,
        ]
    ),
    "back, then delete and undelete": History([
        ("write", *A, 1), UPDATE, ("write", *B, 2), UPDATE, ("roll_back", 1), UPDATE, ("delete", *B), UPDATE, ("revert", *B, 0), UPDATE,
    ]),
    # ---- another profile
    "other chunks": History([("many", "one", "many", 6, 1), ("write", "two", "c.md", 3), UPDATE, ("chunk", 60, 0), UPDATE, ("chunk", 80, 20), UPDATE]),
    "another model": History([("many", "one", "many", 6, 1), UPDATE, ("model", "m2"), UPDATE, ("append", "one", "many/00.txt", 1), UPDATE]),
    "another model, stopped halfway": History([("many", "one", "many", 9, 1), UPDATE, ("model", "m2"), ("partial", "embed", 5), ("partial", "stop", 5), UPDATE], batch=2),
    "another model and back and again": History([
        ("many", "one", "many", 9, 1), UPDATE, ("model", "m2"), ("partial", "embed", 5), ("model", ""), ("append", "one", "many/00.txt", 1), UPDATE,
        ("append", "one", "many/01.txt", 1), UPDATE, ("model", "m2"), UPDATE,
    ], batch=2),
    "another profile keeps what cannot be read": History([
        ("write", *A, 1), ("write", *B, 2), ("many", "one", "many", 14, 1), ("many", "one", "deep/many", 3, 30), UPDATE,
        ("broken", *A, 1), ("chmod", *B, 0), ("delete", "one", "many"), ("chmod", "one", "deep", 0), UPDATE,
        ("chunk", 60, 0), UPDATE, ("chmod", "one", "deep", 0o755), ("chmod", *B, 0o644), UPDATE, ("update", "allow"), ("revert", *A, 0), UPDATE,
    ]),
    "another profile keeps pins": History([("write", *A, 1), UPDATE, ("write", *A, 2), UPDATE, ("roll_back", 1), ("chunk", 60, 0), UPDATE, ("release",), UPDATE]),
    "another profile holds deletions too": History([("many", "one", "many", 14, 1), ("write", *A, 1), UPDATE, ("delete", "one", "many"), ("parser", 1), UPDATE, ("update", "allow")]),
}  # fmt: skip


@pytest.mark.parametrize("name", HISTORIES)
def test_history(name: str) -> None:
    """What is found, listed, counted and remembered is right after every step of it."""
    play(HISTORIES[name])
