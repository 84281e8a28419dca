"""More that happens in a watched folder, driven through the real daemon as the shared watch cases are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

HERE = Path(__file__).resolve().parent
SECONDS = 60.0
Expected = dict[str, str]


def write(path: Path, text: str) -> None:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _tree(root: Path, count: int = 8) -> None:
    for n in range(count):
        write(root / f"old/d{n}/f.txt", f"tree{n}")


def _names(prefix: str, count: int = 8) -> Expected:
    return {f"{prefix}/d{n}/f.txt": f"tree{n}" for n in range(count)}


# ---- what happens: each returns what is to be found ---------------------------------------------


def _links(root: Path, out: Path) -> Expected:
    write(out / "secret/s.txt", "outside")
    (root / "in.txt").symlink_to(out / "secret/s.txt")
    (root / "dir").symlink_to(out / "secret")
    (root / "loop").symlink_to(root)
    write(root / "real.txt", "real")
    (root / "alias.txt").symlink_to("real.txt")
    return {"real.txt": "real", **_names("old")}


def _case_only(root: Path, out: Path) -> Expected:
    (root / "old/d0/f.txt").rename(root / "old/d0/F.TXT")
    (root / "old").rename(root / "Old")
    found = _names("Old")
    found["Old/d0/F.TXT"] = found.pop("Old/d0/f.txt")
    return found


def _nested_moves(root: Path, out: Path) -> Expected:
    (root / "old").rename(root / "a")
    (root / "a/d3").rename(root / "a/x")
    (root / "b").mkdir()
    (root / "a").rename(root / "b/a")
    (root / "b/a/x").rename(root / "y")
    (root / "b").rename(root / "c")
    found = _names("c/a")
    found["y/f.txt"] = found.pop("c/a/d3/f.txt")
    return found


def _moved_while_written(root: Path, out: Path) -> Expected:
    with open(root / "old/d1/f.txt", "w") as one, open(root / "old/d2/f.txt", "a") as two:
        for n in range(40):
            if n == 10:
                (root / "old").rename(root / "new")
            one.write(f"line {n} ")
            one.flush()
            two.write(".")
            two.flush()
            time.sleep(0.03)
    found = _names("new")
    found["new/d1/f.txt"] = "".join(f"line {n} " for n in range(40)).strip()
    found["new/d2/f.txt"] += "." * 40
    return found


def _many_moved(root: Path, out: Path) -> Expected:
    (root / "old").rename(root / "new")
    write(root / "new/d1/f.txt", "another text")
    write(root / "new/d7/g.txt", "a new one")
    return {**_names("new", 40), "new/d1/f.txt": "another text", "new/d7/g.txt": "a new one"}


def _root_swapped(root: Path, out: Path) -> Expected:
    write(out / "next/a.txt", "next")
    root.rename(out / "before")
    (out / "next").rename(root)
    time.sleep(2.5)
    write(root / "deep/b.txt", "later")
    return {"a.txt": "next", "deep/b.txt": "later"}


def _root_made_again(root: Path, out: Path) -> Expected:
    shutil.rmtree(root)
    root.mkdir()
    write(root / "a.txt", "again")
    return {"a.txt": "again"}


def _rules_edited(root: Path, out: Path) -> Expected:
    write(root / ".indexerignore", "old/d[0-3]/\n")
    time.sleep(2)
    write(root / ".indexerignore", "old/d[4-9]/\n*.md\n")
    write(root / "x.md", "ignored")
    write(root / "old/d0/new.txt", "new")
    return {**{f"old/d{n}/f.txt": f"tree{n}" for n in range(4)}, "old/d0/new.txt": "new"}


def _rules_removed(root: Path, out: Path) -> Expected:
    write(root / "old/.indexerignore", "*\n")
    time.sleep(2)
    (root / "old/.indexerignore").unlink()
    write(root / "old/d9/late.txt", "late")
    return {**_names("old"), "old/d9/late.txt": "late"}


def _file_to_folder(root: Path, out: Path) -> Expected:
    shutil.rmtree(root / "old")
    write(root / "old", "no suffix")
    (root / "old").unlink()
    write(root / "old/f.txt", "a folder again")
    (root / "x.txt").mkdir()
    write(root / "x.txt/y.txt", "in a folder with a suffix")
    return {"old/f.txt": "a folder again", "x.txt/y.txt": "in a folder with a suffix"}


def _unpacked(root: Path, out: Path) -> Expected:
    write(out / "names", "")
    for n in range(60):
        write(out / f"pack/{n % 7}/{n % 3}/{n}.txt", f"packed {n}")
    shutil.make_archive(str(out / "pack"), "tar", out / "pack")
    subprocess.run(["tar", "-xf", str(out / "pack.tar"), "-C", str(root)], check=True)
    return {**_names("old"), **{f"{n % 7}/{n % 3}/{n}.txt": f"packed {n}" for n in range(60)}}


def _synced(root: Path, out: Path) -> Expected:
    for n in range(8):
        write(root / f"old/d{n}/.f.txt.Xa12Bc", f"synced {n}")
        os.utime(root / f"old/d{n}/.f.txt.Xa12Bc", (1_600_000_000, 1_600_000_000))
        (root / f"old/d{n}/.f.txt.Xa12Bc").rename(root / f"old/d{n}/f.txt")
        os.utime(root / f"old/d{n}", (1_600_000_000, 1_600_000_000))
    return {f"old/d{n}/f.txt": f"synced {n}" for n in range(8)}


def _time_put_back(root: Path, out: Path) -> Expected:
    file = root / "old/d0/f.txt"
    before = file.stat()
    with open(file, "r+") as f:
        f.write("TREE0")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    return {**_names("old"), "old/d0/f.txt": "TREE0"}


def _hard_link(root: Path, out: Path) -> Expected:
    write(out / "l.txt", "linked")
    os.link(out / "l.txt", root / "l.txt")
    return {**_names("old"), "l.txt": "linked"}


def _out_and_in(root: Path, out: Path) -> Expected:
    for _ in range(5):
        (root / "old").rename(out / "away")
        write(out / "away/d1/f.txt", "changed outside")
        (out / "away").rename(root / "old")
        time.sleep(0.2)
    return {**_names("old"), "old/d1/f.txt": "changed outside"}


def _swapped_names(root: Path, out: Path) -> Expected:
    a, b, t = root / "old/d0/f.txt", root / "old/d1/f.txt", root / "old/t.txt"
    a.rename(t)
    b.rename(a)
    t.rename(b)
    return {**_names("old"), "old/d0/f.txt": "tree1", "old/d1/f.txt": "tree0"}


def _odd_names(root: Path, out: Path) -> Expected:
    found = _names("old")
    for name in (
        "a b.txt",
        "tab\t.txt",
        "line\nbreak.txt",
        "caf\u00e9.txt",
        "cafe\u0301.txt",
        "请假.md",
        "-rf.txt",
        "x" * 240 + ".txt",
    ):
        write(root / name, f"named {len(name)}")
        found[name] = f"named {len(name)}"
    return found


def _log_and_save(root: Path, out: Path) -> Expected:
    with open(root / "log.txt", "w") as log:
        for n in range(60):
            log.write(f"{n} ")
            log.flush()
            if n == 10:
                write(root / "save.txt", "saved")
            time.sleep(0.05)
    return {**_names("old"), "log.txt": "".join(f"{n} " for n in range(60)).strip(), "save.txt": "saved"}


HAPPENS: dict[str, tuple[Callable[[Path, Path], Expected], int]] = {
    "links": (_links, 8),
    "case only": (_case_only, 8),
    "nested moves": (_nested_moves, 8),
    "moved while written": (_moved_while_written, 8),
    "many moved, some changed": (_many_moved, 40),
    "root swapped": (_root_swapped, 8),
    "root made again": (_root_made_again, 8),
    "rules edited": (_rules_edited, 8),
    "rules removed": (_rules_removed, 8),
    "a file becomes a folder": (_file_to_folder, 8),
    "an archive unpacked": (_unpacked, 8),
    "synced with times kept": (_synced, 8),
    "time put back": (_time_put_back, 8),
    "a hard link": (_hard_link, 8),
    "out and in again": (_out_and_in, 8),
    "names swapped": (_swapped_names, 8),
    "odd names": (_odd_names, 8),
    "a log beside a save": (_log_and_save, 8),
}


class Watched(NamedTuple):
    """The daemon at work, its source, room outside."""

    root: Path
    out: Path
    view: Path

    def docs(self) -> dict[str, str]:
        """What is found now, without white space at the ends."""
        view: dict[str, Any] = json.loads(self.view.read_text("utf-8"))
        return {path: text.strip() for path, text in view["docs"].items()}


def _until(holds: Callable[[], bool], seconds: float = SECONDS) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Make a folder of so many documents and watch it, by events or by polling."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(count: int, mode: str) -> Watched:
        watched = Watched(tmp_path / "kb", tmp_path / "out", tmp_path / "view.json")
        watched.out.mkdir()
        _tree(watched.root, count)
        argv = [sys.executable, str(HERE / "watch.py"), str(watched.root), str(watched.view)]
        more = {"WATCH_MODE": mode, "WATCH_POLL": "0.5"}
        with open(tmp_path / "log", "wb") as log:
            processes.append(subprocess.Popen(argv, env={**os.environ, **more}, stdout=log, stderr=log))
        assert _until(lambda: watched.view.exists() and len(watched.docs()) == count), (tmp_path / "log").read_text()
        return watched

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.parametrize("mode", ["events", "polling"])
@pytest.mark.parametrize("what", HAPPENS)
def test_what_happens_is_found(what: str, mode: str, begin: Callable[..., Watched], tmp_path: Path) -> None:
    """What is found comes to be what the folder shows, and stays so."""
    happens, count = HAPPENS[what]
    watched = begin(count, mode)
    if mode == "polling":
        time.sleep(1.5)  # the first walk is over
    expected = happens(watched.root, watched.out)
    assert _until(lambda: watched.docs() == expected), (watched.docs(), (tmp_path / "log").read_text("utf-8"))
    time.sleep(1.5)
    assert watched.docs() == expected
