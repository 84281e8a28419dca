"""What a watcher of one source says; paths are bytes relative to the source's root."""

from __future__ import annotations

from typing import Protocol


class Hear(Protocol):
    """Called from a watcher's own thread; must not raise, must not wait."""

    def touched(self, path: bytes) -> None:
        """Something happened to a file, or to a folder with all below it."""

    def left(self, path: bytes) -> None:
        """A file or folder went somewhere else; its new name, if it has one here, is said in a moment."""

    def moved(self, old: bytes, new: bytes) -> None:
        """The same, for both names of what was renamed."""

    def probed(self) -> None:
        """A sign of life was seen: events arrive."""

    def lost(self) -> None:
        """Events were lost: anything may have happened. Said once until the next look."""

    def uprooted(self) -> None:
        """The root itself was moved, removed or unmounted, whatever its path leads to by now."""

    def failed(self, error: OSError) -> None:
        """This watcher cannot go on."""


class Watcher(Protocol):
    """Events of one source, until it is closed. Arming raises OSError where the system refuses."""

    @property
    def folders(self) -> int:
        """How many folders are watched."""

    def arm(self) -> None:
        """Watch every folder there is; said again, those that are there by now."""

    def settle(self) -> None:
        """Before somebody looks: whatever must be watched by now is."""

    def alive(self) -> bool:
        """Whether anybody still listens."""

    @property
    def busy(self) -> bool:
        """Whether it works on an event, so that others wait."""

    def probe(self, name: bytes) -> None:
        """Do something in the root that brings an event, told as :meth:`Hear.probed`; raises OSError."""

    def close(self) -> None:
        """Stop listening."""
