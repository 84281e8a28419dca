"""What is withheld, and in which order work is done: tables, and laws over random sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.diff import Candidate, ChangeSet
from indexer.core.model import FileStat
from indexer.core.plan import Deletions, HoldRule, first_and_rest, withhold

RULE = HoldRule()


def _paths(n: int, prefix: str = "f") -> list[bytes]:
    return [f"{prefix}{i:03d}".encode() for i in range(n)]


def _decide(
    fresh: int, total: int, *, held: int = 0, empty: bool = False, same_root: bool = True, allow: bool = False
) -> tuple[int, int, bool]:
    """(removed, held, emptied) for so many newly gone and so many already held."""
    old = _paths(held, "h")
    made = withhold(_paths(fresh) + old, set(old), total, empty=empty, same_root=same_root, allow=allow, rule=RULE)
    return len(made.remove), len(made.hold), made.emptied


@pytest.mark.parametrize(
    ("fresh", "total", "removed"),
    [(0, 100, 0), (1, 1, 1), (10, 10, 10), (11, 11, 0), (11, 54, 0), (11, 55, 11), (11, 56, 11), (20, 100, 20), (21, 100, 0), (200, 1000, 200), (201, 1000, 0)],
)  # fmt: skip
def test_more_than_ten_and_more_than_a_fifth(fresh: int, total: int, removed: int) -> None:
    """Both limits must be passed; at a limit nothing is held."""
    assert _decide(fresh, total) == (removed, fresh - removed, False)


@pytest.mark.parametrize(
    ("fresh", "total", "same_root", "held"),
    [(4, 4, True, 0), (5, 5, True, 5), (4, 4, False, 4), (1, 1, False, 1), (3, 6, True, 3)],
)
def test_a_source_without_any_file(fresh: int, total: int, same_root: bool, held: int) -> None:
    """From five documents on, or when the root is another folder, an empty source is not believed."""
    assert _decide(fresh, total, empty=True, same_root=same_root) == (fresh - held, held, bool(held))


def test_held_ones_stay_and_do_not_count_again() -> None:
    """Newly gone files are judged by themselves: old holds drag none along, and wait for a confirmation."""
    assert _decide(1, 100, held=30) == (1, 30, False)
    assert _decide(10, 20, held=30) == (10, 30, False)
    assert _decide(0, 100, held=30) == (0, 30, False)
    assert _decide(0, 30, held=30, empty=True) == (0, 30, True)


@pytest.mark.parametrize(
    ("fresh", "held", "removed", "kept"), [(0, 30, 30, 0), (12, 0, 12, 0), (12, 30, 30, 12), (3, 30, 33, 0)]
)
def test_a_confirmation_releases_what_was_shown(fresh: int, held: int, removed: int, kept: int) -> None:
    """With holds on show only those are released; without, what this look found is the shown set."""
    assert _decide(fresh, 40, held=held, allow=True) == (removed, kept, False)


def test_other_limits() -> None:
    """The rule's numbers are the configured ones."""
    rule = HoldRule(documents=2, share=0.5)
    assert withhold(_paths(3), (), 5, empty=False, same_root=True, allow=False, rule=rule).hold
    assert not withhold(_paths(2), (), 3, empty=False, same_root=True, allow=False, rule=rule).hold
    assert not withhold(_paths(3), (), 6, empty=False, same_root=True, allow=False, rule=rule).hold


@pytest.mark.parametrize(
    ("shown", "fresh", "held", "removed", "kept"),
    [
        (0, 3, 2, 3, 2),  # nothing was shown: as ever
        (2, 0, 2, 2, 0),  # what was shown goes
        (2, 3, 2, 5, 0),  # few that went since go by themselves
        (2, 30, 2, 2, 30),  # many that went since are shown first
        (0, 30, 2, 0, 32),
    ],
)
def test_exactly_what_was_shown(shown: int, fresh: int, held: int, removed: int, kept: int) -> None:
    """A confirmation of one set says nothing of what went after it was shown."""
    old = _paths(held, "h")
    made = withhold(
        _paths(fresh) + old,
        set(old),
        100,
        empty=False,
        same_root=True,
        allow=False,
        rule=RULE,
        exactly=set(old[:shown]),
    )
    assert (len(made.remove), len(made.hold)) == (removed, kept)
    assert set(old[:shown]) <= set(made.remove)


_names = st.lists(st.sampled_from(_paths(40)), unique=True)


@given(
    _names,
    st.sets(st.sampled_from(_paths(40))),
    st.sets(st.sampled_from(_paths(40))),
    st.integers(0, 60),
    st.booleans(),
)
def test_law_what_was_shown_goes_and_the_rest_is_judged_alone(
    gone: list[bytes], held: set[bytes], shown: set[bytes], more: int, empty: bool
) -> None:
    """The shown ones make nothing else go, and hold nothing back."""
    total = len(gone) + more
    made = withhold(gone, held, total, empty=empty, same_root=True, allow=False, rule=RULE, exactly=shown)
    rest = [p for p in gone if p not in shown]
    alone = withhold(rest, held, total, empty=empty, same_root=True, allow=False, rule=RULE)
    assert sorted(made.remove + made.hold) == sorted(gone)
    assert set(made.remove) == set(alone.remove) | (set(gone) & shown)
    assert made.hold == alone.hold


@given(_names, st.sets(st.sampled_from(_paths(40))), st.integers(0, 60), st.booleans(), st.booleans(), st.booleans())
def test_law_nothing_is_lost_or_invented(
    gone: list[bytes], held: set[bytes], more: int, empty: bool, same_root: bool, allow: bool
) -> None:
    """Every gone path is either removed or held, once; an old hold ends only by a confirmation."""
    made = withhold(gone, held, len(gone) + more, empty=empty, same_root=same_root, allow=allow, rule=RULE)
    assert sorted(made.remove + made.hold) == sorted(gone)
    if not allow:
        assert not set(made.remove) & held
        assert made == Deletions() or made.remove or made.hold
    fresh = [p for p in gone if p not in held]
    assert set(made.remove) >= set(fresh) or not set(made.remove) & set(fresh)


def _candidate(name: bytes, size: int, known: bool) -> Candidate:
    return Candidate(b"", name, FileStat(size, 1, 1, 1), known)


def test_possible_moves_come_with_the_deletions() -> None:
    """A candidate of the size of a file that is gone is taken first, also over a name that was there."""
    candidates = (_candidate(b"a", 5, False), _candidate(b"b", 7, False), _candidate(b"c", 5, True))
    first, rest = first_and_rest(ChangeSet(candidates), {5})
    assert [c.name for c in first] == [b"a", b"c"]
    assert [c.name for c in rest] == [b"b"]


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans())), st.lists(st.integers(0, 9)))
def test_law_every_candidate_is_taken_once(files: list[tuple[int, bool]], gone: list[int]) -> None:
    """First and rest are a partition in the given order."""
    candidates = tuple(_candidate(str(i).encode(), size, known) for i, (size, known) in enumerate(files))
    first, rest = first_and_rest(ChangeSet(candidates), gone)
    assert sorted(first + rest, key=lambda c: int(c.name)) == list(candidates)
    assert all(c.stat.size in gone for c in first)
