"""The look at a folder, and reading a file so that what is hashed is what is parsed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.errors import SourceUnavailable, Unreadable
from indexer.core.model import FileStat
from indexer.core.tables import Source
from indexer.sources import folder

SUFFIXES = (".txt", ".md")
SECOND = 10**9


def _source(root: Path, **patterns: tuple[str, ...]) -> Source:
    return Source("s", str(root), **patterns)


def _scan(root: Path, **patterns: tuple[str, ...]) -> folder.Look:
    return folder.scan(_source(root, **patterns), SUFFIXES, time.time_ns())


def _names(look: folder.Look) -> set[bytes]:
    return {f + b"/" + n if f else n for f, blob in look.folders.items() for n in folder.unpack(blob)}


def _write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(name.encode("utf-8", "surrogateescape"))


# ---- packing -----------------------------------------------------------------------------

_name = st.binary(min_size=1, max_size=9).map(lambda b: b.replace(b"\0", b"_").replace(b"/", b"_"))
_stat = st.builds(
    FileStat,
    st.integers(0, 2**63),
    st.integers(-(2**62), 2**62),
    st.integers(-(2**62), 2**62),
    st.integers(0, 2**64 - 1),
)


@given(st.dictionaries(_name, _stat))
def test_packing_keeps_everything(files: dict[bytes, FileStat]) -> None:
    """Any names without NUL, any stat: what is packed comes out again."""
    assert folder.unpack(folder.pack(files)) == files


@given(st.dictionaries(_name, _stat))
def test_equal_folders_are_equal_bytes(files: dict[bytes, FileStat]) -> None:
    """The order in which a folder is listed does not matter."""
    assert folder.pack(files) == folder.pack(dict(reversed(files.items())))


def test_unsettled_equals_no_real_stat(tmp_path: Path) -> None:
    """A file marked to be looked at again differs from whatever the next walk sees; its size stays."""
    _write(tmp_path, "a.txt")
    real = folder.of(os.stat(tmp_path / "a.txt"))
    assert folder.unsettled(real) != real
    assert folder.unsettled(real).size == real.size


# ---- the walk ------------------------------------------------------------------------------


def test_what_is_a_document(tmp_path: Path) -> None:
    """Regular files with a supported suffix in any letter case, at any depth, with any name."""
    _write(
        tmp_path,
        "a.txt",
        "B.TXT",
        "c.md",
        "deep/er/d.txt",
        "手册/请假.md",
        ".hidden.txt",
        "two.dots.txt",
        "caf\u00e9.txt",
        "cafe\u0301.txt",
        "\udcff.txt",
        "new\nline.txt",
    )
    wanted = _names(_scan(tmp_path))
    _write(
        tmp_path,
        "x.exe",
        "notes",
        ".txt",
        "a.txt~",
        "~$b.txt",
        ".c.txt.swp",
        "x.part",
        ".git/e.txt",
        "node_modules/f.txt",
    )
    assert _names(_scan(tmp_path)) == wanted
    assert len(wanted) == 11


def test_links_and_special_files_are_told_but_not_opened(tmp_path: Path) -> None:
    """A link, a pipe or a socket with a document's name is skipped with its reason, and never followed."""
    _write(tmp_path, "real/a.txt")
    (tmp_path / "link.txt").symlink_to("real/a.txt")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe.txt")
    with contextlib.chdir(tmp_path), socket.socket(socket.AF_UNIX) as s:  # the path of a socket must be short
        s.bind("socket.txt")
    look = _scan(tmp_path)
    assert _names(look) == {b"real/a.txt"}
    assert {s.path: str(s.rule) for s in look.skipped} == {
        "link.txt": "a link is not followed", "loop": "a link is not followed",
        "pipe.txt": "a pipe, socket or device is not read", "socket.txt": "a pipe, socket or device is not read",
    }  # fmt: skip


CHANGES: dict[str, Callable[[Path], object]] = {
    "bytes": lambda root: (root / "a.txt").write_bytes(b"123456"),
    "same size, mtime put back": lambda root: (
        (root / "a.txt").write_bytes(b"A.TXT"),
        os.utime(root / "a.txt", (1, 1)),
    ),
    "replaced by another of the same size": lambda root: (
        (root / "n").write_bytes(b"A.TXT"),
        os.utime(root / "n", (1, 1)),
        os.replace(root / "n", root / "a.txt"),
    ),
    "rights": lambda root: (root / "a.txt").chmod(0o600),
    "mtime": lambda root: os.utime(root / "a.txt", (2, 2)),
    "name": lambda root: (root / "a.txt").rename(root / "b.txt"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_part_of_a_stat_counts(tmp_path: Path, name: str) -> None:
    """Whatever happens to a file, its folder does not look the same."""
    _write(tmp_path, "a.txt")
    os.utime(tmp_path / "a.txt", (1, 1))
    before = _scan(tmp_path).folders
    time.sleep(0.02)  # the file system's clock moves on
    CHANGES[name](tmp_path)
    assert _scan(tmp_path).folders != before


def test_a_missing_root_is_no_empty_root(tmp_path: Path) -> None:
    """A root that is missing, or a file, is unavailable; an empty one is looked at."""
    _write(tmp_path, "file.txt")
    for root in (tmp_path / "missing", tmp_path / "file.txt"):
        with pytest.raises(SourceUnavailable, match="stay as they are"):
            _scan(root)
    (tmp_path / "empty").mkdir()
    assert _scan(tmp_path / "empty").folders == {}


def test_stop_is_asked_once_a_folder(tmp_path: Path) -> None:
    """A stop ends the walk between two folders."""
    _write(tmp_path, "a/a.txt", "b/b.txt", "c/c.txt")
    asked = []

    def stop() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.scan(_source(tmp_path), SUFFIXES, 0, stop)


def test_unreadable_folders_are_unknown_with_all_below(tmp_path: Path) -> None:
    """A folder that cannot be listed hides what is below it, and only that."""
    look = folder.Look(_source(tmp_path), 0)
    look.unreadable[b"d"] = None  # type: ignore[assignment]
    assert [look.unknown(f) for f in (b"d", b"d/e", b"", b"dd", b"e/d")] == [True, True, False, False, False]


def test_excluded_says_rules_from_absence(tmp_path: Path) -> None:
    """What a rule excludes and is there, by its own name or by a folder above it."""
    _write(tmp_path, "a.txt", "b.txt", "deep/er/c.txt")
    look = _scan(tmp_path, exclude=("a.txt", "deep/"))
    assert [look.excluded(p) for p in (b"a.txt", b"deep/er/c.txt", b"b.txt", b"deeper/x.txt", b"gone.txt")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_has(tmp_path: Path) -> None:
    """Whether the walk saw a path: a part of a name, or a name in another folder, is not it."""
    _write(tmp_path, "aa.txt", "deep/b.txt")
    look = _scan(tmp_path)
    assert [look.has(p) for p in (b"aa.txt", b"a.txt", b"b.txt", b"deep/b.txt", b"none/b.txt")] == [
        True,
        False,
        False,
        True,
        False,
    ]


# ---- reading -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mtime", "ctime", "racy"),
    [
        (0, 0, False),
        (97, 97, False),
        (98, 98, False),
        (99, 0, True),
        (0, 99, True),
        (100, 100, True),
        (200, 0, True),
        (0, 200, True),
    ],
)
def test_racy(mtime: int, ctime: int, racy: bool) -> None:
    """A stamp is trusted when both times are older than the look by at least 2 s; never one in the future."""
    assert folder.racy(FileStat(1, mtime * SECOND, ctime * SECOND, 1), 100 * SECOND) is racy


def test_read_gives_the_hashed_bytes(tmp_path: Path) -> None:
    """Bytes, their SHA-256 and the stat belong together; the clock is asked before the first byte."""
    _write(tmp_path, "a.txt")
    got = folder.read(_source(tmp_path), "a.txt", 1, time.time_ns)
    assert (got.data, got.sha256) == (b"a.txt", hashlib.sha256(b"a.txt").digest())
    assert got.stat == folder.of(os.stat(tmp_path / "a.txt"))
    assert got.racy
    assert not folder.read(_source(tmp_path), "a.txt", 1, lambda: time.time_ns() + 5 * SECOND).racy


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 2**20 - 1, 2**20])
def test_read_any_size(tmp_path: Path, size: int) -> None:
    """Every byte is read, at the edges of the pieces too."""
    data = os.urandom(size)
    (tmp_path / "a.txt").write_bytes(data)
    got = folder.read(_source(tmp_path), "a.txt", 1, time.time_ns)
    assert (got.data, got.sha256) == (data, hashlib.sha256(data).digest())


def test_read_of_a_large_file_is_only_a_hash(tmp_path: Path) -> None:
    """Over the limit the bytes stay on disk, the hash is still theirs."""
    data = os.urandom(2**20 + 1)
    (tmp_path / "a.txt").write_bytes(data)
    got = folder.read(_source(tmp_path), "a.txt", 1, time.time_ns)
    assert (got.data, got.sha256) == (b"", hashlib.sha256(data).digest())


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice is enough to get a whole version; one that never holds still is unreadable, not half read."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"old")
    read, left = os.read, [1]

    def disturbed(fd: int, n: int) -> bytes:
        got = read(fd, n)
        if left[0]:
            left[0] -= 1
            file.write_bytes(b"new and longer %d" % left[0])
        return got

    monkeypatch.setattr(os, "read", disturbed)
    assert folder.read(_source(tmp_path), "a.txt", 1, time.time_ns).data == b"new and longer 0"
    left[0] = 10**6
    with pytest.raises(Unreadable, match="kept changing"):
        folder.read(_source(tmp_path), "a.txt", 1, time.time_ns)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """Gone is FileNotFoundError; what became a folder, a pipe or a link is unreadable, and nothing blocks."""
    (tmp_path / "folder.txt").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    _write(tmp_path, "a.txt")
    (tmp_path / "link.txt").symlink_to("a.txt")
    for name in ("folder.txt", "pipe.txt", "link.txt"):
        with pytest.raises(Unreadable) as caught:
            folder.read(_source(tmp_path), name, 1, time.time_ns)
        assert not caught.value.denied
    for name in ("missing.txt", "a.txt/b.txt", "none/b.txt"):
        with pytest.raises(FileNotFoundError):
            folder.read(_source(tmp_path), name, 1, time.time_ns)


@pytest.mark.parametrize("kind", ["dangling link", "folder"])
def test_an_ignore_file_that_is_none_hides_nothing(tmp_path: Path, kind: str) -> None:
    """A dangling link or a folder of that name (or a file removed while we look) is no rule, and no missing folder."""
    _write(tmp_path, "deep/a.txt")
    if kind == "folder":
        (tmp_path / "deep/.indexerignore").mkdir()
    else:
        (tmp_path / "deep/.indexerignore").symlink_to("nowhere")
    look = _scan(tmp_path)
    assert _names(look) == {b"deep/a.txt"}
    assert not look.unreadable
