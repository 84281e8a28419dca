"""The web service as a part of the daemon: begun, told what happens, given another configuration, closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..embed import pool
from .admission import check
from .site import Site

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..asks import Merged
    from ..core.model import Ask
    from ..logs import Log
    from ..metrics import Metrics
    from .server import Served


class WebPart:
    """``lang``: the language of what people read where they do not say which."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._site: Site | None = None
        self._served: Served | None = None
        self._listen = ""

    def start(self, kb: KnowledgeBase, ask: Callable[[Ask], Merged], log: Log, metrics: Metrics | None) -> None:
        """Serve this knowledge base, or go on serving with its configuration; raises ConfigError."""
        from .server import serve

        settings = kb.settings.serve
        if self._served is not None and self._listen != settings.listen:
            self.close()
        if self._site is None:
            self._site = Site(kb, ask, lang=self._lang)
        else:
            self._site.use(kb)
        self._site.log = log
        self._site.scrape = metrics.scrape if metrics is not None else None
        if metrics is not None:
            metrics.web = self._site.tally
        check(settings, self._site.keys)
        pool.polite = True  # searches go before the embedding of an update
        if self._served is None:
            self._served, self._listen = serve(self._site), settings.listen

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Pass on what happens in the service."""
        if self._site is not None:
            self._site.events(kind, facts)

    @property
    def address(self) -> str:
        """``http://127.0.0.1:8765``; "" while nothing is served."""
        return self._served.address if self._served is not None else ""

    def close(self) -> None:
        """Stop serving; whoever listens to events is told nothing more."""
        served, self._served, self._site = self._served, None, None
        if served is not None:
            served.close()
