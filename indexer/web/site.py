"""What the web service stands on: one knowledge base, the queue of its service, keys, events."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..api import KnowledgeBase
from ..core.errors import Busy, UsageError
from ..core.model import Ask, Hit, Message
from ..i18n import language
from ..metrics.web import Tally
from .hub import Hub
from .keys import Keys
from .limits import Crowd, Rate
from .requests import Requests

if TYPE_CHECKING:
    from ..asks import Merged
    from ..logs import Log
    from ..store.catalog import Catalog

READERS = 4
"""Searches at work at once, each with a reader of its own over the same mapped files."""

_PATIENCE = 30.0
"""Seconds a search waits for its turn."""


class Shared(KnowledgeBase):
    """The knowledge base of every request: its searches run side by side, each with a reader of its own."""

    def __init__(self, kb: KnowledgeBase, site: Site) -> None:
        super().__init__(kb.settings, warn=kb.warn)
        self.share(kb)
        self._site = site

    def search(self, *args: Any, **options: Any) -> list[Hit]:
        """As :meth:`indexer.api.KnowledgeBase.search`."""
        with self._site.reading() as kb:
            return kb.search(*args, **options)


class Site:
    """Shared by every request; ``use`` takes another configuration over without a new start.

    ``ask`` is the service's queue. ``log``: where what went wrong is written down. ``scrape(accept)``:
    the daemon's metrics.
    """

    def __init__(
        self, kb: KnowledgeBase, ask: Callable[[Ask], Merged], *, lang: str = "", log: Log | None = None,
        scrape: Callable[[str], tuple[bytes, str]] | None = None, now_ns: Callable[[], int] = time.time_ns,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.ask, self.log, self.scrape, self.now_ns, self.clock = ask, log, scrape, now_ns, clock
        self.keys = Keys(kb.settings.metadata)
        self.events, self.requests, self.tally = Hub(now_ns), Requests(), Tally()
        self.rate, self.crowd, self.streams = Rate(clock), Crowd(), Crowd()
        self.ended: dict[str, float] = {}
        """Sessions that were logged out of, with the time they would have ended at."""
        self._lang = lang
        self._readers: queue.LifoQueue[KnowledgeBase] = queue.LifoQueue()
        self.use(kb)

    def use(self, kb: KnowledgeBase) -> None:
        """Answer from this knowledge base from the next request on."""
        self.settings = kb.settings
        self.kb = Shared(kb, self)
        self.suffixes = frozenset(kb.parser().suffixes())
        self.lang = language(self._lang or kb.settings.language)
        before, self._readers = self._readers, queue.LifoQueue()
        for _ in range(READERS):
            self._readers.put(kb.twin())
        _let_go(before)

    # ---- reading ---------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[KnowledgeBase]:
        """A knowledge base that nobody else uses meanwhile: searches run side by side."""
        readers = self._readers
        try:
            kb = readers.get(timeout=_PATIENCE)
        except queue.Empty:
            raise Busy("Too many searches at once. Try again later.") from None
        try:
            yield kb
        finally:
            readers.put(kb)

    @contextmanager
    def catalog(self) -> Iterator[Catalog]:
        """The served catalog in one read transaction; raises UsageError when nothing is indexed yet."""
        catalog = self.kb.catalog()
        if catalog is None:
            raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
        try:
            with catalog.db.read():
                yield catalog
        finally:
            catalog.close()

    # ---- saying ----------------------------------------------------------------------

    def event(self, name: str, level: str, message: Message, **facts: Any) -> None:
        """A line for the log."""
        if self.log is not None:
            self.log.event(name, level, message, **facts)

    def failed(self, name: str, message: Message, error: BaseException, **facts: Any) -> None:
        """An internal error for the log, with its traceback."""
        if self.log is not None:
            self.log.failed(name, message, error, **facts)

    def close(self) -> None:
        """End the streams and let go of the readers; searches at work keep theirs until they end."""
        self.events.close()
        _let_go(self._readers)


def _let_go(readers: queue.LifoQueue[KnowledgeBase]) -> None:
    """Close the readers that nobody uses."""
    while True:
        try:
            readers.get_nowait().close()
        except queue.Empty:
            return
