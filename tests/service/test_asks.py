"""How requests merge while they wait."""

from __future__ import annotations

from indexer.asks import MANY, Merged, Waiting, merge
from indexer.core.model import Ask, Budget, Key
from indexer.report import Outcome

A, B = Key("kb", "a.txt"), Key("kb", "b")


def saved(*keys: Key, since: int = 0) -> Ask:
    """As watch mode asks."""
    return Ask("watch", keys, urgent=True, since_ns=since)


def outcome(ask: Ask) -> Outcome:
    """Any."""
    return Outcome(ask, 1, 2, 3, 0, None, None, 0, 0)


def test_paths_are_gathered_once() -> None:
    """Two saves are one request for both files, since the first event."""
    assert merge(saved(A, since=7), saved(B, A, since=5)) == saved(A, B, since=5)


def test_everything_takes_paths_in() -> None:
    """A look at everything includes what was named, in the name of the weightier trigger."""
    assert merge(saved(A), Ask("schedule", due_ns=9)) == Ask("schedule", due_ns=9)
    assert merge(Ask("look"), Ask("api", actor="ann", client="10.0.0.1")) == Ask("api", actor="ann", client="10.0.0.1")


def test_what_anybody_wants_is_done() -> None:
    """Verification is kept; a budget only where all have the same."""
    night = Ask("schedule", budget=Budget(60, 0))
    assert merge(night, Ask("look", verify_content=True)) == Ask("schedule", verify_content=True)
    assert merge(night, night._replace(due_ns=5)).budget == Budget(60, 0)


def test_urgent_requests_come_first() -> None:
    """Before releases, and those before a look at everything."""
    waiting = Waiting()
    for ask in (Ask("look"), Ask("cli", allow_deletions=True), saved(A), Ask("schedule"), saved(B)):
        waiting.add(ask)
    assert (len(waiting), waiting.urgent()) == (3, True)
    assert [m.ask for m in iter(waiting.pop, None)] == [saved(A, B), Ask("cli", allow_deletions=True), Ask("schedule")]
    assert not waiting


def test_a_release_merges_with_none() -> None:
    """It releases what its own run shows, not what came with another."""
    waiting = Waiting()
    releases = [Ask("cli", allow_deletions=True), Ask("api", allow_deletions=True)]
    assert [waiting.add(a).ask for a in releases] == releases
    assert [m.ask for m in iter(waiting.pop, None)] == releases


def test_a_flood_of_paths_becomes_a_look_at_everything() -> None:
    """Memory stays flat however many files change."""
    waiting = Waiting()
    for i in range(MANY + 1):
        merged = waiting.add(saved(Key("kb", str(i)), since=i + 1))
    assert (merged.ask, waiting.urgent(), len(waiting)) == (Ask("watch", since_ns=1), False, 1)
    waiting.add(saved(A))
    assert waiting.urgent()


def test_everybody_who_asked_hears_of_the_end() -> None:
    """Whoever joined another's request gets the outcome of the run that served it."""
    waiting = Waiting()
    first, joined, third = Merged(saved(A)), Merged(saved(B)), Merged(saved(A, since=4))
    for merged in (first, joined, third):
        waiting.put_back(merged)
    served = waiting.pop()
    assert served is first
    assert (first.wait(0), joined.wait(0)) == (None, None)
    served.done(outcome(served.ask))
    assert first.outcome == joined.wait(0) == third.wait(0) == outcome(saved(A, B, since=4))
    assert served.since == (4,)
