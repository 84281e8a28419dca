"""Metrics of what the daemon hears: lag, runs at work, the queue, the schedule, the watch."""

from __future__ import annotations

import pytest
from monitored import SECOND, outcome, value, values

from indexer.api import KnowledgeBase
from indexer.core.model import Ask
from indexer.core.tables import WatchSettings
from indexer.metrics import Metrics


def bucket(metrics: Metrics, bound: str) -> float | None:
    """How many changes were found within so many seconds."""
    return value(metrics, "indexer_searchable_lag_seconds_bucket", le=bound)


def test_a_new_daemon_has_heard_nothing(metrics: Metrics) -> None:
    """Counts are zero from the start, so that the first event is a rise; what is unknown is absent."""
    assert value(metrics, "indexer_searchable_lag_seconds_count") == 0
    assert value(metrics, "indexer_queue_length") == 0
    assert value(metrics, "indexer_running") == 0
    found = {name for name, _ in values(metrics)}
    assert not found & {"indexer_next_run_timestamp_seconds", "indexer_run_started_timestamp_seconds"}
    assert not [name for name in found if name.startswith("indexer_watch")]


def test_the_build_is_named(metrics: Metrics) -> None:
    """Version and Python in labels of a 1."""
    [labels] = [dict(labels) for name, labels in values(metrics) if name == "indexer_build_info"]
    assert labels["version"] == "1.2.3"
    assert labels["python"].startswith("3.")


def test_lag_of_every_request_a_run_served(metrics: Metrics) -> None:
    """Each falls into its buckets; the bound belongs to the bucket below it."""
    metrics("end", {"outcome": outcome(lags=(0.4, 2.5, 31.0))})
    metrics("end", {"outcome": outcome(lags=())})
    assert value(metrics, "indexer_searchable_lag_seconds_count") == 3
    assert value(metrics, "indexer_searchable_lag_seconds_sum") == pytest.approx(33.9)
    assert [bucket(metrics, b) for b in ("0.25", "0.5", "2.0", "2.5", "30.0", "45.0", "+Inf")] == [0, 1, 1, 2, 2, 3, 3]


def test_what_failed_is_not_searchable(metrics: Metrics) -> None:
    """A run that could not go on adds to the runs, not to the lag."""
    metrics("end", {"outcome": outcome(lags=(5.0,), failed=True)})
    assert value(metrics, "indexer_searchable_lag_seconds_count") == 0
    assert value(metrics, "indexer_run_duration_seconds_count", trigger="watch") == 1


def test_a_clock_that_was_set_back_makes_no_negative_lag(metrics: Metrics) -> None:
    """A negative value would make the sum fall, which a counter never does."""
    metrics("end", {"outcome": outcome(lags=(-5.0,), seconds=-3.0)})
    assert value(metrics, "indexer_searchable_lag_seconds_sum") == 0
    assert value(metrics, "indexer_run_duration_seconds_sum", trigger="watch") == 0


def test_durations_by_trigger_of_which_there_are_few(metrics: Metrics) -> None:
    """A trigger nobody knows is "other": labels must not grow with what programs call themselves."""
    for trigger in ("schedule", "schedule", "look", "mine", "yours"):
        metrics("end", {"outcome": outcome(trigger=trigger, seconds=20)})
    counts = {dict(labels)["trigger"]: n for (name, labels), n in values(metrics).items() if name.endswith("n_seconds_count")}  # fmt: skip
    assert counts == {"schedule": 2, "look": 1, "other": 2}


def test_runs_at_work(metrics: Metrics) -> None:
    """Two while an urgent one passes another; the start is that of the first."""
    metrics("begin", {"ask": Ask("schedule"), "at_ns": 100 * SECOND})
    assert value(metrics, "indexer_running") == 1
    metrics("begin", {"ask": Ask("watch", urgent=True), "at_ns": 200 * SECOND})
    assert value(metrics, "indexer_running") == 2
    assert value(metrics, "indexer_run_started_timestamp_seconds") == 100
    metrics("end", {"outcome": outcome()})
    assert value(metrics, "indexer_running") == 1
    assert value(metrics, "indexer_run_started_timestamp_seconds") == 100
    metrics("end", {"outcome": outcome(trigger="schedule")})
    assert value(metrics, "indexer_running") == 0
    assert value(metrics, "indexer_run_started_timestamp_seconds") is None


def test_the_queue_and_the_schedule(metrics: Metrics) -> None:
    """The last word counts; no next run is absent, not 1970."""
    metrics("queue", {"waiting": 3})
    metrics("schedule", {"next_ns": 5000 * SECOND})
    assert value(metrics, "indexer_queue_length") == 3
    assert value(metrics, "indexer_next_run_timestamp_seconds") == 5000
    metrics("queue", {"waiting": 0})
    metrics("schedule", {"next_ns": 0})
    assert value(metrics, "indexer_queue_length") == 0
    assert value(metrics, "indexer_next_run_timestamp_seconds") is None


def test_how_each_source_is_watched(metrics: Metrics) -> None:
    """Events or polling, folders, the last proof; a source that is gone is gone here too."""
    one = {"source": "one", "how": "events", "why": "", "folders": 7, "probe_ns": 50 * SECOND}
    two = {"source": "two", "how": "polling", "why": "a network folder", "folders": 0, "probe_ns": 0}
    metrics("watch", {"status": [one, two]})
    assert value(metrics, "indexer_watch_events", source="one") == 1
    assert value(metrics, "indexer_watch_events", source="two") == 0
    assert value(metrics, "indexer_watch_fallback", source="one") == 0
    assert value(metrics, "indexer_watch_fallback", source="two") == 1
    assert value(metrics, "indexer_watch_folders", source="one") == 7
    assert value(metrics, "indexer_watch_probe_timestamp_seconds", source="one") == 50
    assert value(metrics, "indexer_watch_probe_timestamp_seconds", source="two") is None
    assert value(metrics, "indexer_watch_probe_interval_seconds") == 3600
    metrics("watch", {"status": [one]})
    assert value(metrics, "indexer_watch_events", source="two") is None


def test_polling_that_was_asked_for_is_no_fallback(kb: KnowledgeBase, metrics: Metrics) -> None:
    """Nor has a probe that is off an interval."""
    metrics.configure(kb.settings._replace(watch=WatchSettings(mode="polling", probe_minutes=0)))
    metrics("watch", {"status": [{"source": "one", "how": "polling"}]})
    assert value(metrics, "indexer_watch_fallback", source="one") == 0
    assert value(metrics, "indexer_watch_probe_interval_seconds") is None


def test_a_source_may_have_any_name(metrics: Metrics) -> None:
    """Chinese, quotes, and bytes that are no UTF-8 do not break the scrape."""
    names = ["手册", 'a "b"', "line\nfeed", "caf\udce9"]
    metrics("watch", {"status": [{"source": name, "how": "events"} for name in names]})
    shown = [dict(labels)["source"] for name, labels in values(metrics) if name == "indexer_watch_events"]
    assert shown == ["手册", 'a "b"', "line\\nfeed", "caf\\xe9"]


def test_what_others_are_told_means_nothing_here(metrics: Metrics) -> None:
    """Kinds that are new to it, and a commit, are passed over."""
    before = {name for name, _ in values(metrics)}
    metrics("commit", {"commit": 3, "documents": 4})
    metrics("something new", {})
    assert {name for name, _ in values(metrics)} == before
