"""A real folder, a real watch over it, and a follower that looks only at what it is asked to look at."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from indexer.core.errors import SourceUnavailable
from indexer.core.model import Ask, Message, raw
from indexer.core.tables import Source, WatchSettings
from indexer.sources import folder
from indexer.triggers.watch import Watch
from indexer.triggers.watch.edges import Make, make

SUFFIXES = (".txt", ".md")
PATIENCE = 30.0
FAST = WatchSettings(enabled=True, debounce=0.05, max_wait=1.0, poll_seconds=0.2)


def write(path: Path, text: str = "text") -> None:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def until(holds: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Wait for something; whether it came."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Follower:
    """What an index would know: packed folders by source, brought up to date by what is asked."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = {s.name: s for s in sources}
        self.known: dict[str, Mapping[bytes, bytes]] = {s.name: {} for s in sources}
        self.asked: list[Ask] = []

    def ask(self, ask: Ask) -> None:
        """Look at once, at what is asked about and nothing else."""
        for source in self.sources.values():
            paths = [raw(k.path) for k in ask.paths if k.source == source.name]
            if ask.paths and not paths:
                continue
            try:
                look = folder.scan(source, SUFFIXES, 0, only=paths or None)
            except SourceUnavailable:
                continue
            known = self.known[source.name]
            seen = folder.known_but(known, look, paths) if paths else look.folders
            hidden = {f: b for f, b in known.items() if f not in seen and look.unknown(f)}
            self.known[source.name] = {**seen, **hidden}
        self.asked.append(ask)

    def right(self) -> bool:
        """Whether that is what a look at everything shows now."""
        return all(self.known[s.name] == folder.scan(s, SUFFIXES, 0).folders for s in self.sources.values())

    def names(self, source: str = "s") -> set[str]:
        """Documents known."""
        return {
            (f + b"/" + n if f else n).decode("utf-8", "surrogateescape")
            for f, blob in self.known[source].items()
            for n in folder.unpack(blob)
        }


class Lab:
    """A source ``s`` in ``root`` under watch; the look that is asked for at the start has been made."""

    absent = False
    """Whether the root is not there at the start."""

    def __init__(
        self, root: Path, settings: WatchSettings = FAST, clock: Callable[[], float] = time.monotonic, make: Make = make
    ) -> None:
        self.root, self.source = root, Source("s", str(root))
        self.follower = Follower([self.source])
        self.told: list[tuple[str, Message]] = []
        self.states: list[Mapping[str, Any]] = []
        self._lock = threading.Lock()
        self.watch = Watch([self.source], SUFFIXES, settings, self._ask, clock=clock, tell=self._tell, make=make)

    def __enter__(self) -> Lab:
        if not self.absent:
            self.root.mkdir(exist_ok=True)
        self.watch.start()
        assert until(lambda: self.follower.asked)
        return self

    def __exit__(self, *_: object) -> None:
        self.watch.stop()

    def _ask(self, ask: Ask) -> None:
        with self._lock:
            self.follower.ask(ask)

    def _tell(self, kind: str, facts: Mapping[str, Any]) -> None:
        if kind == "log":
            self.told.append((facts["level"], facts["message"]))
        else:
            self.states.append(facts["status"][0])

    @property
    def asked(self) -> list[Ask]:
        """What was asked since the start, sources and probes aside."""
        return self.follower.asked[1:]

    def paths(self) -> list[set[str]]:
        """The paths of each request."""
        return [{k.path for k in a.paths} for a in self.asked]

    def status(self) -> dict[str, Any]:
        """How the source is watched."""
        return self.watch.status()[0]

    def settles(self) -> bool:
        """Whether the follower comes to know what there is, by what it is asked alone."""
        found = until(self._right)
        if found:
            time.sleep(0.15)  # and stays so
        return found and self._right()

    def _right(self) -> bool:
        with self._lock:
            return self.follower.right()

    def proved(self) -> bool:
        """Whether the first probe was answered."""
        return until(lambda: self.status()["probe_ns"])

    def said(self, part: str) -> bool:
        """Whether a sentence with these words was told."""
        return until(lambda: any(part in str(m) for _, m in self.told))


def full(root: Path, path: bytes) -> bytes:
    """A path below a root."""
    return os.path.join(os.fsencode(root), path)
