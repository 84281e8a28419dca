"""What is asked and answered about documents, as the OpenAPI document shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from . import examples
from .shapes import Shape, shown

StateName = Literal["indexed", "warned", "no_text", "failed", "stale", "ignored", "held"]


class Listed(Shape):
    """A document in a list."""

    model_config = shown(examples.LISTED)
    document: str
    source: str
    path: str
    name: str
    state: StateName
    chunks: int
    title: str
    label: str
    size: int | None = Field(description="bytes; null where the folder's record does not tell")
    version: int | None = Field(description="the commit that brought what is found")
    changed: str | None = Field(description="when that was")
    reasons: list[str]
    remedy: str = Field(description="what a person can do about the state")
    retry_at: str | None
    held: bool = Field(description="gone from the folder; the deletion waits for a confirmation")


class Documents(Shape):
    """A page of documents; `next` is the `cursor` of the following page."""

    model_config = shown({"documents": [examples.LISTED], "total": 1, "next": None})
    documents: list[Listed]
    total: int
    next: str | None


class DocumentShown(Listed):
    """All that is known of a document."""

    model_config = shown(examples.DOCUMENT)
    sha256: str | None
    parser: str
    tries: int
    pinned: int | None = Field(description="the commit a rollback pinned it to")
    actor: str
    client: str
    trigger: str
    writable: bool = Field(description="whether its folder takes uploads and deletions")


class Uploaded(Shape):
    """A file that lies in its folder now; it becomes searchable with the request."""

    model_config = shown(examples.UPLOADED)
    document: str
    source: str
    path: str
    size: int
    sha256: str
    request: str


class SectionShown(Shape):
    """A stretch of the text with one place."""

    start: int
    end: int
    headings: list[str]
    page: int | None
    place: str


class TextShown(Shape):
    """A document's text as it was read; hits and citations count its characters."""

    model_config = shown(examples.TEXT)
    text: str
    sections: list[SectionShown]
    commit: int
    sha256: str


class VersionShown(Shape):
    """What a document was from commit `added` until commit `removed`."""

    added: int
    removed: int | None
    at: str | None
    chunks: int
    sha256: str
    title: str
    label: str
    actor: str
    client: str
    trigger: str


class Versions(Shape):
    """Newest first."""

    model_config = shown({"versions": [examples.VERSION]})
    versions: list[VersionShown]


class Line(Shape):
    """One line of a comparison."""

    kind: Literal["same", "added", "removed"]
    text: str


class TextDiff(Shape):
    """How the text of two versions differs, line by line."""

    model_config = shown(examples.DIFF)
    old: int = Field(alias="from")
    new: int = Field(alias="to")
    lines: list[Line]


class Why(Shape):
    """Why a file is, or is not, in the index."""

    model_config = shown(examples.WHY)
    document: str
    source: str
    path: str
    rule: str | None = Field(description="the rule that keeps it out")
    indexed: bool
    state: str | None
    reasons: list[str]
    remedy: str
    sentences: list[str]
