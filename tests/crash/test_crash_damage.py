"""Missing, cut, replaced, stray files; a disk that is really full."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from . import damage_episodes, flip_episodes, power
from .checks import Prepared
from .damages import DAMAGES
from .figures import FULL, tried
from .workers import Workers

Steps = Callable[[str], list[list[str]]]


@pytest.fixture(scope="module")
def states(workers: Workers, prepared: Prepared, steps: Steps) -> Prepared:
    """A whole state to damage."""
    if not (prepared.root / "closed").exists():
        workers.map(flip_episodes.prepare_flips, [(str(prepared.root), steps("update"))])
    return prepared


@pytest.fixture(scope="module")
def _mountable(workers: Workers, memory: Path) -> None:
    [why] = workers.map(power.unavailable, [(str(memory),)])
    if why:
        pytest.skip(why)


@pytest.mark.parametrize("remedy", ["repair", "update"])
def test_damage_is_named_and_put_right(workers: Workers, states: Prepared, remedy: str) -> None:
    """Reading answers or says what to do, verify finds it, and the right content comes back; nothing foreign is removed."""
    workers.map(
        damage_episodes.damaged,
        [(str(states.root), name, remedy) for name, d in DAMAGES.items() if remedy == "repair" or d.healed],
    )
    tried["damages"] += len(DAMAGES)


@pytest.mark.usefixtures("_mountable")
@pytest.mark.parametrize("kind", ["tmpfs", "ext4"])
def test_a_disk_that_is_really_full(workers: Workers, prepared: Prepared, steps: Steps, kind: str) -> None:
    """However much room is left: told with the remedy, searchable while full, complete once there is room again."""
    assert steps("update")
    spare = range(0, 400, 8 if FULL else 40)
    answers = workers.map(damage_episodes.full_disk, [(str(prepared.root), kind, kb) for kb in spare])
    assert "told" in answers
    tried["full disks"] += len(answers)


def test_files_that_may_not_grow(workers: Workers, prepared: Prepared, steps: Steps) -> None:
    """A limit on the size of files (ulimit -f) is told like a full disk, and nothing is lost."""
    assert steps("update")
    limits = [1, 4, 16, 32, 64, 100, 130, 200]
    answers = workers.map(damage_episodes.file_limit, [(str(prepared.root), kb) for kb in limits])
    assert "told" in answers
    tried["file size limits"] += len(answers)
