"""The frozen values of question answering: what is asked, what it rested on, what was answered."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..core.model import Filters, Message

Grounded = Literal["llm", "extractive", "nothing"]
"""Who wrote the text: the model, nobody (sentences of the passages, word for word), or there was nothing to write."""

State = Literal["unchanged", "changed", "gone"]


class Turn(NamedTuple):
    """One earlier message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


class Question(NamedTuple):
    """What is asked. ``k``: passages to answer from; ``as_of``: a commit or a time; ``history``: oldest first."""

    text: str
    k: int = 8
    as_of: str = ""
    filters: Filters = Filters()
    history: tuple[Turn, ...] = ()


class Citation(NamedTuple):
    """One passage an answer rests on, with everything that finds it again.

    ``n`` is its number in the text, ``document`` its id in URLs, ``start`` and ``end`` are characters
    of the document's text, ``commit`` the one that was searched, ``citation`` how one would write it.
    ``cited``: whether the text names it; the others were given to the model and not named.
    """

    n: int
    document: str
    source: str
    path: str
    title: str
    label: str
    headings: tuple[str, ...]
    page: int | None
    place: str
    start: int
    end: int
    text: str
    commit: int
    sha256: str
    passage: int
    citation: str
    url: str
    score: float = 0.0
    cited: bool = False


class Answer(NamedTuple):
    """What was answered, and on what it rests. ``id`` is empty where it could not be kept.

    ``language`` is "zh" or "en": that of the question. ``model`` is empty where no model wrote it.
    ``notes`` says what a reader must know: no model configured, the model failed, it was cut off.
    ``failed``: whether the model that is configured did not do its work.
    """

    id: str
    question: str
    text: str
    language: str
    citations: tuple[Citation, ...]
    grounded: Grounded
    model: str
    commit: int
    as_of: str
    created_ns: int
    notes: tuple[Message, ...] = ()
    failed: bool = False


class Standing(NamedTuple):
    """What became of a citation's document. ``commit``, ``sha256``, ``label``: its version now; 0, "" when gone."""

    n: int
    state: State
    commit: int = 0
    sha256: str = ""
    label: str = ""


class Kept(NamedTuple):
    """An answer as it was kept, and how each of its citations stands now."""

    answer: Answer
    standing: tuple[Standing, ...]
