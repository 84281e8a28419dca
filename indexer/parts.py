"""The daemon's parts around the worker: log, metrics, notifications, systemd, and the two triggers.

Each is built from the settings, rebuilt when they change, and closed in order. Which of them are
needed is decided here; what they do, each knows itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import __version__
from .core.model import Ask, Message
from .i18n import translate
from .logs import RunLog, mask_of, setup
from .report import Outcome
from .systemd import Notify
from .triggers.jumps import asleep

if TYPE_CHECKING:
    from .api import KnowledgeBase
    from .asks import Merged
    from .care.runs import RunRecord
    from .followers.part import Followers
    from .metrics import Metrics, Served
    from .notify import Notifier
    from .service import Listener
    from .settings import Settings
    from .triggers.schedule import Schedule
    from .triggers.watch import Watch
    from .web.part import WebPart


class Times(NamedTuple):
    """The daemon's clocks: ``now_ns`` is the wall time; the others are the schedule's, see there."""

    now_ns: Callable[[], int] = time.time_ns
    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], Any] | None = None
    asleep: Callable[[], float] = asleep


_LETTERS_SECONDS = 2.0
"""At the end messages that wait have this long; what is not sent by then is sent at the next start."""


class Parts:
    """``lang``: the language of what people read. Nothing here may stop a run."""

    schedule: Schedule
    watch: Watch | None = None

    def __init__(self, settings: Settings, lang: str, times: Times = Times()) -> None:  # noqa: B008 - it is immutable
        self.lang, self.times = lang, times
        self.systemd = Notify(say=lambda message: translate(message, lang))
        self._settings = settings
        self._metrics: Metrics | None = None
        self._served: Served | None = None
        self._notifier: Notifier | None = None
        self._web: WebPart | None = None
        self._followers: Followers | None = None
        self._build()

    def _build(self) -> None:
        s = self._settings
        self.log = setup(s.log, s.metadata, lang=self.lang, mask=mask_of(s))
        self.runs = RunLog(self.log)
        if s.metrics.listen or s.serve.enabled:
            from .metrics import Metrics

            self._metrics = self._metrics or Metrics(s, __version__)
            self._metrics.configure(s)
        self._serve_metrics(s.metrics.listen)
        if s.notify.urls:
            from .notify import Notifier

            self._notifier = Notifier(s, self.lang, self.log)
            self._notifier.start()

    def _serve_metrics(self, listen: str) -> None:
        """On that address only; who answers there already goes on, for no scrape may fail while a configuration is read."""
        if self._served is not None and self._served.address and self._served.listen == listen:
            return
        if self._served is not None:
            self._served.close()
        self._served = None
        if listen and self._metrics is not None:
            from .metrics import serve

            self._served = serve(listen, self._metrics, self.heard)

    def configure(self, settings: Settings) -> None:
        """Other settings: everything that depends on them is built anew."""
        self._let_go()
        self._settings = settings
        self._build()

    # ---- what happens ----------------------------------------------------------------

    def listeners(self) -> list[Listener]:
        """One that passes on to whatever is there at the moment."""
        return [self.tell, self.systemd, self._told_web, self._told_followers]

    def tell(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Pass on what happens in the service or a trigger."""
        for listen in (self.runs, self._metrics, self._notifier):
            if listen is not None:
                listen(kind, facts)

    def _told_web(self, kind: str, facts: Mapping[str, Any]) -> None:
        if self._web is not None:
            self._web(kind, facts)

    def heard(self, kind: str, facts: Mapping[str, Any] | Message) -> None:
        """What a trigger has to say: a line for the log, or how it watches."""
        if isinstance(facts, Message):
            self.log.event("schedule", "info", facts)
        elif kind == "log":
            self.log.event("trigger", facts["level"], facts["message"])
        else:
            self.tell(kind, facts)

    def ended(self, outcome: Outcome) -> None:
        """A run ended: the schedule knows whether it stood for a night."""
        if outcome.ask.due_ns:
            self.schedule.ended(outcome)

    # ---- the web service ---------------------------------------------------------------

    def start_web(self, kb: KnowledgeBase, ask: Callable[[Ask], Merged], *, strict: bool) -> None:
        """Serve it if that is configured; raises ConfigError.

        ``strict``: also when the address cannot be had. Else that is said, and the daemon goes on without: an
        index that stands still because a port is taken would be the worse failure.
        """
        from .core.errors import ConfigError

        if not self._settings.serve.enabled:
            self._stop_web()
            return
        from .web.admission import check
        from .web.keys import Keys
        from .web.part import WebPart

        check(self._settings.serve, Keys(self._settings.metadata))
        self._web = self._web or WebPart(self.lang)
        try:
            self._web.start(kb, ask, self.log, self._metrics)
        except ConfigError as e:
            if strict:
                raise
            self.log.event("web", "error", e.message)

    def _stop_web(self) -> None:
        web, self._web = self._web, None
        if web is not None:
            web.close()

    # ---- followers -------------------------------------------------------------------

    def start_followers(self, kb: KnowledgeBase, said: Callable[[], None]) -> None:
        """Keep the configured followers in step from now on; those of an earlier configuration end."""
        self.stop_followers()
        if any(f.enabled for f in self._settings.followers):
            from .followers.part import Followers

            self._followers = Followers(kb, lambda level, message: self.log.event("follower", level, message), said)
            self._followers.start()

    def stop_followers(self) -> None:
        """Nothing is sent any more."""
        followers, self._followers = self._followers, None
        if followers is not None:
            followers.stop()

    def _told_followers(self, kind: str, facts: Mapping[str, Any]) -> None:
        if kind in ("commit", "end") and self._followers is not None:
            self._followers.ring()

    # ---- triggers --------------------------------------------------------------------

    def start_triggers(
        self, ask: Callable[[Ask], object], record: Callable[[], RunRecord], suffixes: frozenset[str]
    ) -> None:
        """Begin to ask: the watcher first, so that nothing happens unseen."""
        from .triggers.schedule import Schedule

        s, t = self._settings, self.times
        schedule = Schedule(s.schedule, ask, record, t.now_ns, t.clock, self.heard, t.wait, t.asleep)
        if (earlier := getattr(self, "schedule", None)) is not None:  # the night's run may be at work
            schedule.follow(earlier)
        self.schedule, self.watch = schedule, None
        if s.watch.enabled:
            from .triggers.watch import Watch

            self.watch = Watch(s.sources, suffixes, s.watch, ask, t.now_ns, tell=self.heard)
            self.watch.start()
        self.schedule.start()

    def stop_triggers(self) -> None:
        """No trigger asks any more."""
        self.schedule.stop()
        if self.watch is not None:
            self.watch.stop()

    def status(self, lang: str) -> dict[str, Any]:
        """What the triggers are at, for other processes."""
        return {
            "schedule": {"text": translate(self.schedule.text(), lang), "next_ns": self.schedule.next_ns()},
            "watch": self.watch.status() if self.watch is not None else [],
            "web": self._web.address if self._web is not None else "",
            "followers": list(self._followers.status()) if self._followers is not None else [],
        }

    def describe(self) -> Message:
        """Which triggers are on, and what is served, in a sentence."""
        address, s = self._web.address if self._web is not None else "", self._settings
        if not address:
            return self._triggering()
        if not (s.schedule.enabled or s.watch.enabled):
            return Message("serving {address}", {"address": address})
        return Message("{what}; serving {address}", {"what": self._triggering(), "address": address})

    def _triggering(self) -> Message:
        s = self._settings
        if not s.watch.enabled:
            return Message("updating {when}", {"when": self.schedule.text()})
        if not s.schedule.enabled:
            return Message("watching {count} folders", {"count": len(s.sources)})
        return Message(
            "updating {when}, and watching {count} folders", {"when": self.schedule.text(), "count": len(s.sources)}
        )

    # ---- the end ---------------------------------------------------------------------

    def _let_go(self) -> None:
        notifier, self._notifier = self._notifier, None
        if notifier is not None:
            notifier.stop(_LETTERS_SECONDS)
        self.log.close()

    def close(self) -> None:
        """Let go of everything."""
        self.stop_followers()
        self._stop_web()
        self.systemd.close()
        self._serve_metrics("")
        self._let_go()
