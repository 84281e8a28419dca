"""What the API tells, read from the catalog: plain values with the names of the JSON."""

from __future__ import annotations

import time

from ...core.model import display


def when(ns: object) -> str | None:
    """A point in time in ISO form with its offset; None for none."""
    if not isinstance(ns, int) or ns <= 0:
        return None
    seconds, rest = divmod(ns, 10**9)
    at = time.localtime(seconds)
    offset = time.strftime("%z", at)
    return (
        time.strftime("%Y-%m-%dT%H:%M:%S", at)
        + f".{rest // 10**6:03}"
        + (f"{offset[:3]}:{offset[3:]}" if offset else "Z")
    )


def plain(text: str) -> str:
    """Text that JSON can hold: half a character (a lone surrogate) is shown as such."""
    return text.encode("utf-8", "backslashreplace").decode()


__all__ = ["display", "plain", "when"]
