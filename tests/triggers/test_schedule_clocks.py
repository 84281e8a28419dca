"""Exactly one run per scheduled instant, whatever the clocks, the machine and the runs do; time is stepped by the test."""

from __future__ import annotations

from itertools import pairwise
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schedule_lab import Ended, Lab, ns, shown

from indexer.care.runs import RunRecord
from indexer.core.errors import ConfigError
from indexer.core.model import Ask, Budget
from indexer.core.tables import ScheduleSettings
from indexer.triggers.alarm import Alarm
from indexer.triggers.schedule import PAUSE, Schedule

YESTERDAY = RunRecord(frozenset({ns("2031-06-09 02:00")}), ns("2031-06-09 02:00"))
HOURLY = ScheduleSettings(cron="0 * * * *")


def nightly(start: str) -> Lab:
    """A knowledge base whose last night's run is on record."""
    return Lab(start, record=YESTERDAY)


def test_a_night() -> None:
    """Nothing before, one run at the instant, nothing after; the limits of the configuration come with it."""
    lab = Lab("2031-06-10 01:59", ScheduleSettings(max_minutes=90, max_passages=5000, verify_content=True), YESTERDAY)
    assert lab.schedule.next_ns() == ns("2031-06-10 02:00")
    lab.run_to("2031-06-10 02:01")
    lab.end()
    lab.run_to("2031-06-10 06:00")
    assert lab.asks == [
        (
            Ask("schedule", due_ns=ns("2031-06-10 02:00"), budget=Budget(5400.0, 5000), verify_content=True),
            ns("2031-06-10 02:00"),
        )
    ]
    assert lab.schedule.next_ns() == ns("2031-06-11 02:00")
    assert lab.log == []


def test_the_first_start_ever_is_owed_a_run() -> None:
    """Nobody waits until two in the morning for a first index."""
    lab = Lab("2031-06-10 15:00")
    assert lab.asked == [("10 02:00", "10 15:00")]
    assert lab.log == ["There is no run on record; the first one starts now."]


def test_asleep_at_the_instant_one_run_is_made_up_for() -> None:
    """SCHED-03 (agronholm/apscheduler#292): the lid is closed from 01:59:58 to 02:00:03, and for hours."""
    for seconds in (5, 4 * 3600):
        lab = nightly("2031-06-10 01:59")
        lab.run_for(55)
        lab.sleep(seconds)
        lab.run_for(3600)
        assert len(lab.asks) == 1
        assert lab.asks[0][0].due_ns == ns("2031-06-10 02:00")


def test_sleep_that_the_system_does_not_tell_of() -> None:
    """It looks like a clock set forward, and is owed the same run."""
    lab = nightly("2031-06-10 01:00")
    lab.sleep(3 * 3600, told=False)
    assert lab.asked == [("10 02:00", "10 04:00")]
    assert lab.log == [
        "The clock was set forward by 10800 s.",
        "The run of 2031-06-10 02:00 was missed; it is made up for now.",
    ]


def test_a_late_start_is_owed_one_run_from_the_record() -> None:
    """SCHED-04: the service comes up at 02:00:30; what APScheduler remembered is gone, what the catalog knows is not."""
    lab = nightly("2031-06-10 02:00:30")
    assert lab.asked == [("10 02:00", "10 02:00")]
    lab.end()
    lab.boot()
    lab.run_for(60)
    assert len(lab.asks) == 1


def test_down_for_five_nights_one_run() -> None:
    """Missed runs are not queued up: one look at the folder sees all."""
    lab = nightly("2031-06-14 12:00")
    assert lab.asked == [("14 02:00", "14 12:00")]
    lab.end(3)
    lab.run_to("2031-06-15 01:59")
    assert len(lab.asks) == 1


def test_a_manual_run_counts() -> None:
    """Somebody ran `indexer update --now` after the missed instant: nothing is owed any more."""
    lab = Lab("2031-06-10 09:00", record=RunRecord(YESTERDAY.dues, ns("2031-06-10 08:00")))
    assert lab.asks == []
    before = Lab("2031-06-10 09:00", record=RunRecord(YESTERDAY.dues, ns("2031-06-10 01:00")))
    assert len(before.asks) == 1


def test_a_manual_run_does_not_count_where_content_is_to_be_verified() -> None:
    """It did not look at the bytes."""
    record = RunRecord(YESTERDAY.dues, ns("2031-06-10 08:00"))
    assert len(Lab("2031-06-10 09:00", ScheduleSettings(verify_content=True), record).asks) == 1


def test_no_catch_up_where_it_is_not_wanted() -> None:
    """Late runs are left out, said so; runs on time and tries after a failure are not."""
    lab = Lab("2031-06-10 09:00", ScheduleSettings(catch_up=False), YESTERDAY)
    lab.run_for(600)
    assert lab.asks == []
    assert lab.log == ["The run of 2031-06-10 02:00 was missed and is left out: schedule.catch_up is off."]
    lab.run_to("2031-06-11 02:00")
    lab.end(5)
    lab.run_for(660)
    assert lab.asked == [("11 02:00", "11 02:00"), ("11 02:00", "11 02:10")]


def test_a_run_longer_than_the_interval() -> None:
    """SCHED-05 (agronholm/apscheduler#423): two hours of work, every hour: skipped, said so, the next on time."""
    lab = Lab("2031-06-10 00:00", HOURLY, RunRecord(frozenset({ns("2031-06-09 23:00")})))
    lab.run_to("2031-06-10 01:50")
    lab.end()
    lab.run_to("2031-06-10 02:30")
    assert lab.asked == [("10 00:00", "10 00:00"), ("10 02:00", "10 02:00")]
    lab.run_to("2031-06-10 04:10")
    lab.end()
    lab.run_to("2031-06-10 05:00")
    assert [due for due, _ in lab.asked] == ["10 00:00", "10 02:00", "10 05:00"]
    assert lab.log == [
        "The run of 2031-06-10 01:00 is skipped: that of 2031-06-10 00:00 has not ended.",
        "The run of 2031-06-10 03:00 is skipped: that of 2031-06-10 02:00 has not ended.",
        "The run of 2031-06-10 04:00 is skipped: that of 2031-06-10 02:00 has not ended.",
    ]


def test_a_failed_run_is_tried_again_until_it_succeeds() -> None:
    """After 10, 30, 60, 60 minutes; the pauses are real time, whatever the wall shows."""
    lab = nightly("2031-06-10 01:59")
    lab.run_to("2031-06-10 02:00")
    for exit_code in (4, 5, 1, 7):
        lab.end(exit_code)
        lab.run_for(3600)
        lab.run_for(PAUSE)
    lab.end(0)
    lab.run_to("2031-06-10 23:00")
    assert [at for _, at in lab.asked] == ["10 02:00", "10 02:10", "10 03:30", "10 05:00", "10 06:00"]
    assert len({due for due, _ in lab.asked}) == 1
    assert lab.log[0] == "The run of 2031-06-10 02:00 failed; it is tried again in 10 minutes."
    assert [line.split()[-2] for line in lab.log] == ["10", "30", "60", "60"]


@pytest.mark.parametrize("exit_code", [0, 3])
def test_a_run_that_cannot_be_put_on_record_is_done_all_the_same(exit_code: int) -> None:
    """A catalog that cannot be read tells nothing: the process itself knows what it has seen."""
    lab = nightly("2031-06-10 01:59")
    lab.run_to("2031-06-10 02:00")
    lab.schedule.ended(Ended(lab.asks[0][0], exit_code))
    lab.run_to("2031-06-10 06:00")
    assert len(lab.asks) == 1
    assert lab.log == []


def test_the_next_instant_ends_the_tries_of_the_last() -> None:
    """It is a run of its own, on time, and its pauses begin anew."""
    lab = Lab("2031-06-10 00:00", HOURLY, RunRecord(frozenset({ns("2031-06-09 23:00")})))
    lab.end(6)
    lab.run_to("2031-06-10 00:45")
    assert lab.schedule.next_ns() == ns("2031-06-10 01:00")
    lab.end(6)
    lab.run_to("2031-06-10 01:05")
    lab.end(6)
    assert lab.asked == [("10 00:00", "10 00:00"), ("10 00:00", "10 00:10"), ("10 01:00", "10 01:00")]
    assert lab.schedule.next_ns() == ns("2031-06-10 01:15")


def test_a_run_that_fails_after_the_next_instant_is_not_tried_again() -> None:
    """That instant was skipped for it; the one after is on time."""
    lab = Lab("2031-06-10 00:00", HOURLY, RunRecord(frozenset({ns("2031-06-09 23:00")})))
    lab.run_to("2031-06-10 01:20")
    lab.end(5)
    lab.run_to("2031-06-10 02:00")
    assert [due for due, _ in lab.asked] == ["10 00:00", "10 02:00"]
    assert lab.log == ["The run of 2031-06-10 01:00 is skipped: that of 2031-06-10 00:00 has not ended."]


def test_a_run_ended_by_the_stop_of_the_process_is_owed_at_the_next_start() -> None:
    """Exit code 130, or a process that was killed and told nothing."""
    for told in (True, False):
        lab = nightly("2031-06-10 01:59")
        lab.run_to("2031-06-10 02:10")
        if told:
            lab.end(130)
        lab.boot()
        assert [due for due, _ in lab.asked] == ["10 02:00", "10 02:00"]
        lab.end()
        lab.boot()
        lab.run_to("2031-06-11 01:59")
        assert len(lab.asks) == 2


def test_a_small_step_back_over_the_instant_repeats_nothing() -> None:
    """NTP sets the clock back while the run is at work, and after it."""
    for ended_first in (True, False):
        lab = nightly("2031-06-10 01:59")
        lab.run_to("2031-06-10 02:00")
        if ended_first:
            lab.end()
        lab.set_clock("2031-06-10 01:45")
        lab.run_to("2031-06-10 01:58")
        if not ended_first:
            lab.end()
        lab.run_to("2031-06-10 12:00")
        assert len(lab.asks) == 1
        assert lab.log == ["The clock was set back by 900 s."]


def test_a_clock_that_was_days_ahead_loses_no_night() -> None:
    """Its runs stand for nights still to come: they are void when the clock is put right, even one that ends after that."""
    for late in (False, True):
        lab = nightly("2031-06-10 12:00")
        lab.end()
        lab.set_clock("2031-06-13 12:00")
        assert lab.asked[-1] == ("13 02:00", "13 12:00")
        if not late:
            lab.end()
        lab.set_clock("2031-06-10 12:10")
        if late:
            lab.end()
        for day in range(11, 16):
            lab.run_to(f"2031-06-{day} 02:30")
            assert lab.asked[-1] == (f"{day} 02:00", f"{day} 02:00")
            lab.end()
        assert len(lab.asks) == 7


def test_a_run_by_hand_under_a_clock_that_was_ahead_stands_for_nothing() -> None:
    """It began before the instant, not after it: the instant is owed as soon as the clock is right."""
    weekly = ScheduleSettings(cron="0 2 * * mon")
    lab = Lab("2031-06-11 12:00", weekly, RunRecord(frozenset({ns("2031-06-02 02:00")}), ns("2031-06-10 12:00")))
    lab.run_for(60)
    assert lab.asks == []
    lab.set_clock("2031-06-09 03:00")
    assert lab.asked == [("09 02:00", "09 03:00")]


def test_a_clock_that_was_behind_for_a_while_repeats_no_night() -> None:
    """A day back and forward again: what was done stays done. (Until then nobody can know which clock was right.)"""
    lab = nightly("2031-06-10 01:59")
    lab.run_to("2031-06-10 02:00")
    lab.end()
    lab.set_clock("2031-06-09 01:00")
    lab.run_to("2031-06-09 04:00")
    lab.end()
    lab.dues.discard(ns("2031-06-10 02:00"))  # the records alone look as if that run had been made under a wrong clock
    lab.set_clock("2031-06-10 12:00")
    lab.run_to("2031-06-11 02:00")
    assert [due for due, _ in lab.asked].count("10 02:00") == 1
    assert lab.asked[-1] == ("11 02:00", "11 02:00")


def test_a_clock_far_in_the_past_at_start_costs_one_run_at_most() -> None:
    """A board without a battery starts in 1970 until the network tells it the time."""
    for start in ("1970-01-01 01:00:05", "1970-02-01 00:00"):
        lab = nightly(start)
        if lab.asks:
            lab.end()
        lab.set_clock("2031-06-09 12:00")
        lab.run_to("2031-06-10 01:59")
        assert len(lab.asks) <= 2
        lab.run_to("2031-06-10 02:00")
        assert lab.asked[-1] == ("10 02:00", "10 02:00")


def test_a_step_forward_over_the_instant_is_owed_the_run() -> None:
    """Noticed within one pause of the ticker, not when APScheduler wakes."""
    lab = nightly("2031-06-10 01:00")
    lab.set_clock("2031-06-10 02:20")
    assert lab.asked == [("10 02:00", "10 02:20")]


@pytest.mark.parametrize(
    ("start", "instant"), [("2031-03-29 23:00", "2031-03-30 03:00"), ("2031-10-25 23:00", "2031-10-26 02:00")]
)
def test_nights_when_the_clocks_change(start: str, instant: str) -> None:
    """One run, after the gap or in the first pass; a restart in the second pass repeats nothing."""
    lab = Lab(start, record=RunRecord(frozenset({ns(start[:10] + " 02:00")})))
    lab.run_for(3.25 * 3600)
    lab.end()
    lab.run_for(3600)
    lab.boot()
    lab.run_for(5 * 3600)
    assert lab.asked == [(instant[8:], instant[8:])]


@pytest.mark.parametrize("told", ["earlier", "schedule"])
def test_other_settings_while_the_run_is_at_work(told: str) -> None:
    """SIGHUP in the middle of the night's run does not ask for it a second time, whichever of the two hears of its end."""
    lab = nightly("2031-06-10 01:59")
    lab.run_to("2031-06-10 02:30")
    earlier = lab.schedule
    earlier.stop()
    lab.settings = lab.settings._replace(max_minutes=60)
    lab.boot(earlier)
    lab.run_to("2031-06-10 03:00")
    lab.end(heard=earlier if told == "earlier" else lab.schedule)
    lab.run_to("2031-06-11 02:00")
    assert [due for due, _ in lab.asked] == ["10 02:00", "11 02:00"]
    assert lab.log == []


def test_another_time_zone_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who travels west has the night's run at two o'clock there."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    lab = nightly("2031-06-10 12:00")
    lab.end()
    moving = Schedule(ScheduleSettings(), lab._ask, lab.record, lambda: lab.wall, lambda: lab.monotonic, lab._tell)
    moving.tick()
    assert moving.next_ns() == ns("2031-06-11 02:00")
    monkeypatch.setenv("TZ", "America/New_York")
    moving.tick()
    assert moving.next_ns() == ns("2031-06-11 08:00")
    assert lab.log[-1] == "The time zone of this machine is now America/New_York."
    monkeypatch.setenv("TZ", "nowhere at all")  # it cannot be told: the one known so far stays
    moving.tick()
    assert moving.next_ns() == ns("2031-06-11 08:00")


def test_an_outcome_of_another_run_changes_nothing() -> None:
    """Watched changes and people's own runs end all the time."""
    lab = nightly("2031-06-10 01:59")
    lab.run_to("2031-06-10 02:01")
    lab.schedule.ended(Ended(Ask("watch"), 0))
    lab.schedule.ended(Ended(Ask("schedule", due_ns=ns("2031-06-09 02:00")), 0))
    lab.run_to("2031-06-11 02:00")
    assert lab.log == ["The run of 2031-06-11 02:00 is skipped: that of 2031-06-10 02:00 has not ended."]


def test_a_zone_that_is_gone_is_named_with_the_remedy() -> None:
    """The settings were read where it existed."""
    with pytest.raises(ConfigError) as e:
        Schedule(ScheduleSettings(time_zone="Europe/Berln"), print, RunRecord)
    assert "Europe/Berlin" in str(e.value)


def test_a_tick_that_fails_is_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    """The thread goes on, the log has it."""
    ticks, enough = [], Event()

    def tick() -> None:
        ticks.append(1)
        if len(ticks) > 2:
            enough.set()
        raise OSError("no clock")

    alarm = Alarm(print, tick, None, 0.01)
    alarm.start()
    assert enough.wait(60)
    alarm.stop()
    assert "no clock" in caplog.text


def test_switched_off() -> None:
    """It never runs, and says so."""
    lab = Lab("2031-06-10 01:00", record=YESTERDAY)
    off = Schedule(ScheduleSettings(enabled=False), lab._ask, lab.record)
    off.start()
    off.stop()
    assert off.next_ns() is None
    assert str(off.text()) == "never: schedule.enabled is off"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (ScheduleSettings(), "every day at 02:00 (Europe/Berlin)"),
        (ScheduleSettings(every="24h"), "every day at 02:00 (Europe/Berlin)"),
        (ScheduleSettings(every="1w", at="05:30"), "every 7 days at 05:30 (Europe/Berlin)"),
        (ScheduleSettings(every="6h"), "every 6h"),
        (ScheduleSettings(cron="0 2 * * 1-5"), "cron 0 2 * * 1-5 (Europe/Berlin)"),
    ],
)
def test_a_schedule_says_when_it_runs(given: ScheduleSettings, text: str) -> None:
    """In the words of the configuration, with the zone that counts."""
    assert str(Lab("2031-06-10 12:00", given, YESTERDAY).schedule.text()) == text


_STEP = st.one_of(
    st.tuples(st.just("run"), st.floats(60, 40_000)),
    st.tuples(st.just("sleep"), st.floats(1, 200_000)),
    st.tuples(st.just("freeze"), st.floats(1, 50_000)),
    st.tuples(st.just("boot"), st.floats(0, 1)),
    st.tuples(st.just("end"), st.sampled_from([0.0, 0.0, 0.0, 3.0, 5.0])),
    st.tuples(st.just("nudge"), st.floats(-1800, 1800)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_STEP, max_size=25), st.sampled_from([ScheduleSettings(), HOURLY, ScheduleSettings(every="7h")]))
def test_after_any_history_no_instant_is_done_twice_and_none_is_forgotten(
    steps: list[tuple[str, float]], chosen: ScheduleSettings
) -> None:
    """Successful runs stand for rising instants; left alone at the end, the schedule is owed nothing."""
    lab, done = Lab("2031-10-24 12:00", chosen), []
    for what, amount in [*steps, ("end", 0.0), ("run", 60.0), ("end", 0.0)]:
        pending = bool(lab.asks) and lab.schedule._mind.asked == lab.asks[-1][0].due_ns
        if what == "end" and pending:
            lab.end(int(amount))
            done += [lab.asks[-1][0].due_ns] if amount in (0.0, 3.0) else []
        elif what == "nudge":
            lab.wall += int(amount * 1e9)
            lab.schedule.tick()
        elif what == "boot":
            lab.boot()
        elif what != "end":
            {"run": lambda s: lab.run_for(min(s, 2000)), "sleep": lab.sleep, "freeze": lab.freeze}[what](amount)
    assert all(a < b for a, b in pairwise(done)), [shown(d) for d in done]
    assert lab.schedule._owed(lab.wall) in (0, lab.schedule._mind.failed.due)
