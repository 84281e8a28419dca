"""One worker for all who ask, with real runs."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

import pytest
from heard import Begin
from slow_embedder import configuration

from indexer import KnowledgeBase
from indexer.core.errors import Interrupted
from indexer.core.model import Ask, Budget, Key
from indexer.service import Service
from indexer.store.lock import writer_lock


def write(home: Path, count: int, first: int = 0) -> None:
    """Many documents of three passages."""
    for i in range(first, first + count):
        text = "".join(
            f"Document {i} speaks of subject {i * 3 + k} at some length, as documents do.\n\n" for k in range(3)
        )
        (home / "kb" / f"{i:04d}.txt").write_text(text)


def until(true: object, seconds: float = 60) -> None:
    """Wait for something that comes soon."""
    end = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def save(service: Service, home: Path, name: str, text: str) -> Ask:
    """Write a file and ask for it, as watch mode does."""
    (home / "kb" / name).write_text(text)
    return Ask("watch", (Key("kb", name),), urgent=True, since_ns=time.time_ns())


def test_a_request_is_served(begin: Begin, tmp_path: Path) -> None:
    """The outcome names run, commits and counts, and whoever asked gets it."""
    service, heard = begin()
    write(tmp_path, 3)
    outcome = service.ask(Ask("api", actor="ann@desk", client="10.1.1.1")).wait(60)
    assert outcome is not None
    assert outcome.report is not None
    assert (outcome.exit_code, outcome.run, outcome.commit, len(outcome.report.tally.added)) == (0, 1, 1, 3)
    assert heard.outcomes() == [outcome]
    assert [k for k, _ in heard.all if k not in ("queue", "progress")] == ["begin", "run", "commit", "end"]
    catalog = service.kb.catalog()
    assert catalog is not None
    assert catalog.db.one("SELECT id,actor,trigger,exit_code FROM run") == (1, "ann@desk", "api", 0)
    catalog.close()


def test_a_saved_file_goes_first(begin: Begin, tmp_path: Path) -> None:
    """In the middle of a bulk run it is found before that run ends, and both are right."""
    service, heard = begin(seconds=0.01, more="batch_passages = 16")
    write(tmp_path, 200)
    bulk = service.ask(Ask("schedule", due_ns=5))
    until(lambda: any(kind == "commit" for kind, _ in heard.all))
    saved = service.ask(save(service, tmp_path, "new.txt", "A memo about the canteen.")).wait(60)
    assert saved is not None
    assert (saved.exit_code, saved.run, bulk.outcome) == (0, 2, None)
    assert "new.txt" in service.kb.searchable()
    assert saved.since_ns
    (tmp_path / "kb" / "new.txt").unlink()
    gone = service.ask(Ask("watch", (Key("kb", "new.txt"),), urgent=True)).wait(60)
    assert gone is not None
    assert bulk.outcome is None
    assert "new.txt" not in service.kb.searchable()
    done = bulk.wait(120)
    assert done is not None
    assert (done.exit_code, done.run, done.ask.due_ns) == (0, 1, 5)
    assert [o.ask.trigger for o in heard.outcomes()] == ["watch", "watch", "schedule"]
    assert service.kb.searchable() == {f"{i:04d}.txt" for i in range(200)}
    again = service.kb.update()
    assert (again.tally.added, again.tally.modified, again.tally.deleted, again.tally.embedded) == ({}, [], {}, 0)


def test_what_was_read_before_is_not_put_over_it(begin: Begin, tmp_path: Path) -> None:
    """A file that the bulk run has read already and that is saved again keeps its newest text."""
    service, heard = begin(seconds=0.01, more="batch_passages = 8\nworkers = 1")
    write(tmp_path, 60)
    bulk = service.ask(Ask("schedule"))
    until(lambda: any(kind == "commit" for kind, _ in heard.all))
    for i in range(20, 40):
        assert service.ask(save(service, tmp_path, f"{i:04d}.txt", f"The newest word on {i}.")).wait(60)
    assert bulk.wait(120)
    found = {h.key.path: h.text for h in service.kb.search("newest word", 10_000)}
    assert {found[f"{i:04d}.txt"] for i in range(20, 40)} == {f"The newest word on {i}." for i in range(20, 40)}


def test_requests_that_wait_become_one_run(begin: Begin, tmp_path: Path) -> None:
    """Twenty looks asked for while one is at work are one more run."""
    service, heard = begin(seconds=0.02)
    write(tmp_path, 10)
    asked = [service.ask(Ask("look"))]
    until(lambda: service.running() is not None)
    asked += [service.ask(Ask("look")) for _ in range(20)]
    assert all(a.wait(60) for a in asked)
    assert len(heard.outcomes()) == 2


def test_a_stop_abandons_the_batch_and_loses_nothing(begin: Begin, tmp_path: Path) -> None:
    """The worker ends between two steps; the next one goes on from the last commit."""
    service, heard = begin(seconds=0.01, more="batch_passages = 16")
    write(tmp_path, 120)
    bulk = service.ask(Ask("schedule"))
    until(lambda: any(kind == "commit" for kind, _ in heard.all))
    assert service.stop(30)
    assert bulk.outcome is not None
    assert bulk.outcome.exit_code == Interrupted.exit_code
    kept = service.kb.searchable()
    assert 0 < len(kept) < 120
    report = service.kb.update()
    assert len(report.tally.added) == 120 - len(kept)
    assert len(service.kb.searchable()) == 120


def test_an_embedder_that_is_away_is_asked_again(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that could not go on is followed by a look soon, nobody has to ask."""
    monkeypatch.setattr("indexer.service._RETRY_SECONDS", 0.2)
    service, heard = begin()
    write(tmp_path, 2)
    (tmp_path / "broken").touch()
    failed = service.ask(save(service, tmp_path, "memo.txt", "A memo.")).wait(60)
    assert failed is not None
    assert (failed.exit_code, failed.report) == (5, None)
    assert "the model is away" in str(failed.error)
    (tmp_path / "broken").unlink()
    until(lambda: heard.outcomes()[-1].exit_code == 0)
    assert heard.outcomes()[-1].ask == Ask("retry")
    assert service.kb.searchable() == {"memo.txt", "0000.txt", "0001.txt"}


def test_an_urgent_request_that_failed_in_the_middle_comes_again(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bulk run it failed in ends too; both are made up for."""
    monkeypatch.setattr("indexer.service._RETRY_SECONDS", 0.2)
    service, heard = begin(seconds=0.01, more="batch_passages = 16")
    write(tmp_path, 60)
    service.ask(Ask("schedule"))
    until(lambda: any(kind == "commit" for kind, _ in heard.all))
    (tmp_path / "broken").touch()
    saved = service.ask(save(service, tmp_path, "memo.txt", "A memo."))
    until(lambda: any(o.exit_code == 5 for o in heard.outcomes()))
    (tmp_path / "broken").unlink()
    assert saved.wait(60)
    until(lambda: len(service.kb.searchable()) == 61)


def test_another_process_that_updates_is_waited_for(begin: Begin, tmp_path: Path) -> None:
    """The run begins when the lock is free; nothing fails meanwhile."""
    service, heard = begin()
    write(tmp_path, 1)
    with writer_lock(service.kb.layout.lock, "cli"):
        asked = service.ask(Ask("look"))
        assert asked.wait(0.5) is None
    assert asked.wait(60)
    assert [o.exit_code for o in heard.outcomes()] == [0]


def test_a_listener_that_raises_hurts_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is logged, the others hear, the run goes on."""

    def broken(kind: str, facts: object) -> None:
        raise ValueError("a bug")

    ends = []
    service = Service(
        KnowledgeBase(configuration(tmp_path)),
        [broken, lambda kind, facts: ends.append(kind) if kind == "end" else None],
    )
    service.start()
    with caplog.at_level(logging.ERROR):
        outcome = service.ask(Ask("look")).wait(60)
    assert service.stop(30)
    service.kb.close()
    assert outcome is not None
    assert (outcome.exit_code, ends) == (0, ["end"])
    assert "a bug" in caplog.text


def test_a_bug_ends_one_run_only(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An internal error is an outcome with the exception; the worker lives and tries again."""
    service, heard = begin()
    real = KnowledgeBase.world

    def broken(self: KnowledgeBase, **edges: object) -> object:
        monkeypatch.setattr(KnowledgeBase, "world", real)
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(KnowledgeBase, "world", broken)
    outcome = service.ask(Ask("look")).wait(60)
    assert outcome is not None
    assert (outcome.exit_code, str(outcome.error)) == (1, "internal error: ZeroDivisionError: a bug")
    assert isinstance(next(f["exception"] for k, f in heard.all if k == "end"), ZeroDivisionError)
    good = service.ask(Ask("look")).wait(60)
    assert good is not None
    assert good.exit_code == 0


def test_another_configuration_holds_from_the_next_run_on(begin: Begin, tmp_path: Path) -> None:
    """What is at work ends as it began."""
    service, _ = begin()
    write(tmp_path, 2)
    assert service.ask(Ask("look")).wait(60)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "x.txt").write_text("Something else.")
    toml = (tmp_path / "indexer.toml").read_text() + "\n[[sources]]\nname = 'more'\npath = 'more'\n"
    (tmp_path / "indexer.toml").write_text(toml)
    service.kb.close()
    service.use(KnowledgeBase(tmp_path))
    assert service.ask(Ask("look")).wait(60)
    assert "x.txt" in service.kb.searchable()


@pytest.mark.parametrize("budget", [Budget(passages=30), Budget(seconds=0.3)])
def test_a_budget_ends_a_run_cleanly(begin: Begin, tmp_path: Path, budget: Budget) -> None:
    """It stops after what it may do, says what is left, and the next run goes on."""
    service, heard = begin(seconds=0.005, more="batch_passages = 16")
    write(tmp_path, 100)
    (tmp_path / "kb" / "gone.txt").write_text("Soon gone.")
    first = service.ask(Ask("schedule", budget=budget)).wait(60)
    assert first is not None
    assert first.report is not None
    left = first.report.left
    assert (first.exit_code, 0 < left < 101) == (3, True)
    assert len(service.kb.searchable()) == 101 - left
    (tmp_path / "kb" / "gone.txt").unlink()
    while left:
        outcome = service.ask(Ask("schedule", budget=budget)).wait(60)
        assert outcome is not None
        assert outcome.report is not None
        assert outcome.report.left < left
        left = outcome.report.left
    assert service.kb.searchable() == {f"{i:04d}.txt" for i in range(100)}
    assert heard.outcomes()[-1].exit_code == 0


def test_idle_parsers_are_let_go(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes are kept between runs, and end when nobody needed them for a while."""
    monkeypatch.setattr("indexer.service._IDLE_SECONDS", 0.3)
    service, _ = begin()
    write(tmp_path, 1)
    assert service.ask(Ask("look")).wait(60)
    assert service._parser is not None
    until(lambda: service._parser is None)
    assert service.ask(Ask("look")).wait(60)


def test_whether_it_is_alive(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Idle is alive; a worker that makes no step for too long is not."""
    monkeypatch.setattr("indexer.service._HANG_SECONDS", 0.2)
    service, _ = begin(seconds=0.5)
    assert service.alive()
    write(tmp_path, 1)
    asked = service.ask(Ask("look"))
    until(lambda: not service.alive())
    assert asked.wait(60)
    assert service.alive()


def test_many_ask_at_once(begin: Begin, tmp_path: Path) -> None:
    """Threads that ask get an answer each, and everything is found."""
    service, _ = begin()
    waits = []

    def one(i: int) -> None:
        waits.append(service.ask(save(service, tmp_path, f"t{i}.txt", f"Number {i}.")))

    threads = [threading.Thread(target=one, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(w.wait(60) for w in waits)
    assert service.kb.searchable() == {f"t{i}.txt" for i in range(20)}
