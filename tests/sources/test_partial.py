"""A partial look says of what was asked exactly what a whole look says, at the cost of what was asked."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rights import ordinary

from indexer.core.diff import diff
from indexer.core.errors import SourceUnavailable
from indexer.core.tables import Source
from indexer.sources import folder, partial
from indexer.sources.walk import Walk

SUFFIXES = (".txt", ".md")

# ---- a folder before and after, and what somebody asks about --------------------------------

_NAMES = ("a", "b", "c.txt", "d.txt", "E.TXT", "x.tmp", ".git", "~$c.txt")
_PATHS = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4).map("/".join)
_RULES = st.sampled_from(("*.txt", "/a", "b/", "/c.txt", "!c.txt", "a/*", "# nothing", "**/d.txt"))
_STEPS = st.one_of(
    st.tuples(st.just("write"), _PATHS),
    st.tuples(st.just("folder"), _PATHS),
    st.tuples(st.just("remove"), _PATHS),
    st.tuples(st.just("move"), _PATHS, _PATHS),
    st.tuples(st.just("link"), _PATHS, _PATHS),
    st.tuples(st.just("rules"), st.one_of(st.just("."), _PATHS), st.lists(_RULES, max_size=2)),
    st.tuples(st.just("rights"), st.one_of(st.just("."), _PATHS), st.sampled_from((0o000, 0o400, 0o100, 0o700))),
)


def _write(root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(path)


def _remove(root: Path, path: str) -> None:
    full = root / path
    shutil.rmtree(full) if full.is_dir() and not full.is_symlink() else full.unlink()


def _move(root: Path, old: str, new: str) -> None:
    (root / new).parent.mkdir(parents=True, exist_ok=True)
    (root / old).rename(root / new)


def _rules(root: Path, path: str, lines: Sequence[str]) -> None:
    (root / path).mkdir(parents=True, exist_ok=True)
    (root / path / ".indexerignore").write_text("\n".join(lines))


DO: dict[str, Callable[..., object]] = {
    "write": _write,
    "folder": lambda root, path: (root / path).mkdir(parents=True),
    "remove": _remove,
    "move": _move,
    "link": lambda root, path, to: (root / path).symlink_to(root / to),
    "rules": _rules,
    "rights": lambda root, path, mode: (root / path).chmod(mode),
}


def _do(root: Path, steps: Sequence[tuple[object, ...]]) -> None:
    for what, *how in steps:
        try:
            DO[str(what)](root, *how)
        except OSError:
            continue


def _clean(root: Path) -> None:
    for at, names, _ in os.walk(root):  # root lists them all, whatever their rights
        for name in names:
            if not os.path.islink(os.path.join(at, name)):
                os.chmod(os.path.join(at, name), 0o700)
    shutil.rmtree(root)


def _verdict(
    source: Source, known: dict[bytes, bytes], asked: list[bytes], held: list[bytes], *, whole: bool
) -> object:
    """All that a run decides by: the difference, and what is said of paths that were asked about or are held."""
    try:
        look = folder.scan(source, SUFFIXES, 0, only=None if whole else {*asked, *held})
    except SourceUnavailable as e:
        return str(e)
    changes = diff(known, folder.known_but(known, look, asked), folder.unpack, look.unknown, lambda b: b[0])
    paths = {*asked, *held, *(g.path for g in changes.gone)}
    told = {p: (look.has(p), look.excluded(p), look.unknown(p.rpartition(b"/")[0])) for p in paths}
    return changes, told, look.empty, look.root_id


ASKED = st.lists(st.one_of(_PATHS, st.just("")), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(_STEPS, max_size=14),
    st.lists(_STEPS, max_size=8),
    ASKED,
    st.lists(_PATHS, max_size=2),
    st.lists(_RULES, max_size=2),
    st.sampled_from(((), ("*.txt",), ("a/**",))),
)
@example([("write", "a/c.txt")], [("remove", "a")], ["a/b/c.txt"], [], [], ())
@example([("write", "a/c.txt"), ("write", "a/b/c.txt")], [("rights", "a", 0o400)], ["a/b/c.txt"], [], [], ())
@example(
    [("write", "a/c.txt"), ("write", "a/b/c.txt")],
    [("remove", "a/b"), ("rights", "a", 0o400)],
    ["a/b/c.txt"],
    [],
    [],
    (),
)
@example([("write", "a/c.txt"), ("write", "d.txt")], [("move", "a", "b")], ["a", "b"], ["a/c.txt"], [], ())
@example([("write", "a/c.txt")], [("rules", "a", ["*.txt"])], ["a"], [], [], ())
def test_a_partial_look_says_what_a_whole_one_says(
    before: list[tuple[object, ...]], after: list[tuple[object, ...]], asked: list[str], held: list[str],
    exclude: list[str], include: tuple[str, ...],
) -> None:  # fmt: skip
    """Whatever happened, whatever is asked and held: same changes, same facts for the decision about deletions."""
    root = Path(tempfile.mkdtemp())
    source = Source("s", str(root), include, tuple(exclude))
    paths, kept = [p.encode() for p in asked], [p.encode() for p in held]
    try:
        with ordinary():
            _do(root, before)
            try:
                known = dict(folder.scan(source, SUFFIXES, 0).folders)
            except SourceUnavailable:
                known = {}
            _do(root, after)
            whole, part = (_verdict(source, known, paths, kept, whole=w) for w in (True, False))
        assert part == whole
    finally:
        _clean(root)


# ---- directed ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "tree"),
    [
        ([b"a/b/c", b"a/d"], {b"a": {b"b": {b"c": None}, b"d": None}}),
        ([b"a", b"a/b"], {b"a": None}),
        ([b"a/b", b"a"], {b"a": None}),
        ([b"a", b""], None),
        ([], {}),
    ],
)
def test_wanted_paths_as_a_tree(asked: list[bytes], tree: partial.Tree) -> None:
    """What lies in a wanted folder adds nothing, in any order."""
    assert partial.tree(asked) == tree


def _listed(monkeypatch: pytest.MonkeyPatch, root: Path, asked: set[bytes]) -> dict[str, int]:
    """Folders that were listed, with the number of files that were looked at."""
    seen: dict[str, int] = {}
    real = Walk.folder

    def counted(walk: Walk, path: bytes, *args: object) -> list[tuple[bytes, object]]:
        found = real(walk, path, *args)  # type: ignore[arg-type]
        seen[path.decode()] = len(folder.unpack(walk.folders[path])) if path in walk.folders else 0
        return found  # type: ignore[return-value]

    monkeypatch.setattr(Walk, "folder", counted)
    folder.scan(Source("s", str(root)), SUFFIXES, 0, only=asked)
    return seen


def _forest(root: Path) -> None:
    for a in "abc":
        for b in "abc":
            for n in range(5):
                _write(root, f"{a}/{b}/{n}.txt")
        _write(root, f"{a}/top.txt")


def test_only_the_way_down_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file costs its folder and names on the way; no file on the way is looked at."""
    _forest(tmp_path)
    assert _listed(monkeypatch, tmp_path, {b"a/b/3.txt"}) == {"": 0, "a": 0, "a/b": 5}


def test_a_wanted_folder_is_walked_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder's path means all below it, and the folder it lies in."""
    _forest(tmp_path)
    assert _listed(monkeypatch, tmp_path, {b"a"}) == {"": 0, "a": 1, "a/a": 5, "a/b": 5, "a/c": 5}


def test_what_is_gone_costs_the_way_that_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that leads nowhere: no file is looked at, and a folder that became a file ends the way."""
    _forest(tmp_path)
    assert _listed(monkeypatch, tmp_path, {b"a/gone/deep/x.txt", b"b/b/3.txt"}) == {
        "": 0, "a": 0, "b": 0, "b/b": 5,
    }  # fmt: skip
    assert _listed(monkeypatch, tmp_path, {b"a/top.txt/deep/x.txt"}) == {"": 0, "a": 1}


def test_one_file_tells_that_a_source_is_not_empty(tmp_path: Path) -> None:
    """Where the look itself saw no file, the source is searched for one; an empty source is seen to be empty."""
    (tmp_path / "a").mkdir()
    assert folder.scan(Source("s", str(tmp_path)), SUFFIXES, 0, only={b"a"}).empty
    _write(tmp_path, "z/deep/c.txt")
    look = folder.scan(Source("s", str(tmp_path)), SUFFIXES, 0, only={b"a"})
    assert not look.empty
    assert look.folders == {}
