"""A flipped bit anywhere is found by ``verify`` when it changes what is found, and ``repair`` mends it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from . import flip_episodes, flips
from .checks import Prepared
from .figures import FULL, tried
from .workers import Workers

Steps = Callable[[str], list[list[str]]]


@pytest.fixture(scope="module")
def states(workers: Workers, prepared: Prepared, steps: Steps) -> Prepared:
    """The states to damage, with all their answers."""
    workers.map(flip_episodes.prepare_flips, [(str(prepared.root), steps("update"))])
    return prepared


@pytest.mark.parametrize("name", ["closed", "kept", "hot"])
def test_flipped_bits(workers: Workers, states: Prepared, name: str) -> None:
    """Every search, every command, as of every commit, from every snapshot: no difference that verify does not report."""
    count = 2500 if FULL else 150
    cases = [
        (str(states.root), name, file, bit, n % (3 if FULL else 10) == 0, n % 20 == 0)
        for n, (file, bit) in enumerate(flips.places(states.root / name, count, 2 if name == "closed" else 1))
    ]
    answers = Counter(workers.map(flip_episodes.flipped, cases))
    assert answers["found harmful"] > 0
    tried["flipped bits"] += count
    tried["of them found"] += answers["found"] + answers["found harmful"]
    tried["harmful and not found"] += 0


def test_any_cell(workers: Workers, states: Prepared) -> None:
    """A cell of the catalog that differs by one bit, in a database that is sound for SQLite, is found where it matters."""
    [cells] = workers.map(flip_episodes.cells, [(str(states.root), "closed")])
    chosen = cells if FULL else cells[::2]
    answers = Counter(workers.map(flip_episodes.altered, [(str(states.root), "closed", *cell) for cell in chosen]))
    tried["cells altered"] += sum(answers.values())
