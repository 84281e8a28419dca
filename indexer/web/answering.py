"""A question in a thread of its own, heard from the event loop; who goes away withdraws it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from anyio import to_thread

from ..ask import Answer, Question

if TYPE_CHECKING:
    from fastapi import Request

    from .site import Site

_LOOK = 0.5
"""Seconds between two looks at whether the client is still there."""


class Answering:
    """``async for kind, facts in Answering(site, question).events(request)``: sources, token ..., then answer.

    Between two of them a ("", {}) comes now and then. An error of the question is raised.
    """

    def __init__(self, site: Site, question: Question) -> None:
        self._site, self._question = site, question
        self._gone = threading.Event()

    async def events(self, request: Request) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
        """What is told while it is answered; the last is ("answer", {"answer": Answer})."""
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[tuple[str, Mapping[str, Any]]]()

        def tell(kind: str, facts: Mapping[str, Any]) -> None:
            if not self._gone.is_set():
                loop.call_soon_threadsafe(queue.put_nowait, (kind, facts))

        work = asyncio.ensure_future(to_thread.run_sync(self._answer, tell, abandon_on_cancel=True))
        work.add_done_callback(lambda done: done.cancelled() or done.exception())  # also where nobody asks any more
        try:
            while not (work.done() and queue.empty()):
                waiting = asyncio.ensure_future(queue.get())
                await asyncio.wait({waiting, work}, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    yield waiting.result()
                    continue
                waiting.cancel()
                if await request.is_disconnected():
                    return
                yield "", {}
            yield "answer", {"answer": work.result()}
        finally:
            self._gone.set()
            if not work.done():
                work.cancel()

    def _answer(self, tell: Any) -> Answer:
        return self._site.kb.ask(self._question, tell=tell, stop=self._gone.is_set)

    async def answer(self, request: Request) -> Answer | None:
        """The answer alone; None when the client has gone."""
        async for kind, facts in self.events(request):
            if kind == "answer":
                found: Answer = facts["answer"]
                return found
        return None
