"""A follower ready to work: its target by kind, with what the target needs of the knowledge base."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..care import handmade
from ..core.errors import FileProblem, UsageError
from ..core.following import FollowerSettings
from ..core.model import Message
from ..sources import folder
from .feed import Feed
from .follower import Follower
from .ledger import Ledger
from .model import Document, Target

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..settings import Settings


def open_follower(kb: KnowledgeBase, settings: FollowerSettings, feed: Feed, ledger: Ledger) -> Follower:
    """The follower with these settings; no connection is made yet. Raises Misconfigured."""
    sources = [s.name for s in kb.settings.sources]  # and documents added in Python, which lie in no folder
    return Follower(settings, target_of(kb, settings, feed), feed, ledger, [*sources, handmade.SOURCE])


@contextmanager
def opened(kb: KnowledgeBase, settings: FollowerSettings, damaged: Callable[[Message], None]) -> Iterator[Follower]:
    """A follower and all that it needs, let go of afterwards; ``damaged`` is told when its ledger had to be put aside."""
    with closing(Feed(kb.settings)) as feed, closing(Ledger(Path(kb.settings.metadata), damaged)) as ledger:
        follower = open_follower(kb, settings, feed, ledger)
        with closing(follower.target):
            yield follower


def target_of(kb: KnowledgeBase, settings: FollowerSettings, feed: Feed) -> Target:
    """The other side."""
    if settings.kind == "lightrag":
        from .lightrag import LightRag

        return LightRag(settings, file_of(kb.settings))
    if settings.kind == "webhook":
        from .webhook import Webhook

        return Webhook(settings)
    from .vectors import VectorTarget, copying

    return VectorTarget(settings, lambda: copying(feed.vectors, kb.twin().embeddings()))


def file_of(settings: Settings) -> Callable[[Document], bytes | None]:
    """Reads the file of a document; None when it is gone or another version by now."""
    sources = {s.name: s for s in settings.sources}

    def read(document: Document) -> bytes | None:
        source = sources.get(document.key.source)
        if source is None:
            return None
        try:
            found = folder.read(source, document.key.path, settings.limits.file_mb, time.time_ns)
        except (FileProblem, OSError):
            return None
        return found.data if found.sha256.hex() == document.sha256 else None

    return read


def named(settings: Settings, name: str) -> FollowerSettings:
    """The follower with this name; raises UsageError."""
    for follower in settings.followers:
        if follower.name == name:
            return follower
    known = ", ".join(f.name for f in settings.followers)
    if not known:
        raise UsageError("No follower is configured. Add [[followers]] to indexer.toml; docs/followers.md shows how.")
    raise UsageError("There is no follower {name}; there is {known}.", name=name, known=known)
