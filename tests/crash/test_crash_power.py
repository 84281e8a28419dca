"""The power is cut, for real: only what was made durable is there afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from . import power, power_episodes
from .checks import Prepared
from .figures import FULL, spread, tried
from .operations import OPERATIONS
from .workers import COUNT, Workers

Steps = Callable[[str], list[list[str]]]
_FEW = {"update": 16, "first": 8, "generation": 8}


@pytest.fixture(scope="module", autouse=True)
def _mountable(workers: Workers, memory: Path) -> None:
    [why] = workers.map(power.unavailable, [(str(memory),)])
    if why:
        pytest.skip(why)


@pytest.mark.parametrize(
    "name", list(OPERATIONS) if FULL else ["update", "first", "generation", "rollback", "repair-vectors", "gc"]
)
def test_power_cut_before_any_step(workers: Workers, prepared: Prepared, steps: Steps, name: str) -> None:
    """What was announced is there, what was not is there whole or not at all, then it heals."""
    chosen = [*spread(steps(name), _FEW.get(name, 4)), len(steps(name))]
    workers.map(power_episodes.format_disks, [(str(prepared.root), name)])
    workers.map(power_episodes.power_cut, [(str(prepared.root), name, n, "") for n in chosen])
    tried["power cuts at a step"] += len(chosen)


@pytest.mark.parametrize("what", ["all", "files"])
def test_without_fsync_the_same_cuts_lose_something(
    workers: Workers, prepared: Prepared, steps: Steps, what: str
) -> None:
    """The negative control: with fsync off (everywhere; in our own files only) the test above fails."""
    workers.map(power_episodes.format_disks, [(str(prepared.root), "update")])
    cuts = [n for n, (kind, _) in enumerate(steps("update")) if kind == "committed"][1::2]
    lost = workers.map(power_episodes.power_cut, [(str(prepared.root), "update", n, what) for n in cuts])
    assert any(lost), "nothing was lost: the cut is no cut"
    tried["cuts without fsync that lost something"] += sum(map(bool, lost))


def test_power_cut_at_random_moments(workers: Workers, memory: Path) -> None:
    """Under a process that edits and updates without end, again and again on one disk."""
    cuts = 60 if FULL else 8
    answers = workers.map(
        power_episodes.power_cut_at_random, [(str(memory), s + 1, -(-cuts // COUNT)) for s in range(COUNT)]
    )
    tried["power cuts at random"] += sum(a[0] for a in answers)
