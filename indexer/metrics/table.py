"""Every metric there is: its name, type, labels and meaning.

docs/monitoring.md shows this table, and a test holds both against a real scrape. Names follow
the Prometheus conventions: base units, ``_total`` for what only grows, points in time as Unix
seconds (an age is ``time() - x``, right also while nothing is scraped).
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Metric(NamedTuple):
    """``name`` as it is queried, ``help`` as it is shown."""

    name: str
    kind: Literal["gauge", "counter", "histogram"]
    help: str
    labels: tuple[str, ...] = ()


class Sample(NamedTuple):
    """One value; ``labels`` in the order of the metric's."""

    metric: Metric
    value: float
    labels: tuple[str, ...] = ()


# ---- read from the catalog and the disk at each scrape ----------------------------------

READABLE = Metric("indexer_catalog_readable", "gauge", "1 when this scrape could read the catalog, else 0.")
DOCUMENTS = Metric("indexer_documents", "gauge", "Documents by state.", ("state",))
HELD = Metric("indexer_deletions_held", "gauge", "Documents whose deletion waits for a confirmation.")
PINNED = Metric("indexer_documents_pinned", "gauge", "Documents pinned by a rollback.")
PASSAGES = Metric(
    "indexer_passages", "gauge", "Passages with a vector: live ones can be found, dead ones belong to the past.", ("state",)
)  # fmt: skip
SEGMENTS = Metric("indexer_segments", "gauge", "Segments of the index.")
COMMIT = Metric("indexer_commit", "gauge", "Number of the newest commit.")
COMMIT_TIME = Metric("indexer_commit_timestamp_seconds", "gauge", "When the newest commit was made.")
RUNS = Metric("indexer_runs_total", "counter", "Runs on record, of every process.", ("trigger", "exit_code"))
RUN_SECONDS = Metric("indexer_runs_seconds_total", "counter", "Time that these runs took.", ("trigger", "exit_code"))
EMBEDDED = Metric("indexer_passages_embedded_total", "counter", "Passages whose vectors a model made.")
REUSED = Metric("indexer_passages_reused_total", "counter", "Passages that had a vector already.")
CHANGES = Metric("indexer_changes_total", "counter", "Changed documents taken into the index.", ("change",))
LAST_RUN = Metric("indexer_last_run_timestamp_seconds", "gauge", "When the newest run ended.")
LAST_CODE = Metric("indexer_last_run_exit_code", "gauge", "Exit code of the newest run.")
LAST_SECONDS = Metric("indexer_last_run_duration_seconds", "gauge", "Time that the newest run took.")
LAST_SUCCESS = Metric(
    "indexer_last_success_timestamp_seconds", "gauge", "When the newest run ended that looked at everything and left nothing undone (exit code 0 or 3)."
)  # fmt: skip
SNAPSHOTS = Metric("indexer_snapshots", "gauge", "Snapshots of the served index.")
SNAPSHOT_TIME = Metric("indexer_snapshot_timestamp_seconds", "gauge", "When the newest snapshot was taken.")
INDEX_BYTES = Metric("indexer_index_size_bytes", "gauge", "Size of the vectors, the texts and the catalog.", ("part",))
DISK_FREE = Metric("indexer_disk_free_bytes", "gauge", "Room left on the disk of a folder.", ("folder",))
DISK_SIZE = Metric("indexer_disk_size_bytes", "gauge", "Size of the disk of a folder.", ("folder",))
DISK_RESERVE = Metric(
    "indexer_disk_reserve_bytes", "gauge", "Room that updates leave free: they stop before (min_free_mb)."
)

# ---- kept by the daemon ------------------------------------------------------------------

BUILD = Metric("indexer_build_info", "gauge", "Always 1; the version is in the labels.", ("version", "python"))
START = Metric("indexer_start_timestamp_seconds", "gauge", "When the daemon was started.")
LAG = Metric(
    "indexer_searchable_lag_seconds", "histogram", "Time from the first event of a change until searches find it."
)  # fmt: skip
DURATION = Metric("indexer_run_duration_seconds", "histogram", "Time that a run of the daemon took.", ("trigger",))
QUEUE = Metric("indexer_queue_length", "gauge", "Requests that wait for the running update to end.")
RUNNING = Metric("indexer_running", "gauge", "Runs of the daemon at work now.")
RUN_STARTED = Metric(
    "indexer_run_started_timestamp_seconds", "gauge", "When the run at work was started; absent when there is none."
)  # fmt: skip
NEXT_RUN = Metric(
    "indexer_next_run_timestamp_seconds", "gauge", "When the schedule starts the next run; absent without one."
)
WATCH_EVENTS = Metric(
    "indexer_watch_events", "gauge", "1 when a source is watched by events, 0 when by polling.", ("source",)
)  # fmt: skip
WATCH_FALLBACK = Metric(
    "indexer_watch_fallback", "gauge", "1 when a source is polled though watch.mode does not say so.", ("source",)
)  # fmt: skip
WATCH_FOLDERS = Metric("indexer_watch_folders", "gauge", "Folders watched in a source.", ("source",))
PROBE = Metric(
    "indexer_watch_probe_timestamp_seconds", "gauge", "When a probe file last proved that events arrive.", ("source",)
)  # fmt: skip
PROBE_EVERY = Metric("indexer_watch_probe_interval_seconds", "gauge", "Time between two probes (watch.probe_minutes).")

FOLLOWER_UP = Metric(
    "indexer_follower_up", "gauge", "1 when a follower answered the last time, 0 when it did not or refused us.", ("follower",)
)  # fmt: skip
FOLLOWER_PAUSED = Metric("indexer_follower_paused", "gauge", "1 when a follower is paused.", ("follower",))
FOLLOWER_MISCONFIGURED = Metric(
    "indexer_follower_misconfigured", "gauge", "1 when a follower needs a person: a wrong key or address.", ("follower",)
)  # fmt: skip
FOLLOWER_BEHIND = Metric(
    "indexer_follower_behind_documents", "gauge", "Documents that may differ at a follower from what searches find.", ("follower",)
)  # fmt: skip
FOLLOWER_SINCE = Metric(
    "indexer_follower_behind_timestamp_seconds", "gauge", "Since when a follower is behind; absent when it is in step.", ("follower",)
)  # fmt: skip
FOLLOWER_DOCUMENTS = Metric(
    "indexer_follower_documents", "gauge", "Documents of a follower by what became of them.", ("follower", "state")
)
FOLLOWER_OK = Metric(
    "indexer_follower_answered_timestamp_seconds", "gauge", "When a follower was last found well.", ("follower",)
)

REQUESTS = Metric(
    "indexer_web_requests_total", "counter", "Requests that the web service answered.", ("method", "route", "status")
)  # fmt: skip
REQUEST_SECONDS = Metric(
    "indexer_web_request_duration_seconds", "histogram", "Time until the answer to a request was complete.", ("route",)
)  # fmt: skip

ALL = tuple(m for m in globals().copy().values() if isinstance(m, Metric))
