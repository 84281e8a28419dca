"""What the tools give, as structured output: the schemas a client reads, and the values."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """A JSON object."""

    model_config = ConfigDict(extra="forbid")


class Place(Shape):
    """Where a passage stands, with everything that finds it again."""

    document: str = Field(description="the id of its document, for the tool `document`")
    source: str
    path: str
    title: str
    label: str = Field(description="the document's own version label, empty where it has none")
    headings: list[str]
    page: int | None
    place: str = Field(description="lines, cells or time, in the format's own notation")
    start: int = Field(description="first character in the document's text")
    end: int
    sha256: str = Field(description="of the file's bytes")
    citation: str = Field(description="how one would cite it")
    url: str = Field(description="a page that shows it highlighted; empty where no Web UI is served")
    text: str


class Hit(Place):
    """A found passage."""

    score: float = Field(description="similarity of meaning, -1 to 1; 0 where only words were compared")
    found_by: list[str] = Field(description="vector (meaning), lexical (words)")


class Found(Shape):
    """The passages, best first."""

    commit: int = Field(description="the commit that was searched")
    mode: str
    hits: list[Hit]
    left_off: int = Field(description="passages that were found and did not fit into the answer: ask for fewer")


class Cited(Place):
    """A passage the answer rests on."""

    n: int = Field(description="its number in the text, written [n]")
    cited: bool = Field(description="whether the text names it")


class Answer(Shape):
    """An answer with citations made by code."""

    id: str = Field(description="`indexer answer ID` shows later what it rested on; empty where it was not kept")
    text: str
    language: str
    grounded: Literal["llm", "extractive", "nothing"] = Field(
        description="llm: a model wrote it from the passages; extractive: sentences of the passages, word for word; "
        "nothing: the documents do not answer this"
    )
    model: str
    commit: int
    citations: list[Cited]
    notes: list[str] = Field(description="what a reader must know: no model configured, the model failed, cut off")
    failed: bool = Field(description="whether the configured model did not do its work")


class Section(Shape):
    """A stretch of the text with one place."""

    start: int
    end: int
    headings: list[str]
    page: int | None
    place: str


class Page(Shape):
    """A document's text, or a page of it."""

    document: str
    source: str
    path: str
    title: str
    label: str
    text: str
    start: int
    end: int
    total: int = Field(description="characters of the whole text")
    next: int | None = Field(description="`start` of the next page; null at the end")
    sections: list[Section] = Field(description="the stretches this page touches, at most 200")
    commit: int = Field(description="the commit that brought this version")
    since: str | None = Field(description="when that was")
    newest: bool = Field(description="whether it is the version that is found now")
    sha256: str
    url: str


class Change(Shape):
    """How one document differs."""

    document: str
    source: str
    path: str
    change: Literal["added", "modified", "deleted"]


class Changes(Shape):
    """Which documents differ between two commits, by path."""

    since: int
    commit: int = Field(description="the cursor: give it as `since` the next time")
    total: int
    added: int
    modified: int
    deleted: int
    changes: list[Change]
    next: int | None = Field(description="`offset` of the next page (with this `commit` as `until`); null at the end")


class Run(Shape):
    """One update that ended."""

    run: int
    trigger: str
    started: str | None
    finished: str | None
    exit_code: int | None
    error: str | None


class Standing(Shape):
    """How the index stands."""

    commit: int = Field(description="the newest commit; 0: nothing is indexed yet")
    committed: str | None
    fresh: bool = Field(description="whether the folders were looked at in full within the last day")
    age_seconds: float | None = Field(description="since that look")
    watched: bool = Field(description="whether changes are followed as they happen")
    documents: dict[str, int] = Field(description="number of documents by state")
    passages: int
    held: int = Field(description="documents gone from a folder and still found until a person confirms")
    sources: list[str]
    model: str
    waiting: int = Field(description="updates asked for and not begun")
    running: str | None = Field(description="since when an update is at work")
    next_run: str | None
    last_run: Run | None
    problems: list[str] = Field(description="what needs a person")


def schema(model: type[BaseModel], *, given: bool) -> dict[str, Any]:
    """The JSON schema of arguments (``given``) or of a result, with what a model needs of it."""
    made = _lean(model.model_json_schema(by_alias=True, mode="validation" if given else "serialization"))
    if "required" in made:  # what has to be given comes first: a model reads from the top
        made["properties"] = dict(sorted(made["properties"].items(), key=lambda p: p[0] not in made["required"]))
    return {key: value for key, value in made.items() if key != "description"}


def _lean(part: Any) -> Any:
    """Without the titles pydantic makes of the names: every client pays for them with each conversation."""
    if isinstance(part, dict):
        return {key: _lean(value) for key, value in part.items() if key != "title" or not isinstance(value, str)}
    return [_lean(value) for value in part] if isinstance(part, list) else part
