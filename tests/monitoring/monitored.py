"""What the tests of metrics and alerts share: documents, events, and reading a scrape."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from indexer.core.model import Ask, Message
from indexer.metrics import Metrics
from indexer.report import Outcome, Report

ROOT = Path(__file__).resolve().parents[2]
SECOND = 10**9
CONFIG = """
[embedding]
model = "python:indexer.embed.hashing:HashEmbedder"
"""
DAEMON = """{config}
[metrics]
listen = "127.0.0.1:{port}"
[watch]
enabled = true
[serve]
enabled = true
listen = "127.0.0.1:{web}"
[[followers]]
name = "{follower}"
kind = "webhook"
url = "{url}"
probe_seconds = 1
probe_down_seconds = 1
"""
"""A daemon with all that is measured: watch mode, the web service, a follower."""

Labels = tuple[tuple[str, str], ...]


def put(home: Path, name: str, text: str | bytes, age: float = 100) -> Path:
    """Write a document that is ``age`` seconds old."""
    file = home / "knowledge_base" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    at = time.time() - age
    os.utime(file, (at, at))
    return file


def outcome(
    *, trigger: str = "watch", seconds: float = 1.0, lags: tuple[float, ...] = (), failed: bool = False
) -> Outcome:
    """A run that ended 1,000 s after the epoch; ``lags``: how long before that each event came."""
    ended = 1000 * SECOND
    since = tuple(ended - int(lag * SECOND) for lag in lags)
    report, error = (None, Message("no")) if failed else (Report(), None)
    started = ended - int(seconds * SECOND)
    return Outcome(Ask(trigger), started, ended, 7, 1 if failed else 0, report, error, 1, 2, since)


def told(metrics: Metrics, now_ns: int) -> None:
    """Everything a daemon can tell: afterwards no metric is absent."""
    metrics("end", {"outcome": outcome(lags=(0.4,))})
    metrics("begin", {"ask": Ask("schedule"), "at_ns": now_ns})
    metrics("queue", {"waiting": 2})
    metrics("schedule", {"next_ns": now_ns + 3600 * SECOND})
    status = {"source": "knowledge_base", "how": "events", "why": "", "folders": 4, "probe_ns": now_ns}
    metrics("watch", {"status": [status]})
    follower = {
        "name": "graph", "state": "well", "behind": 2, "behind_since_ns": now_ns, "ok_ns": now_ns,
        "documents": {"there": 9, "failed": 1, "refused": 0},
    }  # fmt: skip
    metrics("followers", {"status": [follower]})


def values(metrics: Metrics | bytes) -> dict[tuple[str, Labels], float]:
    """(sample name, sorted labels) to value of one scrape."""
    body = metrics if isinstance(metrics, bytes) else metrics.scrape()[0]
    families = text_string_to_metric_families(body.decode())
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for f in families for s in f.samples}


def value(metrics: Metrics | bytes, name: str, **labels: str) -> float | None:
    """One value, None where it is absent."""
    return values(metrics).get((name, tuple(sorted(labels.items()))))


_WORD = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_NOT_METRICS = re.compile(
    r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)'
)
_KEYWORDS = {"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left", "group_right"}


def names_in(expression: str) -> set[str]:
    """The metrics a PromQL expression names: words that are no function, label, matcher, range or keyword."""
    bare = _NOT_METRICS.sub(" ", expression)
    words = [m for m in _WORD.finditer(bare) if not bare[m.end() :].lstrip().startswith("(")]
    return {m[0] for m in words if m[0] not in _KEYWORDS and not bare[: m.start()].endswith(tuple("0123456789."))}
