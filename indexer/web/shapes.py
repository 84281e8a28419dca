"""What is asked and answered, as the OpenAPI document shows it: searching, asking, requests, runs, health."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool

from . import examples


def _number(value: object) -> object:
    if isinstance(value, (bool, str)):  # pydantic would take true for 1, and "1" for it as well
        raise ValueError("a number is expected")
    return value


Int = Annotated[int, BeforeValidator(_number)]
Real = Annotated[float, BeforeValidator(_number)]
Flag = StrictBool
Short = Annotated[str, Field(max_length=1000)]
Mode = Literal["hybrid", "vector", "lexical"]


class Shape(BaseModel):
    """A JSON object; unknown fields of a request are a mistake and said so."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, serialize_by_alias=True)


def shown(example: Any) -> ConfigDict:
    """The configuration of a shape with an example."""
    return ConfigDict(
        extra="forbid", populate_by_name=True, serialize_by_alias=True, json_schema_extra={"examples": [example]}
    )


class Where(Shape):
    """Which documents are searched: an empty field restricts nothing."""

    as_of: Short = Field("", description="a commit number or an ISO time: the state of that moment")
    inside: Short = Field("", alias="in", description="a glob or folder over source/path")
    source: Short = Field("", description="the name of a source")
    type: list[Annotated[str, Field(max_length=20)]] = Field([], max_length=50, description='suffixes such as ".pdf"')
    after: Short = Field("", description="ISO time: became visible then or later")
    before: Short = Field("", description="ISO time: became visible before")
    label: Short = Field("", description='the document\'s own version label, such as "v3.1"')


class SearchAsked(Where):
    """A search."""

    model_config = shown(examples.SEARCH)
    q: Annotated[str, Field(min_length=1, max_length=4000)] = Field(description="what is looked for, in words")
    k: Int = Field(10, ge=1, le=100, description="how many passages")
    mode: Mode | None = Field(None, description="by meaning and words (hybrid), or one of them; default: as configured")
    per_document: Int = Field(0, ge=0, le=100, description="passages of one document that come first; 0: as configured")


class PassageShown(Shape):
    """A passage where it stands; `start` and `end` count characters of its document's text."""

    document: str = Field(description="the id of its document")
    source: str
    path: str
    title: str
    label: str
    headings: list[str]
    page: int | None
    place: str
    start: int
    end: int
    text: str
    score: float = Field(description="cosine, -1 to 1")
    citation: str
    commit: int
    sha256: str
    passage: int
    url: str = Field(description="a page that shows the passage highlighted")


class HitShown(PassageShown):
    """A found passage."""

    fused: float = Field(description="what hybrid search orders by")
    found_by: list[str]


class Found(Shape):
    """The passages, best first."""

    model_config = shown(examples.FOUND)
    query: str
    commit: int
    mode: Mode
    hits: list[HitShown]


class Alive(Shape):
    """Whether it lives, or is ready."""

    model_config = shown({"status": "ok"})
    status: Literal["ok", "unready"]


class ProblemShown(BaseModel):
    """What went wrong (RFC 9457)."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [examples.PROBLEM]})
    type: str
    title: str
    status: int
    detail: str = Field(description="a sentence for people, in the language of Accept-Language")
    code: str = Field(description="a word for programs")


class Requested(Shape):
    """Asked for; how it stands tells `GET /requests/{request}`."""

    model_config = shown({"request": "q3l0S8yX2mJd9a1B"})
    request: str


class RequestShown(Shape):
    """How a request stands."""

    model_config = shown(examples.REQUEST)
    request: str
    state: Literal["waiting", "running", "done"]
    run: int | None
    exit_code: int | None
    commit: int | None
    error: str | None = Field(description="why its run could not go on")


class RunAsked(Shape):
    """What an update looks at."""

    model_config = shown({"verify_content": False, "documents": []})
    verify_content: Flag = Field(False, description="hash every file, trust no time stamp")
    documents: list[Annotated[str, Field(max_length=8192)]] = Field(
        [], max_length=2000, description="ids; none: everything"
    )


class RunShown(Shape):
    """One run that ended."""

    model_config = shown(examples.RUN)
    run: int
    started: str
    finished: str | None
    actor: str
    client: str
    trigger: str
    exit_code: int | None
    report: dict[str, Any] = Field(description="its counts")
    error: str | None


class Runs(Shape):
    """Runs, newest first; `next` is the `before` of the following page."""

    model_config = shown({"runs": [examples.RUN], "next": None})
    runs: list[RunShown]
    next: int | None
