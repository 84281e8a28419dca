"""The folder that is watched goes, comes back, is replaced: nothing is asked while it is away, all of it afterwards."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from watch_lab import FAST, Lab, until, write


def _remade(root: Path, out: Path) -> None:
    shutil.rmtree(root)
    time.sleep(1.5)
    write(root / "c.txt")


def _remade_at_once(root: Path, out: Path) -> None:
    number = root.stat().st_ino
    for _ in range(50):  # until the number is used again, as most file systems do
        shutil.rmtree(root)
        root.mkdir()
        if root.stat().st_ino == number:
            break
    write(root / "c.txt")


def _away_and_back(root: Path, out: Path) -> None:
    root.rename(out / "away")
    time.sleep(1.5)
    write(out / "away/c.txt")
    (out / "away").rename(root)


def _swapped(root: Path, out: Path) -> None:
    write(out / "other/c.txt")
    root.rename(out / "old")
    (out / "other").rename(root)


def _becomes_a_file(root: Path, out: Path) -> None:
    root.rename(out / "away")
    write(root, "no folder")
    time.sleep(1.5)
    root.unlink()
    write(root / "c.txt")


GONE: dict[str, Callable[[Path, Path], object]] = {
    "removed and made again": _remade, "removed and made again at once": _remade_at_once, "moved away and back": _away_and_back, "swapped for another": _swapped,
    "a file meanwhile": _becomes_a_file,
}  # fmt: skip


@pytest.mark.parametrize("mode", ["events", "polling"])
@pytest.mark.parametrize("what", GONE)
def test_a_root_that_is_another(what: str, mode: str, tmp_path: Path) -> None:
    """What the new folder shows is known, and what happens in it from then on."""
    (tmp_path / "out").mkdir()
    write(tmp_path / "kb/a.txt")
    with Lab(tmp_path / "kb", FAST._replace(mode=mode)) as lab:
        assert until(lambda: lab.follower.names() == {"a.txt"})
        GONE[what](lab.root, tmp_path / "out")
        assert until(lambda: "c.txt" in lab.follower.names())
        assert lab.settles()
        assert "at once" in what or lab.said("is back or was replaced")
        write(lab.root / "deep/later.txt")
        assert lab.settles()


def test_nothing_is_asked_while_a_root_is_away(tmp_path: Path) -> None:
    """A folder that is not there is no folder without files: the documents stay, and a sentence says so."""
    for n in range(5):
        write(tmp_path / f"kb/{n}/a.txt")
    with Lab(tmp_path / "kb", FAST._replace(debounce=0.3)) as lab:
        known = lab.follower.names()
        assert len(known) == 5
        shutil.rmtree(lab.root)
        assert lab.said("is not there")
        time.sleep(1.0)
        assert (lab.asked, lab.follower.names()) == ([], known)
        assert [level for level, _ in lab.told] == ["warning"]


def test_a_root_that_is_not_there_yet(tmp_path: Path) -> None:
    """Watching begins when it appears."""
    lab = Lab(tmp_path / "kb")
    lab.absent = True
    with lab:
        time.sleep(0.3)
        assert lab.status()["folders"] == 0
        write(lab.root / "a.txt")
        assert until(lambda: lab.follower.names() == {"a.txt"})
        write(lab.root / "b/c.txt")
        assert lab.settles()
        assert lab.status()["folders"] == 2


def test_a_link_that_leads_elsewhere(tmp_path: Path) -> None:
    """A source configured by a link is watched where it leads, and where it leads next."""
    write(tmp_path / "one/a.txt")
    write(tmp_path / "two/b.txt")
    (tmp_path / "kb").symlink_to("one")
    with Lab(tmp_path / "kb") as lab:
        write(tmp_path / "one/c.txt")
        assert lab.settles()
        (tmp_path / "next").symlink_to("two")
        (tmp_path / "next").rename(tmp_path / "kb")
        assert until(lambda: lab.follower.names() == {"b.txt"})
        write(tmp_path / "two/d/e.txt")
        assert lab.settles()
        assert lab.follower.names() == {"b.txt", "d/e.txt"}


_MOUNTED = """
import subprocess, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from watch_lab import Lab, until, write
root = Path({root!r})
with Lab(root) as lab:
    assert until(lambda: lab.follower.names() == {{"a.txt"}})
    subprocess.run(["mount", "-t", "tmpfs", "none", str(root)], check=True)
    assert lab.said("is back or was replaced")
    write(root / "b.txt")
    assert lab.settles(), lab.follower.names()
    assert lab.follower.names() == {{"b.txt"}}
    subprocess.run(["umount", str(root)], check=True)
    assert until(lambda: lab.follower.names() == {{"a.txt"}})
    write(root / "deep/c.txt")
    assert lab.settles()
    print("right")
"""


_WITHIN = """
import subprocess, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from watch_lab import Lab, until, write
root = Path({root!r})
(root / "deep/place").mkdir(parents=True)
with Lab(root) as lab:
    assert until(lambda: lab.follower.names() == {{"a.txt"}})
    subprocess.run(["mount", "-t", "tmpfs", "none", str(root / "deep/place")], check=True)
    assert until(lambda: {{""}} in lab.paths())
    write(root / "deep/place/b.txt")
    assert lab.settles()
    subprocess.run(["umount", str(root / "deep/place")], check=True)
    assert until(lambda: lab.follower.names() == {{"a.txt"}})
    write(root / "deep/place/c.txt")
    assert lab.settles()
    assert lab.asked[-1].paths[0].path == "deep/place/c.txt"
    print("right")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mount namespaces")
@pytest.mark.parametrize("code", [_MOUNTED, _WITHIN], ids=["over the root", "within"])
def test_a_mount(code: str, tmp_path: Path) -> None:
    """A file system that appears over the root or in it is watched, and the folder below it once that is gone."""
    unshare = shutil.which("unshare")
    assert unshare, "unshare (util-linux) is needed"
    write(tmp_path / "kb/a.txt")
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    code = code.format(paths=paths, root=str(tmp_path / "kb"))
    done = subprocess.run([unshare, "-Urm", sys.executable, "-c", code], capture_output=True, text=True, timeout=200)
    assert done.stdout == "right\n", done.stderr
