"""Two writers, and a reader while writers are killed."""

from __future__ import annotations

from . import process_episodes
from .checks import Prepared
from .figures import FULL, tried
from .workers import COUNT, Workers


def test_a_second_writer_is_told(workers: Workers, prepared: Prepared) -> None:
    """Exit code 7 and whose it is at once, or a wait; a killed writer holds nothing up."""
    workers.map(process_episodes.second_writer, [(str(prepared.root),)])


def test_a_reader_meets_no_error(workers: Workers, prepared: Prepared) -> None:
    """Whatever happens to writers: every answer is of one commit, commits never go back, nothing is mixed."""
    rounds = 60 if FULL else 10
    answers = workers.map(
        process_episodes.reader_meanwhile, [(str(prepared.root), seed, rounds) for seed in range(COUNT)]
    )
    assert sum(commits for _, commits in answers) > COUNT
    tried["searches meanwhile"] += sum(searches for searches, _ in answers)
