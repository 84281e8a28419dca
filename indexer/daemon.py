"""The daemon: schedule, watch, worker, log, metrics, notifications in one process, and its signals.

Everything it does can be killed at any moment; all that must survive is in the catalog.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from . import __version__, state
from .api import KnowledgeBase
from .bell import Bell
from .care import runs
from .core.errors import DONE, ConfigError, IndexerError
from .core.model import Message
from .parts import Parts, Times
from .service import Service
from .settings import Settings
from .store.local import Layout

_STOP_SECONDS = 4.5
"""A batch that does not end in this time is abandoned: the store is safe whenever the process ends."""

_TICK_SECONDS = 1.0


class Wants(NamedTuple):
    """Which triggers, and whether the web service: None as configured."""

    schedule: bool | None = None
    watch: bool | None = None
    serve: bool | None = None

    def of(self, settings: Settings) -> Settings:
        """The settings with the triggers as wanted."""
        schedule = settings.schedule.enabled if self.schedule is None else self.schedule
        watch = settings.watch.enabled if self.watch is None else self.watch
        serve = settings.serve.enabled if self.serve is None else self.serve
        return settings._replace(
            schedule=settings.schedule._replace(enabled=schedule), watch=settings.watch._replace(enabled=watch),
            serve=settings.serve._replace(enabled=serve),
        )  # fmt: skip


class Daemon:
    """``load`` reads the configuration, at the start and on SIGHUP; ``lang`` is the language of its words."""

    def __init__(
        self, load: Callable[[], Settings], mode: str, wants: Wants, lang: str,
        times: Times = Times(),  # noqa: B008 - it is immutable
    ) -> None:  # fmt: skip
        self.load, self.mode, self.wants, self.lang, self.times = load, mode, wants, lang, times
        self.settings = wants.of(load())
        self.started_ns = times.now_ns()
        self._bell = Bell()
        self._ending = self._reloading = False
        self._said: dict[str, Any] = {}

    def run(self) -> int:
        """Work until a signal ends it; the exit code. Raises IndexerError when it cannot begin."""
        s = self.settings
        if not (s.schedule.enabled or s.watch.enabled or s.serve.enabled):
            raise ConfigError(
                "Neither a schedule nor watch mode nor the web service is switched on: set enabled = true under [schedule], [watch] or [serve]."
            )
        with state.held(self.settings.metadata), ExitStack() as stack:
            stack.callback(self._bell.close)
            self._signals(stack)
            self._begin()
            try:
                while not self._ending:
                    self._turn()
            finally:
                ended = self._finish()
        if not ended:  # the batch at work is abandoned: nothing of it was committed, nothing else is lost
            os._exit(DONE)
        return DONE

    # ---- begin, turn, finish ---------------------------------------------------------

    def _begin(self) -> None:
        self.kb = KnowledgeBase(self.settings, warn=self._warn)
        self.parts = Parts(self.settings, self.lang, self.times)
        self.service = Service(self.kb, [*self.parts.listeners(), self._hear], self.times.now_ns)
        try:
            self.parts.start_web(self.kb, self.service.ask, strict=self.mode == "serve")
        except BaseException:  # nobody works yet
            self.parts.close()
            raise
        self.service.start()
        self._triggers()
        self.parts.start_followers(self.kb, self._bell.ring)
        self._say()
        self.parts.systemd.ready(self.parts.describe())
        self.parts.systemd.guard(self.service.alive)
        self._log("start", "info", Message("Started: {what}", {"what": self.parts.describe()}), pid=os.getpid())

    def _triggers(self) -> None:
        layout = Layout(Path(self.settings.metadata), Path(self.settings.vectorstore))
        self.parts.start_triggers(self.service.ask, lambda: runs.record(layout), self.kb.parser().suffixes())

    def _turn(self) -> None:
        self._bell.wait(_TICK_SECONDS)
        if self._reloading:
            self._reloading = False
            self._read_again()
        self._say()

    def _finish(self) -> bool:
        """Let go of everything; whether the worker ended in time."""
        self.parts.systemd.stopping()
        self._log("stop", "info", Message("Stopping"))
        self.parts.stop_triggers()
        ended = self.service.stop(_STOP_SECONDS)
        if not ended:
            self._log("stop", "warning", Message("The batch at work was abandoned; the last commit stands."))
        self.parts.close()
        self.kb.close()
        return ended

    # ---- configuration ---------------------------------------------------------------

    def _read_again(self) -> None:
        """SIGHUP: take the new configuration, or keep the old one and say why."""
        self.parts.systemd.reloading()
        try:
            settings = self.wants.of(self.load())
            if (settings.metadata, settings.vectorstore) != (self.settings.metadata, self.settings.vectorstore):
                raise ConfigError("metadata and vectorstore cannot change while the daemon runs: start it anew.")
        except IndexerError as e:
            said = Message("The configuration is not taken over, the old one stays: {error}", {"error": e.message})
            self._log("reload", "error", said)
        else:
            self._take(settings)
        self.parts.systemd.ready(self.parts.describe())

    def _take(self, settings: Settings) -> None:
        self.parts.stop_triggers()
        self.settings = settings
        self.kb = KnowledgeBase(settings, warn=self._warn)
        self.service.use(self.kb)
        self.parts.configure(settings)
        self._serve_again()
        self._triggers()
        self.parts.start_followers(self.kb, self._bell.ring)
        self._log(
            "reload", "info", Message("The configuration was read again: {what}", {"what": self.parts.describe()})
        )

    def _serve_again(self) -> None:
        try:
            self.parts.start_web(self.kb, self.service.ask, strict=False)
        except ConfigError as e:
            self._log("web", "error", e.message)

    # ---- what it hears and says --------------------------------------------------------

    def _signals(self, stack: ExitStack) -> None:
        def end(number: int, frame: object) -> None:
            self._ending = True
            self._bell.ring()

        def reload(number: int, frame: object) -> None:
            self._reloading = True
            self._bell.ring()

        wanted = {signal.SIGINT: end, signal.SIGTERM: end}
        if hasattr(signal, "SIGHUP"):
            wanted[signal.SIGHUP] = reload
        for number, handle in wanted.items():
            stack.callback(signal.signal, number, signal.signal(number, handle))

    def _hear(self, kind: str, facts: Mapping[str, Any]) -> None:
        if kind == "end":
            self.parts.ended(facts["outcome"])
        if kind != "progress":  # once a file: nothing of what others see changes
            self._bell.ring()

    def _warn(self, text: str) -> None:
        self._log("warning", "warning", Message("{text}", {"text": text}))

    def _log(self, name: str, level: str, message: Message, **facts: Any) -> None:
        self.parts.log.event(name, level, message, **facts)

    def _say(self) -> None:
        """Let other processes see how things stand, when that changed."""
        facts = {
            "pid": os.getpid(), "started_ns": self.started_ns, "host": socket.gethostname(), "version": __version__,
            "mode": self.mode, "home": self.settings.home, **self.parts.status(self.lang),
            "running": self.service.running(), "waiting": self.service.waiting(),
        }  # fmt: skip
        if facts != self._said:
            self._said = facts
            state.write(self.settings.metadata, facts)
            self.parts.tell("schedule", {"next_ns": facts["schedule"]["next_ns"] or 0})
            self.parts.tell("watch", {"status": facts["watch"]})
            self.parts.tell("followers", {"status": facts["followers"]})


def run(load: Callable[[], Settings], mode: str, wants: Wants, lang: str, times: Times = Times()) -> int:  # noqa: B008 - it is immutable
    """Be the daemon; see :class:`Daemon`."""
    return Daemon(load, mode, wants, lang, times).run()
