"""A budget of seconds that grows by one grant a page, and who may have how many grants."""

from __future__ import annotations


class Budget:
    """Seconds by any clock until a deadline.

    A grant is for the page that begins: what an earlier page left of its own is not added to
    it, so a page that hangs is found out; what a page took beyond its grant is taken from the
    file's own seconds.
    """

    def __init__(self, now: float, seconds: float) -> None:
        self.deadline = now + seconds
        self._own = seconds

    def grant(self, now: float, seconds: float) -> None:
        """Sets the deadline for the page that begins."""
        self._own = max(0.0, min(self._own, self.deadline - now))
        self.deadline = now + seconds + self._own


class Pages:
    """How many grants a file gets: as many as the parser announced, and never more than ``most``."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._announced = 0
        self.begun = 0

    def announce(self, pages: int) -> int:
        """Returns how many of them may be read."""
        granted = max(0, min(pages, self._most - self._announced))
        self._announced += granted
        return granted

    def begin(self) -> bool:
        """Whether the page that begins has a grant."""
        self.begun += 1
        return self.begun <= self._announced
