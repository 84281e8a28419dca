"""One scrape: everything known, in the words of Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.exposition import choose_encoder

from ..settings import Settings
from ..store.local import Layout
from . import files, table
from .live import Live, SpreadSample
from .patience import Patient
from .reading import Readings
from .table import Metric, Sample
from .web import Tally

PATIENCE = 2.0
"""Seconds a scrape waits for the disk; Prometheus gives up after 10."""


class Metrics:
    """All metrics of one daemon; call it with what happens, ask it for a scrape."""

    def __init__(
        self, settings: Settings, version: str, *, now_ns: Callable[[], int] = time.time_ns, patience: float = PATIENCE
    ) -> None:
        self._live = Live(version, now_ns())
        self._patience = patience
        self._readings: Readings | None = None
        self.web: Tally | None = None
        """What the web service counts, where there is one."""
        self.configure(settings)
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def configure(self, settings: Settings) -> None:
        """Take other settings; what was counted stays unless the folders are others."""
        layout, self._settings = Layout(Path(settings.metadata), Path(settings.vectorstore)), settings
        if self._readings is None or self._readings.layout != layout:
            readings = self._readings = Readings(layout)
            self._stored = Patient(lambda: readings.take() + files.room(self._settings), self._patience)
        self._stored.begin()  # a long history of runs is added up before the first scrape wants it

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Listen: "begin", "end" and "queue" of the service, "watch" and "schedule" of the triggers."""
        self._live.heard(kind, facts)
        if kind == "end":  # also without anybody who scrapes: a catalog that was replaced and removed is let go
            self._stored.begin()

    def scrape(self, accept: str = "") -> tuple[bytes, str]:
        """(body, content type): OpenMetrics or plain text, by what the Accept header asks for."""
        try:
            encode, content_type = choose_encoder(accept)
        except (TypeError, ValueError):  # a version that is no number
            encode, content_type = choose_encoder("")
        return encode(self._registry), content_type

    def collect(self) -> Iterator[Family]:
        """What prometheus_client asks its collectors for."""
        stored = self._stored.ask()
        samples = [Sample(table.READABLE, 0)] if stored is None else stored
        web = self.web
        asked = web.samples() if web is not None else []
        yield from _plain([*samples, *self._live.samples(self._settings.watch), *asked])
        yield from _histograms([*self._live.spreads(), *(web.spreads() if web is not None else [])])


def _plain(samples: Iterable[Sample]) -> Iterator[Family]:
    by_metric: dict[Metric, list[Sample]] = {}
    for sample in samples:
        by_metric.setdefault(sample.metric, []).append(sample)
    for metric, own in by_metric.items():
        kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
        family = kind(metric.name, metric.help, labels=metric.labels)
        for sample in own:
            family.add_metric(sample.labels, sample.value)
        yield family


def _histograms(spreads: Iterable[SpreadSample]) -> Iterator[Family]:
    families: dict[Metric, HistogramMetricFamily] = {}
    for spread in spreads:
        metric, total, buckets = spread.metric, 0, []
        for bound, count in zip((*spread.bounds, float("inf")), spread.counts, strict=True):
            total += count
            buckets.append(("+Inf" if bound == float("inf") else str(float(bound)), total))
        if metric not in families:
            families[metric] = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
        families[metric].add_metric(spread.labels, buckets, spread.sum)
    yield from families.values()
