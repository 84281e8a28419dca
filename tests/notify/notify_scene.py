"""A notifier over a temporary knowledge base, with a log that can be read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from indexer.core.tables import EmbeddingSettings, LogSettings, NotifySettings
from indexer.logs import mask_of, setup
from indexer.notify import Notifier
from indexer.report import Outcome
from indexer.settings import Settings

SOON = (0.2,) * 200
"""Waits between attempts, for tests."""


class Scene:
    """Notifiers one after the other, as a daemon that is started anew."""

    def __init__(self, home: Path, stderr: io.StringIO) -> None:
        self.home, self.stderr = home, stderr
        self.metadata = home / "metadata"
        self.log = setup(LogSettings(level="debug"), str(self.metadata), stream=stderr, environ={})
        self.notifiers: list[Notifier] = []

    def notifier(self, *urls: str, lang: str = "en", waits: tuple[float, ...] = SOON, **values: Any) -> Notifier:
        """A notifier at work."""
        settings = Settings(
            str(self.home), notify=NotifySettings(urls, **values), embedding=EmbeddingSettings(api_key="sk-s3cr3t")
        )
        self.log.close()
        self.log = setup(
            LogSettings(level="debug"), str(self.metadata), stream=self.stderr, mask=mask_of(settings), environ={}
        )
        made = Notifier(settings, lang, self.log, waits=waits)
        made.start()
        self.notifiers.append(made)
        return made

    @property
    def state(self) -> str:
        """metadata/notify.json."""
        file = self.metadata / "notify.json"
        return file.read_text("utf-8") if file.exists() else ""

    @property
    def said(self) -> str:
        """The log."""
        return self.stderr.getvalue()

    def close(self) -> None:
        """The end of everything."""
        for notifier in self.notifiers:
            notifier.stop()
        self.log.close()


def end(notifier: Notifier, *outcomes: Outcome) -> None:
    """Runs end."""
    for outcome in outcomes:
        notifier("end", {"outcome": outcome})
