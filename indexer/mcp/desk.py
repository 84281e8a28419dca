"""What the tools stand on: the same for one client over stdio and for many over HTTP."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from .. import state
from ..core.errors import IndexerError, StoreDamaged, UsageError
from ..core.model import Message

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..search import Reader

T = TypeVar("T")


class Call(NamedTuple):
    """One call. ``base``: where the Web UI's pages are, "" where there are none; ``stop``: whether nobody waits any more."""

    lang: str
    base: str = ""
    stop: Callable[[], bool] = lambda: False


class Desk(Protocol):
    """Where calls are served."""

    @property
    def kb(self) -> KnowledgeBase:
        """The knowledge base, for what waits long and takes its lock only for a moment."""

    def now_ns(self) -> int:
        """The wall time."""

    def reading(self) -> AbstractContextManager[KnowledgeBase]:
        """A knowledge base to read from, while others read too."""

    def call(self, request: Any, stop: Callable[[], bool]) -> Call:
        """What is known of a call from its request (None over stdio)."""

    def said(self, error: Exception, tool: str) -> Message:
        """What the client is told of an error; what is internal is written down and not told."""


class LocalDesk:
    """Over stdio: one client, who is the user of this machine. ``log`` takes lines for the standard error."""

    def __init__(
        self, kb: KnowledgeBase, lang: str, now_ns: Callable[[], int], log: Callable[[str], Any] = sys.stderr.write
    ) -> None:
        self.kb, self.lang, self.now_ns, self._log = kb, lang, now_ns, log

    @contextmanager
    def reading(self) -> Iterator[KnowledgeBase]:
        """The one there is: it is asked under its lock."""
        yield self.kb

    def call(self, request: Any, stop: Callable[[], bool]) -> Call:
        """In the user's language, with links to the daemon's Web UI while it serves one."""
        daemon = state.read(self.kb.settings.metadata) or {}
        return Call(self.lang, str(daemon.get("web") or ""), stop)

    def said(self, error: Exception, tool: str) -> Message:
        """Errors of ours as they are: this is the user's own machine."""
        if isinstance(error, IndexerError):
            return error.message
        self._log(f"indexer mcp: {tool}: {type(error).__name__}: {error}\n")
        self._log("".join(traceback.format_exception(error)))
        return Message("Something went wrong in `indexer mcp` ({kind}). Its standard error has the details.", {"kind": type(error).__name__})  # fmt: skip


@contextmanager
def reader_of(kb: KnowledgeBase) -> Iterator[Reader]:
    """A reader at the newest commit, in one read transaction; raises UsageError before the first update."""
    indexed(kb)
    with kb.lock:
        reader = kb.reader()
        with reader.catalog.db.read():
            reader.view.follow()
            yield reader


def indexed(kb: KnowledgeBase) -> None:
    """Raise UsageError before the first update."""
    if kb.layout.served() is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")


def read(desk: Desk, look: Callable[[Reader], T]) -> T:
    """What ``look`` finds; once more where a merge took a segment away in between, or another generation its place."""
    served = desk.kb.layout.served()
    try:
        return _read(desk, look)
    except FileNotFoundError:
        pass
    except StoreDamaged:
        if desk.kb.layout.served() == served:
            raise
    try:
        return _read(desk, look)
    except FileNotFoundError as e:
        raise StoreDamaged("The segment {path} is missing; run `indexer repair`.", path=str(e.filename)) from e


def _read(desk: Desk, look: Callable[[Reader], T]) -> T:
    with desk.reading() as kb, reader_of(kb) as reader:
        return look(reader)
