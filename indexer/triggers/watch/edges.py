"""What all watched sources share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...core.tables import WatchSettings
from .hear import Hear, Watcher
from .inbox import Inbox
from .mounts import MountTable
from .relevance import Relevance

Tell = Callable[[str, Mapping[str, Any]], None]
Make = Callable[[bytes, Relevance, Hear], Watcher]
"""Makes a watcher of a root; raises OSError or ImportError where the system has none to give."""


class Edges(NamedTuple):
    """Settings, where dirty paths go, the clocks, who listens, how a watcher is made, what is mounted."""

    settings: WatchSettings
    inbox: Inbox
    clock: Callable[[], float]
    now_ns: Callable[[], int]
    tell: Tell
    make: Make
    mounts: MountTable


def make(root: bytes, relevance: Relevance, hear: Hear) -> Watcher:
    """This platform's watcher."""
    if sys.platform == "linux":
        from .inotify import Tree

        return Tree(root, relevance, hear)
    from .observer import Observed

    return Observed(root, relevance, hear)
