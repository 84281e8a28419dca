"""One watched source: by events where they come, by polling where not, and what happens in between."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...core.model import Message
from ...core.tables import Source
from . import words
from .edges import Edges
from .hear import Watcher
from .inbox import GRACE
from .mounts import Mount, foreign_mount
from .polling import Poller
from .probe import PATIENCE, Probe
from .relevance import Relevance
from .roots import Root, Seen


class Watched:
    """Hears of one source (see :class:`.hear.Hear`) and decides how; all but hearing happens in one thread."""

    def __init__(self, source: Source, suffixes: Collection[str], edges: Edges) -> None:
        self.source, self._suffixes, self._edges = source, suffixes, edges
        self._relevance, self._root = Relevance(source, suffixes), Root(source.path)
        self._probe = Probe(edges.settings.probe_minutes * 60, edges.clock())
        self._watcher: Watcher | None = None
        self._poller: Poller | None = None
        self._why: Message | None = None
        self._error: OSError | None = None
        self._final = self._uprooted = False
        self._mounts: list[Mount] = []

    # ---- hearing ----------------------------------------------------------------------------

    def touched(self, path: bytes) -> None:
        """Something happened to a file, or to a folder with all below it."""
        self._edges.inbox.touch((self.source.name, path))

    def left(self, path: bytes) -> None:
        """It went somewhere else."""
        self._edges.inbox.touch((self.source.name, path), GRACE)

    def moved(self, old: bytes, new: bytes) -> None:
        """The same, for both names of what was renamed."""
        self._edges.inbox.link((self.source.name, old), (self.source.name, new))

    def probed(self) -> None:
        """Events arrive."""
        self._probe.heard()

    def lost(self) -> None:
        """Events were lost: anything may have happened."""
        self._log("info", words.overflowed(self.source.name))
        self.touched(b"")

    def uprooted(self) -> None:
        """The root is not the folder it was, even if its number is the same: those are used again."""
        self._uprooted = True

    def failed(self, error: OSError) -> None:
        """The watcher cannot go on; dealt with in the thread that decides."""
        self._error = error
        self._edges.inbox.wake()

    # ---- deciding ---------------------------------------------------------------------------

    def begin(self) -> None:
        """Arm what can be armed; returns when what happens from now on is noticed."""
        self._error, self._final, self._uprooted = None, False, False
        self._root.look()
        self._mounts = self._edges.mounts.within(self._root.path)
        mode = self._edges.settings.mode
        mount = foreign_mount(self._root.path) if mode == "auto" else None
        if mode == "polling" or mount is not None:
            self._final = True
            self._poll(words.foreign(mount) if mount is not None else words.configured())
        elif self._root.there:
            self._arm()

    def end(self) -> None:
        """Stop listening."""
        if self._watcher is not None:
            self._watcher.close()
        if self._poller is not None:
            self._poller.close()
        self._watcher = self._poller = None

    def tick(self, at: float) -> None:
        """Once a second: is the root there, do events come, is it time for a probe."""
        if not self._final:
            self.look()
            self._hear_of_probe(at)
            self._mend()
            if at >= self._probe.next and self._root.there and not self._probe.open:
                self._prove(at)

    def ready(self) -> bool:
        """Before somebody looks: whether the root is there, with everything watched that is to be watched."""
        if self._final:
            return True
        if not self.look():
            return False
        try:
            if self._watcher is not None:
                self._watcher.settle()
        except OSError as e:
            self._error = e
            self._mend()
        return True

    def look(self) -> bool:
        """Whether the root is the folder that is watched; where it is another one, all of it is touched."""
        seen = self._root.look()
        if seen is Seen.GONE:
            self._log("warning", words.gone(self.source.name, self.source.path))
            self._edges.inbox.forget(self.source.name)
            self._probe.drop()
        elif seen is Seen.ANOTHER or (seen is Seen.SAME and self._uprooted):
            self._log("info", words.replaced(self.source.name, self.source.path))
            self._again()
            return False
        return seen is Seen.SAME

    def remounted(self) -> None:
        """Something was mounted or unmounted: if that was in here, watch what is there now."""
        if not self._final and self._root.there and self._edges.mounts.within(self._root.path) != self._mounts:
            self._again()

    def _again(self) -> None:
        self.end()
        self.begin()
        self.touched(b"")

    def stood_still(self) -> None:
        """The process did not run: a probe without an answer proves nothing, another one is due."""
        self._probe.drop()
        self._probe.next = self._edges.clock()

    def status(self) -> dict[str, Any]:
        """How it is watched, and why not by events; ``probe_ns``: when events were last proved to come."""
        watcher, poller = self._watcher, self._poller
        how = watcher if poller is None else poller
        return {
            "source": self.source.name, "how": "events" if poller is None else "polling", "why": self._why or "",
            "folders": how.folders if how is not None else 0, "probe_ns": self._probe.ns,
        }  # fmt: skip

    # ---- events ---------------------------------------------------------------------------

    def _arm(self) -> None:
        """Watch by events; where that is refused, poll and say why."""
        watcher = None
        try:
            watcher = self._watcher = self._edges.make(self._root.path, self._relevance, self)
            watcher.arm()
            self._probe.begin(self._edges.clock(), watcher.probe)
        except (OSError, ImportError) as e:
            if self._root.look() is Seen.SAME:  # else it went away: the next tick sees to that
                self._fall_back(words.refused(e if isinstance(e, OSError) else OSError(str(e))))
            elif watcher is not None:
                watcher.close()

    def _prove(self, at: float) -> None:
        """Time for a probe; where a source is polled for want of events, they get another chance."""
        if self._watcher is None:
            self._arm()
            return
        try:
            self._probe.begin(at, self._watcher.probe)
        except OSError:
            self._probe.drop()  # the root changes under our hands: the next tick sees to that

    def _hear_of_probe(self, at: float) -> None:
        verdict = self._probe.verdict(at, self._edges.now_ns())
        if verdict is False and self._watcher is not None and self._watcher.busy:
            self._probe.next = at  # it has not come to the event yet
        elif verdict is False:
            self._fall_back(words.silent(PATIENCE))
        elif verdict and self._poller is not None:
            self._poller.close()
            self._poller = self._why = None
            self._log("info", words.watched(self.source.name))
            self.touched(b"")

    def _mend(self) -> None:
        """A watcher that failed, or whose thread died, is no watcher."""
        error, self._error = self._error, None
        if error is not None:
            self._fall_back(words.refused(error))
        elif self._watcher is not None and not self._watcher.alive():
            self._watcher.close()
            self._watcher = None
            self._arm()
            self.touched(b"")

    # ---- polling --------------------------------------------------------------------------

    def _fall_back(self, why: Message) -> None:
        """No events: poll, until a later probe proves that they come."""
        if self._watcher is not None:
            self._watcher.close()
        self._watcher = None
        self._probe.drop()
        self._probe.put_off(self._edges.clock())
        self._poll(why)

    def _poll(self, why: Message) -> None:
        if self._poller is not None:
            return  # it is polled already: why it is, has been said
        s = self._edges.settings
        ready = self._there if self._final else lambda: self._root.there
        self._why = why
        self._poller = Poller(
            self.source, self._suffixes, s.poll_seconds, min(max(s.debounce / 2, 0.1), 1.0), self, ready
        )
        self._poller.start()
        self._log("warning" if s.mode == "auto" else "info", words.polled(self.source.name, s.poll_seconds, why))

    def _there(self) -> bool:
        """The root's state where only the polling thread may look at it: a share may hang."""
        seen = self._root.look()
        if seen is Seen.GONE:
            self._log("warning", words.gone(self.source.name, self.source.path))
            self._edges.inbox.forget(self.source.name)
        elif seen is Seen.ANOTHER:
            self._log("info", words.replaced(self.source.name, self.source.path))
            self.touched(b"")
        return self._root.there

    # ---- telling ----------------------------------------------------------------------------

    def _log(self, level: str, message: Message) -> None:
        self._edges.tell("log", {"level": level, "message": message})
