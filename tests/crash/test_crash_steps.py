"""A process that dies at any step: the old commit or the new one, then it heals by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from . import episodes
from .checks import Prepared
from .figures import FULL, spread, tried
from .operations import OPERATIONS
from .workers import Workers

_FEW = {"update": 40, "first": 16, "generation": 24, "repair-vectors": 10, "repair-catalog": 16}


Steps = Callable[[str], list[list[str]]]


@pytest.mark.parametrize("name", OPERATIONS)
def test_death_before_any_step(workers: Workers, prepared: Prepared, steps: Steps, name: str) -> None:
    """Search works at once and shows the old or the new commit, the next run completes, nothing stays lying about.

    Dying right after a step is dying right before the next one; what lies between two steps
    (the system calls within one) is the matter of `test_crash_calls`.
    """
    chosen = spread(steps(name), _FEW.get(name, 8))
    workers.map(episodes.killed, [(str(prepared.root), name, n) for n in chosen])
    tried["deaths at a step"] += len(chosen)


@pytest.mark.parametrize("healed", [False, True])
@pytest.mark.parametrize("name", ["update", "first", "generation"])
def test_life_goes_on_after_a_death(
    workers: Workers, prepared: Prepared, steps: Steps, name: str, healed: bool
) -> None:
    """Edits and deletions after a death end as right as without it, also those of documents it had just added."""
    commits = [n for n, (kind, _) in enumerate(steps(name)) if kind == "committed"]
    for n in commits[:: 1 if FULL else 5]:  # one after the other: the day after changes the documents all workers share
        workers.map(episodes.continues, [(str(prepared.root), name, n, healed)])
        tried["deaths before a further day"] += 1


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("why", ["EIO", "ENOSPC"])
def test_a_disk_that_refuses_any_step(workers: Workers, prepared: Prepared, steps: Steps, name: str, why: str) -> None:
    """Once or for ever: an error that names folder and remedy; the old commit stands, the next run completes."""
    chosen = spread(steps(name), _FEW.get(name, 8) // 2)
    cases = [
        (str(prepared.root), name, n, why, forever)
        for i, n in enumerate(chosen)
        for forever in (False, True)
        if FULL or i % 2 == forever
    ]
    answers = workers.map(episodes.refused, cases)
    assert "told" in answers
    tried[f"{why} at a step"] += len(cases)
