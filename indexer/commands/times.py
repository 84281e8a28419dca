"""Points in time as people write them."""

from __future__ import annotations

import time

from ..core.model import Message


def local(ns: int | None) -> str:
    """Local time to the second with its offset, "" for None."""
    if ns is None:
        return ""
    return time.strftime("%Y-%m-%d %H:%M:%S%z", time.localtime(ns // 10**9))


def ago(seconds: float) -> Message:
    """How long ago, in the largest unit of which there are two."""
    if seconds < 0:
        return Message("in the future: check the clock")
    if seconds < 120:
        return Message("{n} s ago", {"n": round(seconds)})
    if seconds < 2 * 3600:
        return Message("{n} min ago", {"n": round(seconds / 60)})
    if seconds < 2 * 86_400:
        return Message("{n} h ago", {"n": round(seconds / 3600)})
    return Message("{n} days ago", {"n": round(seconds / 86_400)})
