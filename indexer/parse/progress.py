"""What a parser says while it works, so that a document of many slow pages gets the time they need.

    announce(pages)   once, before the slow pages: how many there will be; returns how many are granted
    page()            before each of them: the clocks of the worker grant the time of one page more

Outside the worker process nobody listens and there is no clock: both work and cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

DEFAULT_PAGES = 2000


class Listener(NamedTuple):
    """The worker's side: told how many slow pages there will be, and when each of them begins."""

    announced: Callable[[int], int]
    began: Callable[[], None]


_listener = Listener(lambda pages: min(pages, DEFAULT_PAGES), lambda: None)


def listen(listener: Listener) -> None:
    """Sets who is told; the worker does once."""
    global _listener
    _listener = listener


def announce(pages: int) -> int:
    """Says that so many slow pages follow; returns how many of them may be read (the rest must be noted)."""
    return _listener.announced(max(0, pages))


def page() -> None:
    """Says that the next slow page begins; `ocr.read_page` does for its caller."""
    _listener.began()
