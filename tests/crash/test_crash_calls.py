"""The last system call, a torn write, a refused call: SQLite's own writes within one step, too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from . import episodes
from .calls import UNAVAILABLE
from .checks import Prepared
from .figures import FULL, spread, tried
from .operations import OPERATIONS
from .workers import Workers

Steps = Callable[[str], list[list[str]]]
pytestmark = pytest.mark.skipif(bool(UNAVAILABLE), reason=UNAVAILABLE)
_NAMES = list(OPERATIONS) if FULL else ["update", "generation", "repair-catalog"]


def _cases(
    workers: Workers, prepared: Prepared, name: str, what: str, forever: bool, reads: bool, at_most: int
) -> list[tuple[object, ...]]:
    [calls] = workers.map(episodes.calls_of, [(str(prepared.root), name, reads)])
    chosen = spread(calls, at_most, 120)
    return [(str(prepared.root), name, n, what, forever, reads) for n in chosen]


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("what", ["kill", "torn"])
def test_death_at_any_system_call(workers: Workers, prepared: Prepared, steps: Steps, name: str, what: str) -> None:
    """The call is not done, or a write is done by half: the old commit or the new one, then it heals."""
    assert steps(name)
    cases = _cases(workers, prepared, name, what, False, False, 12)
    workers.map(episodes.stopped, cases)
    tried["deaths at a system call" if what == "kill" else "torn writes"] += len(cases)


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("forever", [False, True])
@pytest.mark.parametrize("what", ["EIO", "ENOSPC"])
def test_a_system_call_refused(
    workers: Workers, prepared: Prepared, steps: Steps, name: str, what: str, forever: bool
) -> None:
    """Whoever makes the call, SQLite or we: folder, remedy, exit code, and nothing lost."""
    assert steps(name)
    cases = _cases(workers, prepared, name, what, forever, False, 6)
    answers = workers.map(episodes.stopped, cases)
    assert "told" in answers
    tried[f"{what} at a system call"] += len(cases)


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("forever", [False, True])
def test_a_disk_that_cannot_be_read(
    workers: Workers, prepared: Prepared, steps: Steps, name: str, forever: bool
) -> None:
    """A failed read is told, and is no reason to give up a catalog that is whole."""
    assert steps(name)
    cases = _cases(workers, prepared, name, "EIO", forever, True, 6)
    answers = workers.map(episodes.stopped, cases)
    assert "told" in answers
    tried["EIO at a read"] += len(cases)


@pytest.mark.parametrize("name", ["generation", *(["repair-catalog", "update"] if FULL else [])])
@pytest.mark.parametrize("forever", [False, True] if FULL else [False])
def test_the_served_index_is_not_told(
    workers: Workers, prepared: Prepared, steps: Steps, name: str, forever: bool
) -> None:
    """While HEAD cannot be read nothing is taken for a new beginning: history, holds and trail go on."""
    assert steps(name)
    [made] = workers.map(episodes.calls_of, [(str(prepared.root), name, True)])
    reads = [n for n, (_, path) in enumerate(made) if path.endswith("/HEAD")]
    cases = [(str(prepared.root), name, n, "EIO", forever, True) for n in (reads if FULL else reads[::2])]
    workers.map(episodes.stopped, cases)
    tried["EIO at HEAD"] += len(cases)
