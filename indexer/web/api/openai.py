"""The chat API that existing front ends speak: its model answers from the documents."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ...ask import Answer, Question, Turn
from ...core.model import Message
from .. import sse
from ..answering import Answering
from ..asking import lang_of
from ..document import problems
from ..facts import answers as facts
from ..facts import plain
from ..guard import logged
from ..problems import Problem, openai_error
from ..shapes import Flag
from ..site import Site

MODEL = "indexer"
_PASSAGES = 8


class ChatMessage(BaseModel):
    """One message; of a list of parts the texts count."""

    model_config = ConfigDict(extra="ignore")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=200_000)] | list[dict[str, Any]] | None = None


class StreamOptions(BaseModel):
    """What a stream tells at its end."""

    model_config = ConfigDict(extra="ignore")
    include_usage: Flag = False


class ChatAsked(BaseModel):
    """What a front end sends. Sampling is configured with the model, so what is said about it is not used."""

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "examples": [{"model": MODEL, "messages": [{"role": "user", "content": "How many days of leave?"}]}]
        },
    )
    model: Annotated[str, Field(max_length=200)] = MODEL
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=500)]
    stream: Flag | None = False
    stream_options: StreamOptions | None = None


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/v1", tags=["OpenAI"])

    @routes.get("/models", operation_id="models", response_model=dict[str, Any])
    def models() -> dict[str, Any]:
        """The one model there is: it answers from the knowledge base."""
        return {"object": "list", "data": [_model()]}

    @routes.get("/models/{model}", operation_id="model", response_model=dict[str, Any])
    def model(model: str) -> dict[str, Any]:
        """That model."""
        _known(model)
        return _model()

    @routes.post(
        "/chat/completions", operation_id="chat_completions", response_model=dict[str, Any],
        responses={200: {"content": sse.CONTENT}, **problems(404)},
    )  # fmt: skip
    async def chat(asked: ChatAsked, request: Request) -> Any:
        """Answer the last message from the documents; its sources follow as text and as `citations`."""
        _known(asked.model)
        question = question_of(asked.messages)
        answering = Answering(site, question)
        if asked.stream:
            usage = asked.stream_options is not None and asked.stream_options.include_usage
            return sse.response(_stream(site, answering, request, usage))
        answer = await answering.answer(request)
        return whole(answer, question, str(request.base_url)) if answer is not None else Response(status_code=499)

    return routes


def _model() -> dict[str, Any]:
    return {"id": MODEL, "object": "model", "created": 0, "owned_by": "indexer"}


def _known(model: str) -> None:
    if model != MODEL:
        raise Problem(404, "model_not_found", Message("There is no model {name}; the model is {model}.", {"name": model[:100], "model": MODEL}))  # fmt: skip


def question_of(messages: Sequence[ChatMessage]) -> Question:
    """The last message as the question, what was said before as its history; raises Problem (400)."""
    said = [Turn(m.role, text) for m in messages if m.role in ("user", "assistant") and (text := _text(m))]
    if not said or said[-1].role != "user":
        raise Problem(400, "no_question", Message("The last message has to be the user's question."))
    return Question(said[-1].text, _PASSAGES, history=tuple(said[:-1]))


def _text(message: ChatMessage) -> str:
    if isinstance(message.content, str):
        return message.content.strip()
    parts = [str(part.get("text", "")) for part in message.content or () if part.get("type") in ("text", "input_text")]
    return "\n".join(parts).strip()


def whole(answer: Answer, question: Question, base: str) -> dict[str, Any]:
    """The answer as one completion."""
    content = plain(answer.text) + sources(answer, base)
    return {
        "id": f"chatcmpl-{answer.id or 'none'}", "object": "chat.completion", "created": answer.created_ns // 10**9,
        "model": MODEL, "usage": usage_of(question, content), "citations": facts.citations(answer.citations),
        "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": {"role": "assistant", "content": content, "refusal": None}}],
    }  # fmt: skip


def sources(answer: Answer, base: str) -> str:
    """The cited passages as lines of text; front ends show nothing else."""
    named = [c for c in answer.citations if c.cited]
    if not named:
        return ""
    head = "来源：" if answer.language == "zh" else "Sources:"
    lines = [f"[{c.n}] {plain(c.citation)} — {base.rstrip('/')}{c.url}" for c in named]
    return "\n\n" + "\n".join([head, *lines])


def usage_of(question: Question, content: str) -> dict[str, int]:
    """An estimate, for front ends that add it up: four bytes of UTF-8 to a token."""
    asked = sum(_tokens(turn.text) for turn in question.history) + _tokens(question.text)
    answered = _tokens(content)
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // 4)


async def _stream(site: Site, answering: Answering, request: Request, usage: bool) -> AsyncIterator[bytes]:
    chunks = _Chunks(str(request.base_url), usage)
    quiet = time.monotonic()
    try:
        async for kind, told in answering.events(request):
            for piece in chunks.of(kind, told):
                quiet = time.monotonic()
                yield piece
            if time.monotonic() - quiet > sse.SILENCE:
                quiet = time.monotonic()
                yield sse.KEEP_ALIVE
    except Exception as e:  # the answer has begun: what is wrong can only be a chunk
        problem = logged(site, e, "POST", request.url.path)
        yield _data(openai_error(problem, lang_of(request, site)))
    yield b"data: [DONE]\n\n"


class _Chunks:
    """What is told of an answer, as chunks of a completion."""

    def __init__(self, base: str, usage: bool) -> None:
        self._base, self._usage = base, usage
        self._id, self._said = f"chatcmpl-{time.time_ns():x}", ""

    def of(self, kind: str, told: Mapping[str, Any]) -> list[bytes]:
        """The chunks for one event."""
        if kind == "sources":
            return [self._chunk({"role": "assistant", "content": ""})]
        if kind == "token":
            self._said += told["text"]
            return [self._chunk({"content": plain(told["text"])})]
        return self._end(told["answer"]) if kind == "answer" else []

    def _end(self, answer: Answer) -> list[bytes]:
        """What was not told as words yet, the sources, and the end."""
        rest = answer.text.removeprefix(self._said) if answer.text.startswith(self._said) else ""
        last = plain(rest) + sources(answer, self._base)
        cited = {"citations": facts.citations(answer.citations)}
        chunks = [self._chunk({"content": last})] if last else []
        chunks.append(self._chunk({}, "stop", cited))
        if self._usage:
            question = Question(answer.question)
            chunks.append(_data({**self._frame(), "choices": [], "usage": usage_of(question, self._said + last)}))
        return chunks

    def _frame(self) -> dict[str, Any]:
        return {"id": self._id, "object": "chat.completion.chunk", "created": int(time.time()), "model": MODEL}

    def _chunk(
        self, delta: Mapping[str, Any], reason: str | None = None, more: Mapping[str, Any] | None = None
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _data({**self._frame(), "choices": [choice], **(more or {})})


def _data(facts: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(facts, ensure_ascii=True)}\n\n".encode()
