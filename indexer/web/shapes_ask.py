"""Questions and answers, as the OpenAPI document shows them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from . import examples
from .shapes import Flag, Int, PassageShown, Shape, Where, shown


class TurnAsked(Shape):
    """One earlier message of the conversation."""

    role: Literal["user", "assistant"]
    text: Annotated[str, Field(max_length=20_000)]


class QuestionAsked(Where):
    """A question."""

    model_config = shown(examples.QUESTION)
    question: Annotated[str, Field(min_length=1, max_length=4000)]
    k: Int = Field(8, ge=1, le=50, description="passages to answer from")
    history: list[TurnAsked] = Field([], max_length=100, description="oldest first")
    stream: Flag = Field(False, description="server-sent events: sources, token, answer, error")


class CitationShown(PassageShown):
    """One passage an answer rests on; `url` opens it highlighted."""

    n: int
    cited: bool = Field(description="whether the answer names it")


class AnswerShown(Shape):
    """An answer; its citations are made by code, not by the model."""

    model_config = shown(examples.ANSWER)
    id: str
    question: str
    text: str
    language: str
    citations: list[CitationShown]
    grounded: Literal["llm", "extractive", "nothing"]
    model: str
    commit: int
    as_of: str
    created: str | None
    notes: list[str]
    failed: bool = Field(description="whether the configured model did not do its work")


class StandingShown(Shape):
    """What became of a citation's document since."""

    n: int
    state: Literal["unchanged", "changed", "gone"]
    commit: int
    sha256: str
    label: str


class AnswerKept(AnswerShown):
    """A kept answer, and whether what it rests on still holds."""

    model_config = shown({**examples.ANSWER, "standing": [examples.STANDING]})
    standing: list[StandingShown]


class Answers(Shape):
    """Newest first; `next` is the `before` of the following page."""

    model_config = shown({"answers": [examples.ANSWER], "next": None})
    answers: list[AnswerShown]
    next: int | None
