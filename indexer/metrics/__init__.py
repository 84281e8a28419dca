"""Prometheus metrics of the daemon, served on ``/metrics``.

    metrics = Metrics(settings, __version__)    # a listener of the service and the triggers
    served = serve("127.0.0.1:9464", metrics, tell)
    served.close()

Half of them are read from the catalog when they are asked for, so they survive a restart and
count the runs of every process; the other half is what the daemon heard. Importing this package
imports prometheus_client: only the daemon does, and only where ``metrics.listen`` is set.
"""

from __future__ import annotations

from .exposing import Metrics
from .serving import Served, serve

__all__ = ["Metrics", "Served", "serve"]
