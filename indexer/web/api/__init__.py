"""One module per resource; each has ``router(site)``. What they tell comes from :mod:`indexer.web.facts`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import documents, health, search, status

ROUTERS: tuple[Callable[[Any], Any], ...] = tuple(module.router for module in (search, documents, status, health))
"""In the order of the OpenAPI document."""
