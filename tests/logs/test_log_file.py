"""The file: rotation, and what happens when it cannot be written."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from log_scene import Scene

from indexer.config import load_settings
from indexer.core.errors import ConfigError
from indexer.core.model import Message
from indexer.logs import files

LINE = Message("{text}", {"text": "x" * 150})


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder / "logs"))


def test_it_rotates_at_its_size(scene: Scene) -> None:
    """5 MB and three older files by default: none is larger, the oldest lines go, no line is cut."""
    log = scene.log(stream=None)
    for number in range(17_000):
        log.event("x", "info", Message("{n} {text}", {"n": number, "text": "x" * 1500}))
    assert names(scene.folder) == ["indexer.log", *(f"indexer.log.{n}" for n in (1, 2, 3))]
    sizes = [(scene.folder / "logs" / n).stat().st_size for n in names(scene.folder)]
    assert all(4.9 * 2**20 < size <= 5 * 2**20 for size in sizes[1:])
    assert sizes[0] <= 5 * 2**20
    kept = [
        int(line.split()[3])
        for name in ("indexer.log.3", "indexer.log.2", "indexer.log.1", "indexer.log")
        for line in (scene.folder / "logs" / name).read_text("utf-8").splitlines()
    ]
    assert kept == list(range(kept[0], 17_000))


def test_without_backups_it_begins_anew(scene: Scene) -> None:
    """backups = 0 keeps one file under its size."""
    log = scene.log(stream=None, max_mb=0.01, backups=0)
    for _ in range(200):
        log.event("x", "info", LINE)
    assert names(scene.folder) == ["indexer.log"]
    assert 0 < len(scene.file) <= 0.01 * 2**20


def test_a_line_longer_than_the_file_may_be(scene: Scene) -> None:
    """It is written whole."""
    log = scene.log(stream=None, max_mb=0.0001, backups=1)
    log.event("x", "info", LINE)
    log.event("x", "info", Message("{text}", {"text": "y" * 5000}))
    assert "y" * 5000 in scene.file
    assert "x" * 150 in (scene.folder / "logs" / "indexer.log.1").read_text("utf-8")


def test_it_goes_on_where_it_ended(scene: Scene) -> None:
    """A second process appends; what a cut-off line left is closed first."""
    scene.log(stream=None).event("x", "info", LINE)
    with open(scene.folder / "logs" / "indexer.log", "ab") as file:
        file.write(b"cut of")
    scene.log(stream=None).event("x", "info", LINE)
    assert [line[-6:] for line in scene.file.splitlines()] == ["xxxxxx", "cut of", "xxxxxx"]


@pytest.mark.parametrize("how", ["moved", "removed", "folder removed"])
def test_somebody_else_takes_it_away(scene: Scene, how: str) -> None:
    """logrotate, or a person: the next line begins a new file."""
    log = scene.log(stream=None)
    log.event("x", "info", LINE)
    file = scene.folder / "logs" / "indexer.log"
    if how == "moved":
        file.rename(scene.folder / "old.log")
    else:
        file.unlink()
    if how == "folder removed":
        file.parent.rmdir()
    log.event("x", "info", LINE)
    assert scene.file.count("\n") == 1


def test_a_place_of_ones_own(scene: Scene, tmp_path: Path) -> None:
    """log.file names another file; others of the system may not read it."""
    log = scene.log(file=str(tmp_path / "else" / "x.log"))
    log.event("x", "info", LINE)
    assert log.path == str(tmp_path / "else" / "x.log")
    assert stat.S_IMODE(os.stat(log.path).st_mode) & 0o007 == 0
    assert not (scene.folder / "logs").exists()


def test_the_place_in_the_configuration(tmp_path: Path) -> None:
    """Relative to the folder of indexer.toml; never among the documents, where each line would be a change."""
    (tmp_path / "indexer.toml").write_text('[log]\nfile = "logs/own.log"\n', "utf-8")
    assert load_settings(tmp_path, {}, {}).log.file == str(tmp_path / "logs" / "own.log")
    (tmp_path / "indexer.toml").write_text('[log]\nfile = "knowledge_base/x/own.log"\n', "utf-8")
    with pytest.raises(ConfigError, match=r"line 2: log\.file = .*own\.log.*: it lies in source knowledge_base"):
        load_settings(tmp_path, {}, {})


def test_a_device_is_never_renamed(scene: Scene) -> None:
    """Rotation is for regular files: log.file = /dev/null stays what it is."""
    log = scene.log(file="/dev/null", max_mb=0.0001)
    for _ in range(5):
        log.event("x", "info", LINE)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert not os.path.exists("/dev/null.1")


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file of this process may grow past 4 KB: a write fails as on a full disk, after a part of it."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


def test_a_full_disk_stops_nobody(scene: Scene, small_files: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once; every line is on stderr; when there is room again the file says what is missing."""
    now = [0.0]
    log = scene.log()
    log.file.clock = lambda: now[0]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    with contextlib.suppress(OSError):
        for _ in range(40):
            log.event("x", "info", LINE)
    assert len(scene.stderr.splitlines()) == 41
    assert scene.stderr.count("cannot be written (File too large)") == 1
    assert os.path.getsize(log.path) == 4096
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    log.event("x", "info", LINE)
    assert os.path.getsize(log.path) == 4096
    now[0] += files.AGAIN
    log.event("x", "info", Message("no change"))
    *_, gap, last = scene.file.splitlines()
    written = scene.file.count("x" * 150)
    assert f"{41 - written} lines are missing here" in gap
    assert last.endswith("no change")
    assert not log.file.broken


def test_a_folder_that_cannot_be_made(scene: Scene) -> None:
    """Said once, with the path and the reason; tracebacks go to stderr meanwhile, if that is no terminal."""
    scene.folder.mkdir()
    (scene.folder / "logs").write_text("in the way")
    log = scene.log()
    for _ in range(3):
        log.event("x", "info", Message("no change"))
    try:
        raise ValueError
    except ValueError as e:
        log.failed("internal_error", Message("no change"), e)
    assert scene.stderr.count("cannot be written") == 1
    assert log.path in scene.stderr
    assert scene.stderr.count("no change") == 4
    assert scene.stderr.count("Traceback") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(scene: Scene) -> None:
    """The same for a folder that is not ours."""
    (scene.folder / "logs").mkdir(parents=True)
    (scene.folder / "logs").chmod(0o500)
    scene.log().event("x", "info", LINE)
    assert scene.stderr.count("cannot be written (Permission denied)") == 1
