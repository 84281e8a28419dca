"""One call of a chat model, watched: its words come out as they arrive, silence and a stop end it.

The model's own client reads in a thread, since a blocked read hears neither a caller who went away nor
a server that keeps the line open and says nothing. Ending a call cuts its connection, so a server that
notices (vLLM does) stops generating.
"""

from __future__ import annotations

import contextlib
import contextvars
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..core.errors import Interrupted
from .prompt import Messages

Stop = Callable[[], bool]
_POLL_SECONDS = 0.1


class Piece(NamedTuple):
    """Some text, or the end: ``finish`` is the server's word for why ("stop", "length"), ``error`` what was raised."""

    text: str = ""
    finish: str = ""
    error: BaseException | None = None
    last: bool = False


class Call:
    """The thread of one call and what it says."""

    def __init__(self, model: Any, messages: Messages) -> None:
        self._model, self._messages = model, messages
        self._said: queue.SimpleQueue[Piece] = queue.SimpleQueue()
        self._over = False
        self.connection: Any = None
        """httpcore's stream of the response, where the client is ours."""

    def pieces(self, stop: Stop, silence: float, clock: Callable[[], float] = time.monotonic) -> Iterator[Piece]:
        """Every piece, the last with ``last``. Raises Interrupted when ``stop`` says so; TimeoutError is a piece."""
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._read,), daemon=True, name="indexer-llm").start()
        heard = clock()
        try:
            while True:
                if stop():
                    raise Interrupted("The question was withdrawn.")
                try:
                    piece = self._said.get(timeout=_POLL_SECONDS)
                except queue.Empty:
                    if clock() - heard > silence:
                        yield Piece(error=TimeoutError(f"silent for {silence:g} s"), last=True)
                        return
                    continue
                heard = clock()
                yield piece
                if piece.last:
                    return
        finally:
            self._end()

    def _read(self) -> None:
        from langsmith.run_helpers import tracing_context  # comes with langchain-core

        CURRENT.set(self)
        try:
            with tracing_context(enabled=False), contextlib.closing(self._model.stream(self._messages)) as chunks:
                finish = ""
                for chunk in chunks:
                    if self._over:
                        return
                    facts = chunk.response_metadata
                    finish = str(facts.get("finish_reason") or facts.get("stop_reason") or facts.get("done_reason") or finish)  # fmt: skip
                    if text := str(chunk.text):
                        self._said.put(Piece(text))
            self._said.put(Piece(finish=finish, last=True))
        except BaseException as error:  # a foreign client may raise anything, and nobody is above this thread
            self._said.put(Piece(error=error, last=True))

    def _end(self) -> None:
        """Wake the thread where it reads; one that is still waiting for the first line ends with its time-out."""
        self._over = True
        if self.connection is not None:
            with contextlib.suppress(OSError, AttributeError):
                self.connection.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


CURRENT: contextvars.ContextVar[Call | None] = contextvars.ContextVar("indexer_llm_call", default=None)
"""The call that this thread serves: the client's hook finds it here."""


def remember_connection(response: Any) -> None:
    """A response hook of httpx: whose connection this is."""
    if (call := CURRENT.get()) is not None:
        call.connection = response.extensions.get("network_stream")
