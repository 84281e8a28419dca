"""docs/monitoring.md says what a real scrape shows: every metric, its type, its labels, its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
import yaml
from monitored import ROOT
from prometheus_client.parser import text_string_to_metric_families

from indexer.metrics import Metrics, table
from indexer.monitoring import HERE

PAGE = (ROOT / "docs" / "monitoring.md").read_text("utf-8")


class Shown(NamedTuple):
    """A metric as it is told to people or to Prometheus."""

    name: str
    kind: str
    labels: frozenset[str]
    help: str


def documented() -> dict[str, Shown]:
    """The rows of the two tables."""
    rows = re.findall(r"(?m)^\| `(indexer_\w+)` \| (\w+) \| ([^|]*)\| (.*) \|$", PAGE)
    return {n: Shown(n, kind, frozenset(re.findall(r"`(\w+)`", labels)), help_) for n, kind, labels, help_ in rows}


def scraped(metrics: Metrics) -> Iterator[Shown]:
    """The families of a scrape; a counter under the name it is queried by."""
    for family in text_string_to_metric_families(metrics.scrape()[0].decode()):
        labels = frozenset(label for s in family.samples for label in s.labels) - {"le"}
        name = family.name + "_total" if family.type == "counter" else family.name
        yield Shown(name, family.type, labels, family.documentation)


def test_the_page_is_the_scrape(everything: Metrics) -> None:
    """Nothing more, nothing less, word for word."""
    found = {s.name: s for s in scraped(everything) if not s.name.startswith("process_")}
    assert documented() == found


def test_the_table_of_the_code_is_the_scrape(everything: Metrics) -> None:
    """No metric is declared that never comes."""
    assert {m.name for m in table.ALL} == {s.name for s in scraped(everything) if s.name.startswith("indexer_")}


@pytest.mark.parametrize("metric", table.ALL, ids=lambda m: m.name)
def test_names_follow_the_conventions(metric: table.Metric) -> None:
    """Prefix, base unit last, `_total` for counters only, a sentence as help."""
    assert re.fullmatch(r"indexer_[a-z]+(_[a-z]+)*", metric.name)
    assert (metric.kind == "counter") == metric.name.endswith("_total")
    assert not re.search(r"_(ms|ns|kb|mb|minutes|percent)(_|$)", metric.name)
    if "timestamp" in metric.name or metric.kind == "histogram":
        assert metric.name.endswith("_seconds")
    assert metric.help.endswith(".")


def test_the_page_names_every_alert() -> None:
    """With its severity, in the order of the file."""
    groups = yaml.safe_load((HERE / "alerts.yml").read_text("utf-8"))["groups"]
    rules = [(r["alert"], r["labels"]["severity"]) for g in groups for r in g["rules"]]
    assert re.findall(r"(?m)^\| `(Indexer\w+)` \| (\w+) \|", PAGE) == rules
