"""Debouncing as tables: what happens when, and what is asked for when."""

from __future__ import annotations

import pytest

from indexer.triggers.watch.debounce import FEW, MANY, Debounce

QUIET, LONGEST = 2.0, 30.0
S = "s"


def _play(steps: list[tuple[object, ...]], until: float = 100.0, quiet: float = QUIET) -> list[tuple[float, set[str]]]:
    """(second, path) touches and (second, old, new) moves in; (second, paths) asked for out. Time goes in steps of 1/4 s."""
    debounce, asked = Debounce(quiet, LONGEST), []
    for quarter in range(int(until * 4) + 1):
        at = quarter / 4
        for when, *paths in steps:
            if when == at:
                names = [(S, str(p).encode()) for p in paths]
                debounce.touch(names[0], at, 0) if len(names) == 1 else debounce.link(*names, at, 0)
        due = debounce.due()
        if due is not None and due <= at and (taken := debounce.take(at)) is not None:
            asked.append((at, {p.decode() for _, p in taken.paths}))
    return asked


def _every(step: float, begin: float, end: float, path: str) -> list[tuple[object, ...]]:
    return [(begin + i * step, path) for i in range(int((end - begin) / step) + 1)]


TABLE: dict[str, tuple[list[tuple[object, ...]], list[tuple[float, set[str]]]]] = {
    "one save": ([(1.0, "a")], [(3.0, {"a"})]),
    "two saves": ([(1.0, "a"), (2.0, "a")], [(4.0, {"a"})]),
    "a save after the first was looked at": ([(1.0, "a"), (5.0, "a")], [(3.0, {"a"}), (7.0, {"a"})]),
    "a slow copy": (_every(0.5, 1, 10, "a"), [(12.0, {"a"})]),
    "a file that never rests": (_every(0.5, 0, 65, "a"), [(30.0, {"a"}), (60.5, {"a"}), (67.0, {"a"})]),
    "two files saved together": ([(1.0, "a"), (1.0, "b")], [(3.0, {"a", "b"})]),
    "a save beside a file that never rests": (
        [*_every(0.25, 0, 20, "log"), (1.0, "a")],
        [(3.0, {"a"}), (22.0, {"log"})],
    ),
    "what is below a wanted folder puts the folder off": ([(1.0, "d"), (2.0, "d/a"), (2.5, "d/e/b")], [(4.5, {"d"})]),
    "a folder stands for what was there before": ([(1.0, "d/a"), (1.0, "d")], [(3.0, {"d"})]),
    "a name that begins alike is not below": ([(1.0, "d"), (2.0, "da")], [(3.0, {"d"}), (4.0, {"da"})]),
    "a move": ([(1.0, "a", "b")], [(3.0, {"a", "b"})]),
    "a move, and writing goes on at the new place": (
        [(1.0, "a", "b"), *_every(0.5, 1, 6, "b/x")],
        [(8.0, {"a", "b"})],
    ),
    "two moves in a row": ([(1.0, "a", "b"), (2.0, "b", "c")], [(4.0, {"a", "b", "c"})]),
    "moved over a file that changes": ([(0.5, "b"), (1.0, "a", "b"), (2.0, "b")], [(4.0, {"a", "b"})]),
    "moved within a wanted folder": ([(1.0, "d"), (1.5, "d/a", "d/b")], [(3.5, {"d"})]),
    "moved out of a wanted folder": ([(1.0, "d"), (1.5, "d/a", "b"), (3.0, "b")], [(5.0, {"d", "b"})]),
    "the whole source": ([(1.0, ""), (2.0, "a"), (2.5, "d/b")], [(4.5, {""})]),
}


@pytest.mark.parametrize("name", TABLE)
def test_what_is_asked_when(name: str) -> None:
    """Quiet time after the last event, the longest wait after the first, moves whole."""
    steps, asked = TABLE[name]
    assert _play(steps) == asked


def test_at_once() -> None:
    """Quiet time 0: each event is asked about as it comes."""
    assert _play([(1.0, "a"), (2.0, "a"), (2.0, "b")], quiet=0) == [(1.0, {"a"}), (2.0, {"a", "b"})]


def test_grace() -> None:
    """Half a move at quiet time 0 waits the moment in which the other half comes."""
    debounce = Debounce(0, LONGEST)
    debounce.touch((S, b"old"), 1.0, 0, grace=0.1)
    assert debounce.take(1.05) is None
    debounce.link((S, b"old"), (S, b"new"), 1.06, 0)
    taken = debounce.take(1.11)
    assert taken is not None
    assert set(taken.paths) == {(S, b"old"), (S, b"new")}


def test_a_burst_of_saves_is_one_request() -> None:
    """300 saves of a file in 1.5 s."""
    debounce = Debounce(QUIET, LONGEST)
    for i in range(300):
        debounce.touch((S, b"a"), i * 0.005, 7 + i)
        assert debounce.take(i * 0.005) is None
    taken = debounce.take(299 * 0.005 + QUIET)
    assert taken is not None
    assert taken == ((((S, b"a"),)), 7)
    assert debounce.due() is None


def test_a_storm_is_a_handful_of_requests() -> None:
    """1,000 events a second on ever other files for a minute: asked when one waited too long, and at the end."""
    debounce, asked, n = Debounce(QUIET, LONGEST), [], 0
    for step in range(600 + 40):
        at = step / 10
        for _ in range(100 if step < 600 else 0):
            debounce.touch((S, b"%d/%d" % (n % 50, n % 1000)), at, 0)
            n += 1
        if debounce.take(at) is not None:
            asked.append(at)
    assert len(asked) == 2
    assert asked[-1] <= 60 + QUIET


def test_few_restless_files_keep_nobody_waiting_many_do() -> None:
    """Up to a hundred files that change all the time are let be; more are a storm, which is waited out."""
    for count, ready in ((FEW, True), (FEW + 1, False)):
        debounce = Debounce(QUIET, LONGEST)
        debounce.touch((S, b"save"), 0, 0)
        for n in range(count):
            debounce.touch((S, b"log%d" % n), 1.5, 0)
        assert (debounce.take(2.0) is not None) is ready


@pytest.mark.parametrize(
    ("shape", "kept"),
    [
        (lambda n: b"d/%d" % n, {b"d"}),
        (lambda n: b"%d/x" % n, {b""}),
        (lambda n: b"d%d/e/%d" % (n % 10, n), {b"d%d/e" % i for i in range(10)}),
        (lambda n: b"%d" % n, {b""}),
        (
            lambda n: b"d/%d" % n if n % 200 else b"%d/x" % (n % 2000),
            {b"d", *(b"%d/x" % i for i in range(0, 2000, 200))},
        ),
    ],
    ids=["one folder", "as many folders", "ten folders", "the root", "one folder and some others"],
)
def test_memory_is_flat(shape: object, kept: set[bytes]) -> None:
    """Above a number of paths folders stand for them, or the source; nothing is forgotten."""
    debounce = Debounce(QUIET, LONGEST)
    for n in range(20 * MANY):
        debounce.touch((S, shape(n)), 0, 5)  # type: ignore[operator]
        assert len(debounce) <= MANY
    taken = debounce.take(LONGEST)
    assert taken is not None
    assert ({p for _, p in taken.paths}, taken.since_ns) == (kept, 5)
    assert len(debounce) == 0


def test_sources_are_kept_apart() -> None:
    """One that is away is forgotten, the others are not; what folds, folds by source."""
    debounce = Debounce(QUIET, LONGEST)
    for n in range(MANY + 1):
        debounce.touch(("one", b"%d" % n), 0, 0)
    debounce.touch(("two", b"a"), 0, 0)
    debounce.forget("one")
    taken = debounce.take(QUIET)
    assert taken is not None
    assert taken.paths == (("two", b"a"),)


def test_the_longest_wait_counts_where_it_is_shorter() -> None:
    """A longest wait below the quiet time is the time that is waited."""
    debounce = Debounce(10.0, 1.0)
    debounce.touch((S, b"a"), 0, 0)
    assert debounce.due() == 1.0
    assert debounce.take(1.0) is not None
