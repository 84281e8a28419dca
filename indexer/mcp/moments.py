"""Points in time as JSON has them."""

from __future__ import annotations

from datetime import datetime


def iso(ns: int | None) -> str | None:
    """ISO form with the offset of this machine; None for none."""
    return datetime.fromtimestamp(ns / 1e9).astimezone().isoformat(timespec="seconds") if ns else None
