"""A real process that edits and updates without end, killed at random moments."""

from __future__ import annotations

from pathlib import Path

from . import process_episodes
from .figures import FULL, tried
from .workers import COUNT, Workers


def test_killed_at_random_moments(workers: Workers, memory: Path) -> None:
    """Each time: search works, whole updates are all there, a started one is there document by document."""
    kills = 200 if FULL else 40
    lives = 2 * COUNT
    answers = workers.map(
        process_episodes.killed_at_random, [(str(memory), seed + 1, -(-kills // lives)) for seed in range(lives)]
    )
    assert sum(a[1] for a in answers) > kills // 10, "hardly any kill fell into an update"
    tried["kills at random"] += sum(a[0] for a in answers)
    tried["of them within an update"] += sum(a[1] for a in answers)
