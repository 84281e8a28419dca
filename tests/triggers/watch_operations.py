"""Things that happen in a folder under watch: each does one to ``root``, with room outside in ``out``."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from watch_lab import write


def seed(root: Path) -> None:
    """What is there before."""
    for name in ("a.txt", "b.md", "old/0/f.txt", "old/1/f.txt", "old/1/deep/g.txt", "x.dat"):
        write(root / name)


# ---- what happens in folders, one by one ----------------------------------------------------


def _append(path: Path) -> None:
    with open(path, "a") as file:
        file.write("more")


def _word_save(root: Path, out: Path) -> None:
    write(root / "~$a.txt", "owner")
    write(root / "~WRD0003.tmp", "second")
    (root / "a.txt").rename(root / "~WRL0003.tmp")
    (root / "~WRD0003.tmp").rename(root / "a.txt")
    (root / "~WRL0003.tmp").unlink()
    (root / "~$a.txt").unlink()


def _vim_save(root: Path, out: Path) -> None:
    (root / "a.txt").rename(root / "a.txt~")
    write(root / "a.txt", "second")
    (root / "a.txt~").unlink()


def _swap(root: Path, out: Path) -> None:
    (root / "old").rename(root / "tmp")
    write(root / "old/0/f.txt", "another")
    shutil.rmtree(root / "tmp")


def _chain(root: Path, out: Path) -> None:
    (root / "old").rename(root / "b")
    (root / "b").rename(root / "c")
    (root / "c/1").rename(root / "one")
    (root / "c").rename(root / "old")


def _written_while_moved(root: Path, out: Path) -> None:
    with open(root / "old/1/f.txt", "a") as file:
        file.write("before")
        file.flush()
        (root / "old").rename(root / "new")
        file.write("after")
        file.flush()
        (root / "new/1").rename(root / "new/2")
        file.write("again")


def _folder_becomes_file(root: Path, out: Path) -> None:
    shutil.rmtree(root / "old")
    write(root / "old.txt")
    (root / "old.txt").rename(root / "old")
    (root / "old").unlink()
    (root / "old.txt").mkdir()
    write(root / "old.txt/in.txt")


def _deep_at_once(root: Path, out: Path) -> None:
    write(root / "n/e/s/t/e/d/f.txt")
    write(root / "n/e/g.txt")


def _case(root: Path, out: Path) -> None:
    (root / "a.txt").rename(root / "A.txt")
    (root / "A.txt").rename(root / "A.TXT")
    (root / "old").rename(root / "Old")


def _rules(root: Path, out: Path) -> None:
    write(root / "old/.indexerignore", "1/\n")


def _rules_moved_in_and_out(root: Path, out: Path) -> None:
    write(out / "rules", "*.txt\n")
    (out / "rules").rename(root / "old/.indexerignore")
    time.sleep(0.3)
    write(root / "old/1/new/late.txt")
    (root / "old/.indexerignore").rename(out / "rules")
    write(root / "old/1/new/later.txt")


def _unignored(root: Path, out: Path) -> None:
    write(root / ".indexerignore", "build/\n")
    time.sleep(0.3)
    write(root / "build/in/x.txt")
    time.sleep(0.3)
    (root / ".indexerignore").unlink()
    time.sleep(0.3)
    write(root / "build/in/y.txt")


DONE: dict[str, Callable[[Path, Path], object]] = {
    "written": lambda root, out: write(root / "a.txt", "second"),
    "appended": lambda root, out: _append(root / "a.txt"),
    "truncated": lambda root, out: os.truncate(root / "a.txt", 1),
    "made": lambda root, out: write(root / "new.txt"),
    "made empty": lambda root, out: (root / "new.txt").touch(),
    "a hard link made": lambda root, out: os.link(root / "x.dat", root / "new.txt"),
    "deleted": lambda root, out: (root / "a.txt").unlink(),
    "deleted and made again": lambda root, out: ((root / "a.txt").unlink(), write(root / "a.txt", "again")),
    "rights taken": lambda root, out: (root / "a.txt").chmod(0),
    "time set": lambda root, out: os.utime(root / "a.txt", (1, 1)),
    "renamed": lambda root, out: (root / "a.txt").rename(root / "c.txt"),
    "renamed over another": lambda root, out: (root / "a.txt").rename(root / "b.md"),
    "renamed to what is no document": lambda root, out: (root / "a.txt").rename(root / "a.bak"),
    "a temporary renamed over it": lambda root, out: (write(root / "a.tmp", "v2"), (root / "a.tmp").rename(root / "a.txt")),
    "saved by Word": _word_save,
    "saved by vim": _vim_save,
    "a download finished": lambda root, out: (write(root / "d.txt.part"), (root / "d.txt.part").rename(root / "d.txt")),
    "case only": _case,
    "one in, one out": lambda root, out: (
        write(out / "in.dat"), (out / "in.dat").rename(root / "in.txt"), (root / "a.txt").rename(out / "o.txt")
    ),
    "replaced by a link": lambda root, out: ((root / "a.txt").unlink(), (root / "a.txt").symlink_to("b.md")),
    "a folder replaced by a link": lambda root, out: (
        (root / "old").rename(out / "old"), (root / "old").symlink_to(out / "old")
    ),
    "a folder renamed": lambda root, out: (root / "old").rename(root / "new"),
    "a folder moved down": lambda root, out: (write(root / "n/e/x.txt"), (root / "old").rename(root / "n/e/old")),
    "a folder moved up": lambda root, out: (root / "old/1/deep").rename(root / "deep"),
    "a folder moved out": lambda root, out: (root / "old").rename(out / "gone"),
    "a folder moved in": lambda root, out: (write(out / "p/q/r/f.txt"), (out / "p").rename(root / "p")),
    "a folder moved in, and changed inside": lambda root, out: (
        write(out / "p/q/r/f.txt"), (out / "p").rename(root / "p"), write(root / "p/q/r/f.txt", "longer than before")
    ),
    "moved out, changed there": lambda root, out: (
        (root / "old").rename(out / "old"), time.sleep(0.3), write(out / "old/1/f.txt", "no business of ours")
    ),
    "a folder removed": lambda root, out: shutil.rmtree(root / "old"),
    "a folder swapped for another": _swap,
    "folders made deep at once": _deep_at_once,
    "a folder becomes a file becomes a folder": _folder_becomes_file,
    "renamed several times": _chain,
    "written while its folder is renamed": _written_while_moved,
    "rules made": _rules,
    "rules moved in and out": _rules_moved_in_and_out,
    "rules taken away": _unignored,
    "a name that is no text": lambda root, out: write(root / os.fsdecode(b"\xff\n.txt")),
    "a folder with a name that is no text": lambda root, out: (
        write(root / os.fsdecode(b"d\xff/f.txt")), (root / os.fsdecode(b"d\xff")).rename(root / os.fsdecode(b"e\xfe"))
    ),
}  # fmt: skip
