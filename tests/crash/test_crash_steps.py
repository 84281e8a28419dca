"""A process that dies at any step: the old commit or the new one, then it heals by itself."""

from __future__ import annotations

import pytest

from . import episodes
from .checks import Prepared
from .figures import spread, tried
from .operations import OPERATIONS
from .workers import Workers

_FEW = {"update": 40, "first": 16, "generation": 24, "repair-vectors": 10, "repair-catalog": 16}


@pytest.mark.parametrize("name", OPERATIONS)
def test_death_before_any_step_leaves_the_old_or_the_new_commit(workers: Workers, prepared: Prepared, name: str) -> None:
    """Search works at once, shows one commit exactly, the next run completes, nothing stays lying about.

    Dying right after a step is dying right before the next one; what lies between two steps
    (the system calls within one) is the matter of `test_crash_calls`.
    """
    [steps] = workers.map(episodes.rehearse, [(str(prepared.root), name)])
    chosen = spread(steps, _FEW.get(name, 8))
    workers.map(episodes.killed, [(str(prepared.root), name, n) for n in chosen])
    tried["deaths at a step"] += len(chosen)


def test_life_goes_on_after_a_death(workers: Workers, prepared: Prepared) -> None:
    """A further day of edits after a death and its healing ends as right as without the death."""
    [steps] = workers.map(episodes.rehearse, [(str(prepared.root), "update")])
    lay_is_shared = [n for n in range(len(steps)) if steps[n][0] == "committed"][::4]
    for n in lay_is_shared:  # one after the other: the day after changes the documents all workers share
        workers.map(episodes.continues, [(str(prepared.root), "update", n)])
