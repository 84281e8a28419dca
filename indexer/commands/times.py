"""Points in time as people write them."""

from __future__ import annotations

import time


def local(ns: int | None) -> str:
    """Local time to the second with its offset, "" for None."""
    if ns is None:
        return ""
    return time.strftime("%Y-%m-%d %H:%M:%S%z", time.localtime(ns // 10**9))
