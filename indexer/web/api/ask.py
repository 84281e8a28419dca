"""Questions answered from the documents, whole or as they are written."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from ...ask import Question, Turn, latest
from ...core.errors import UsageError
from .. import sse
from ..answering import Answering
from ..asking import lang_of
from ..facts import answers as facts
from ..guard import logged
from ..problems import NotFound, body
from ..shapes_ask import AnswerKept, Answers, AnswerShown, QuestionAsked
from ..site import Site
from .search import filters_of

_STREAM = {
    200: {
        "description": "The answer; with `stream` or `Accept: text/event-stream` events `sources` {citations}, `token` {text}, "
        "`answer` (the whole), `error` (a problem).",
        "content": sse.CONTENT,
    }
}


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1", tags=["ask"])

    @routes.post("/ask", operation_id="ask", response_model=AnswerShown, responses=_STREAM)  # type: ignore[arg-type]
    async def ask(asked: QuestionAsked, request: Request) -> Any:
        """Answer a question, with citations; the answer is kept."""
        answering, lang = Answering(site, question_of(asked)), lang_of(request, site)
        if asked.stream or "text/event-stream" in request.headers.get("accept", ""):
            return sse.response(_stream(site, answering, request, lang))
        answer = await answering.answer(request)
        return facts.told(answer, lang) if answer is not None else Response(status_code=499)

    @routes.get("/answers", operation_id="answers", response_model=Answers)
    def answers(
        request: Request,
        limit: Annotated[int, Query(ge=1, le=200)] = 20,
        before: Annotated[int | None, Query(ge=1, le=2**62, description="`next` of the page before")] = None,
    ) -> dict[str, Any]:
        """The kept answers, newest first."""
        found = latest(site.kb, limit + 1, before or 0)
        told = [facts.told(answer, lang_of(request, site)) for answer in found[:limit]]
        return {"answers": told, "next": found[limit - 1].created_ns if len(found) > limit else None}

    @routes.get("/answers/{answer}", operation_id="answer", response_model=AnswerKept)
    def answer(answer: Annotated[str, Path(min_length=1, max_length=100)], request: Request) -> dict[str, Any]:
        """A kept answer, and what became of each document it rests on."""
        try:
            return facts.kept(site.kb.answer(answer), lang_of(request, site))
        except UsageError as e:
            raise NotFound(e.message) from e

    return routes


def question_of(asked: QuestionAsked) -> Question:
    """The question as :mod:`indexer.ask` takes it."""
    history = tuple(Turn(turn.role, turn.text) for turn in asked.history)
    return Question(asked.question, asked.k, asked.as_of, filters_of(asked), history)


async def _stream(site: Site, answering: Answering, request: Request, lang: str) -> AsyncIterator[bytes]:
    quiet = time.monotonic()
    try:
        async for kind, told in answering.events(request):
            if kind or time.monotonic() - quiet > sse.SILENCE:
                quiet = time.monotonic()
                yield _event(kind, told, lang)
    except Exception as e:  # the answer has begun: what is wrong can only be an event
        problem = logged(site, e, "POST", request.url.path)
        yield sse.encoded("error", body(problem, lang))


def _event(kind: str, told: Any, lang: str) -> bytes:
    if not kind:
        return sse.KEEP_ALIVE
    if kind == "sources":
        return sse.encoded(kind, {"citations": facts.citations(tuple(told["citations"]))})
    if kind == "answer":
        return sse.encoded(kind, facts.told(told["answer"], lang))
    return sse.encoded(kind, told)
