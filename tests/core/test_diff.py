"""The difference between what is known and what is seen, as a table and as a law over random folders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.diff import Candidate, ChangeSet, Gone, diff
from indexer.core.model import FileStat
from indexer.sources.folder import pack, unpack

OLD = FileStat(10, 1_000, 1_000, 7)
Files = dict[bytes, FileStat]
Tree = dict[bytes, Files]


def _diff(known: Tree, seen: Tree, closed: frozenset[bytes] = frozenset()) -> ChangeSet:
    packed = [{f: pack(files) for f, files in tree.items() if files} for tree in (known, seen)]
    return diff(*packed, unpack, lambda f: f in closed, lambda blob: len(unpack(blob)))


@pytest.mark.parametrize("part", FileStat._fields)
def test_each_part_of_a_stat_makes_a_candidate(part: str) -> None:
    """Size, mtime, ctime and inode: any of them that differs is reason enough to look into the file."""
    new = OLD._replace(**{part: 9})
    changes = _diff({b"": {b"a": OLD}}, {b"": {b"a": new}})
    assert changes.candidates == (Candidate(b"", b"a", new, True),)
    assert (changes.gone, changes.folders) == ((), {b""})


TABLE: dict[str, tuple[Tree, Tree, frozenset[bytes], list[bytes], list[bytes], set[bytes], list[bytes], int]] = {
    # known, seen, closed -> candidates, gone, folders to record, vanished, unknown
    "nothing": ({}, {}, frozenset(), [], [], set(), [], 0),
    "unchanged": ({b"d": {b"a": OLD}}, {b"d": {b"a": OLD}}, frozenset(), [], [], set(), [], 0),
    "added": ({}, {b"d": {b"a": OLD}}, frozenset(), [b"d/a"], [], {b"d"}, [], 0),
    "added beside": ({b"": {b"a": OLD}}, {b"": {b"a": OLD, b"b": OLD}}, frozenset(), [b"b"], [], {b""}, [], 0),
    "gone": ({b"": {b"a": OLD, b"b": OLD}}, {b"": {b"a": OLD}}, frozenset(), [], [b"b"], {b""}, [], 0),
    "folder gone": ({b"d": {b"a": OLD}}, {}, frozenset(), [], [b"d/a"], set(), [b"d"], 0),
    "folder closed": ({b"d": {b"a": OLD, b"b": OLD}}, {}, frozenset({b"d"}), [], [], set(), [], 2),
    "closed, yet seen": (
        {b"d": {b"a": OLD}},
        {b"d": {b"b": OLD}},
        frozenset({b"d"}),
        [b"d/b"],
        [b"d/a"],
        {b"d"},
        [],
        0,
    ),
    "folder renamed": ({b"d": {b"a": OLD}}, {b"e": {b"a": OLD}}, frozenset(), [b"e/a"], [b"d/a"], {b"e"}, [b"d"], 0),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name: str) -> None:
    """Added, gone, vanished and unknown are told apart folder by folder."""
    known, seen, closed, candidates, gone, folders, vanished, unknown = TABLE[name]
    changes = _diff(known, seen, closed)
    assert [c.path for c in changes.candidates] == candidates
    assert [g.path for g in changes.gone] == gone
    assert (changes.folders, list(changes.vanished), changes.unknown) == (folders, vanished, unknown)
    assert changes.known == sum(map(len, known.values()))


def test_candidates_come_in_order() -> None:
    """By folder, then by name, so that a run takes the same way every time."""
    tree: Tree = {f: dict.fromkeys((b"b", b"a"), OLD) for f in (b"z", b"", b"d")}
    assert [c.path for c in _diff({}, tree).candidates] == [b"a", b"b", b"d/a", b"d/b", b"z/a", b"z/b"]


_stats = st.builds(FileStat, st.integers(0, 3), st.integers(0, 3), st.integers(0, 1), st.integers(0, 3))
_files = st.dictionaries(st.sampled_from([b"a", b"b", b"c\xff"]), _stats)
_trees = st.dictionaries(st.sampled_from([b"", b"d", b"d/e", b"f"]), _files)


@given(_trees, _trees, st.frozensets(st.sampled_from([b"d", b"f"])))
def test_law(known: Tree, seen: Tree, closed: frozenset[bytes]) -> None:
    """Seen and different, or seen and new: candidate. Known and unseen: gone, or unknown where nobody could look."""
    changes = _diff(known, seen, closed)
    old = {(f, n): s for f, files in known.items() for n, s in files.items()}
    new = {(f, n): s for f, files in seen.items() for n, s in files.items()}
    hidden = {f for f in closed if not seen.get(f)}
    assert {(c.folder, c.name): (c.stat, c.known) for c in changes.candidates} == {
        k: (s, k in old) for k, s in new.items() if old.get(k) != s
    }
    path = lambda f, n: f + b"/" + n if f else n  # noqa: E731
    assert set(changes.gone) == {Gone(path(*k), s) for k, s in old.items() if k not in new and k[0] not in hidden}
    assert changes.unknown == sum(k[0] in hidden for k in old)
    assert changes.known == len(old)


@given(_trees)
def test_law_no_change_is_empty(tree: Tree) -> None:
    """A tree differs from itself in nothing."""
    assert _diff(tree, tree)[:4] == ((), (), frozenset(), ())
