"""A log in a temporary folder, whose stderr is a text we can read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from indexer.core.tables import LogSettings
from indexer.logs import Log, setup


class Scene:
    """Logs over one metadata folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stream = folder, io.StringIO()
        self.logs: list[Log] = []

    def log(self, lang: str = "en", **values: Any) -> Log:
        """A log with these settings; ``mask``, ``stream`` and ``environ`` go to the set-up."""
        edges = {k: values.pop(k) for k in ("mask", "stream", "environ") if k in values}
        made = setup(
            LogSettings(**values), str(self.folder), lang=lang, **{"stream": self.stream, "environ": {}, **edges}
        )
        self.logs.append(made)
        return made

    @property
    def file(self) -> str:
        """What the file holds."""
        return (self.folder / "logs" / "indexer.log").read_text("utf-8")

    @property
    def stderr(self) -> str:
        """What was said on stderr."""
        return self.stream.getvalue()
