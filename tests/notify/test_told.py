"""What is news: decided from what was told, never twice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from outcomes import DAY, HOUR, MINUTE, NOON, away, done, failed

from indexer.core.errors import BUSY, INTERRUPTED
from indexer.core.model import State
from indexer.notify.news import News
from indexer.notify.told import PASSING, Told, plain_told, tell, told_of
from indexer.report import Outcome

NAMES = [f"{n:02d}.txt" for n in range(30)]


def story(outcomes: Iterable[Outcome], told: Told = Told()) -> list[News]:  # noqa: B008 - a value
    """What is told after each of these runs; what was told goes through its file in between."""
    found = []
    for outcome in outcomes:
        told, news = tell(told, outcome)
        told = told_of(json.loads(json.dumps(plain_told(told))))
        found.append(news)
    return found


def kinds(outcomes: Iterable[Outcome]) -> list[set[str]]:
    """The same, as words of the configuration."""
    return [set(news.kinds) for news in story(outcomes)]


def test_a_run_with_nothing_new_is_no_news() -> None:
    """Looks that found nothing, runs that were stopped, runs that found the knowledge base busy."""
    assert kinds([done(), failed(code=BUSY), failed(code=INTERRUPTED)]) == [set(), set(), set()]


def test_changes_are_counted_and_named() -> None:
    """So many, and the first by name; of two names for the same bytes one move."""
    run = done(added=NAMES, modified=["b", "a"], deleted=["c"])
    run.report.tally.moved = [
        (Key, Key2) for Key, Key2 in zip(run.report.tally.modified, run.report.tally.deleted, strict=False)
    ]  # type: ignore[union-attr]
    (news,) = story([run])
    assert news.kinds == {"changes"}
    assert (news.added.total, news.added.names[0], len(news.added.names)) == (30, "kb/00.txt", 20)
    assert news.modified.names == ("kb/a", "kb/b")
    assert news.moved.names == ("kb/b → kb/c",)
    assert (news.run, news.commit_before, news.commit, news.seconds) == (12, 41, 42, 9.0)


def test_a_failure_is_told_once_a_day() -> None:
    """Not every quarter of an hour; and again each night while it stays."""
    quarters = [failed(NOON + n * 15 * MINUTE) for n in range(40)]
    nights = [failed(NOON + n * DAY + MINUTE) for n in range(1, 4)]
    told = kinds([*quarters, *nights])
    assert told == [{"failures"}, *([set()] * 39), {"failures"}, {"failures"}, {"failures"}]


def test_midnight_is_no_reason_to_repeat() -> None:
    """A failure told at ten to twelve is not told again at five past, but six hours later."""
    night = NOON - NOON % DAY + DAY  # some hour of the local day, whatever the zone
    runs = [failed(night + n * 15 * MINUTE) for n in range(4 * 24 + 1)]
    told = [n for n, news in enumerate(kinds(runs)) if news]
    assert len(told) <= 2
    assert all(b - a >= 4 * 6 for a, b in pairwise(told))


def test_another_failure_is_news() -> None:
    """The same sentence with other numbers is not."""
    runs = [
        failed(),
        failed(NOON + MINUTE),
        failed(NOON + 2 * MINUTE, text="The disk is full"),
        failed(NOON + 3 * MINUTE),
    ]
    assert kinds(runs) == [{"failures"}, set(), {"failures"}, set()]


def test_recovery_is_told_after_a_failure_that_was() -> None:
    """Once, with the time since when."""
    runs = [done(), failed(NOON), failed(NOON + HOUR), done(NOON + 2 * HOUR, added=["a"]), done(NOON + 3 * HOUR)]
    told = story(runs)
    assert [set(news.kinds) for news in told] == [set(), {"failures"}, set(), {"recovery", "changes"}, set()]
    assert told[3].failing_ns == NOON


def test_a_run_over_some_paths_is_no_recovery() -> None:
    """The next look at everything will tell."""
    runs = [failed(), done(NOON + MINUTE, modified=["a"], paths=["a"], trigger="watch"), done(NOON + 2 * MINUTE)]
    assert kinds(runs) == [{"failures"}, {"changes"}, {"recovery"}]


def test_what_comes_and_goes_is_not_told_each_time() -> None:
    """A failure that is back within the hour is silent, and so is its end."""
    runs: list[Outcome] = []
    for n in range(12):
        runs += [failed(NOON + 2 * n * 5 * MINUTE), done(NOON + (2 * n + 1) * 5 * MINUTE)]
    told = kinds(runs)
    assert told[:2] == [{"failures"}, {"recovery"}]
    assert sum("failures" in x for x in told) == sum("recovery" in x for x in told) == 2


def test_a_source_that_is_away_is_a_failure() -> None:
    """The rest goes on: its changes are told with it; another source is another failure."""
    runs = [
        done(unavailable=[away("a")], added=["x"]), done(NOON + MINUTE, unavailable=[away("a")]),
        done(NOON + 2 * MINUTE, unavailable=[away("a"), away("b")]), done(NOON + 3 * MINUTE),
    ]  # fmt: skip
    told = story(runs)
    assert [set(news.kinds) for news in told] == [{"failures", "changes"}, set(), {"failures"}, {"recovery"}]
    assert [e.args["name"] for e in told[2].errors] == ["b"]


def test_files_that_fail_are_told_once() -> None:
    """Those that are new, with their reasons; fixed ones by name, once."""
    runs = [
        done(failed=["a", "b"]), done(failed=["a", "b"]), done(failed=["a", "b", "c"]), done(failed=["c"]), done(failed=["c"]),
    ]  # fmt: skip
    told = story(runs)
    assert [[f.name for f in news.failed] for news in told] == [["kb/a", "kb/b"], [], ["kb/c"], [], []]
    assert [set(news.kinds) for news in told] == [{"failures"}, set(), {"failures"}, {"recovery"}, set()]
    assert told[3].fixed == (2, ("kb/a", "kb/b"))


def test_a_run_over_some_paths_knows_little_of_other_files() -> None:
    """That it does not list a failing file says nothing; that it indexed one says everything."""
    runs = [
        done(failed=["a", "b"]), done(modified=["x"], paths=["x"]), done(modified=["a"], paths=["a"]), done(failed=["b"]),
    ]  # fmt: skip
    told = story(runs)
    assert [news.fixed.names for news in told] == [(), (), ("kb/a",), ()]


def test_thousands_of_failing_files() -> None:
    """All are known, few are named; one more is one more."""
    many = [f"{n}.pdf" for n in range(10_000)]
    told = story([done(failed=many), done(failed=[*many, "new.pdf"]), done(failed=["new.pdf"])])
    assert (told[0].failed_count, len(told[0].failed)) == (10_000, 20)
    assert [f.name for f in told[1].failed] == ["kb/new.pdf"]
    assert (told[2].fixed.total, told[2].failed_count) == (10_000, 0)


def test_a_file_that_is_just_being_written_is_not_told_at_once() -> None:
    """Only when it is so for ten minutes."""
    reason = "the file kept changing while it was read; it is looked at again in the next run"
    runs = [
        done(NOON, failed=["a"], reason=reason), done(NOON + MINUTE, failed=["a"], reason=reason), done(NOON + 2 * MINUTE),
        done(NOON + HOUR, failed=["b"], reason=reason), done(NOON + HOUR + 11 * MINUTE, failed=["b"], reason=reason),
    ]  # fmt: skip
    assert kinds(runs) == [set(), set(), set(), set(), {"failures"}]


def test_the_product_ends_such_reasons_so() -> None:
    """What the rule above goes by is what reading a file says."""
    source = (Path(__file__).parents[2] / "indexer" / "sources" / "folder.py").read_text("utf-8")
    assert source.count(PASSING) >= 3


def test_held_deletions_are_told_when_they_are_new() -> None:
    """Those, and how many there are in all."""
    runs = [done(held=NAMES[:20]), done(held=NAMES[:20]), done(held=NAMES), done(held=NAMES, added=["x"])]
    told = story(runs)
    assert [set(news.kinds) for news in told] == [{"held"}, set(), {"held"}, {"changes"}]
    assert (told[2].held.total, told[2].held.names[0], told[2].held_now) == (10, "kb/20.txt", 30)


def test_released_and_returned() -> None:
    """Some were confirmed, some came back."""
    told = story([done(held=NAMES), done(deleted=NAMES[:10]), done()])
    assert [set(news.kinds) for news in told] == [{"held"}, {"changes", "recovery"}, set()]
    assert (told[1].released.total, told[1].released.names[0], told[1].returned.total) == (10, "kb/00.txt", 20)


@pytest.mark.parametrize("run", [done(paths=["x"], trigger="watch"), done(unavailable=[away()]), failed()])
def test_what_a_run_did_not_look_at_is_still_held(run: Outcome) -> None:
    """A run over some paths, a source that is away: neither settles anything."""
    told = story([done(held=NAMES), run, done(held=NAMES)])
    assert not any("held" in news.kinds for news in told[1:])
    assert all(news.returned.total == news.released.total == 0 for news in told)


def test_only_what_is_wanted() -> None:
    """[notify] on: the other kinds are left out, and nothing is left of news of which none is wanted."""
    (news,) = story([done(added=["a"], failed=["b"], held=["c"])])
    assert news.kinds == {"changes", "failures", "held"}
    assert news.only(["held"]).kinds == {"held"}
    assert news.only(["recovery"]).kinds == set()
    assert news.only(["changes", "failures", "held", "recovery"]) == news


def test_states_of_documents_are_words_we_know() -> None:
    """The state of a failing folder is no state of a document; it is handled all the same."""
    assert "unknown" not in set(State)
    run = done(failed=["folder"])
    problems = run.report.tally.problems  # type: ignore[union-attr]
    problems.update({k: p._replace(state="unknown") for k, p in problems.items()})
    told = story([run, done(paths=["x"], modified=["x"]), run, done()])
    assert [set(news.kinds) for news in told] == [{"failures"}, {"changes"}, set(), {"recovery"}]
