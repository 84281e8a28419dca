"""One question from the search to the kept answer."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import names
from ..core.errors import IndexerError, Interrupted, UsageError
from ..core.model import Hit, Message
from ..docid import docid
from ..i18n import translate
from . import prompt
from .background import usual
from .calling import Stop
from .chat import Model
from .extract import extract, supported
from .failures import CutOff, ModelFailed
from .model import Answer, Citation, Grounded, Question
from .numbers import MARK, Numbers
from .relevance import DEPTH, relevant
from .rerank import CANDIDATES, Rerank
from .words import language

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from .answers import Answers

Tell = Callable[[str, Mapping[str, Any]], None]
"""Called with ("sources", {"citations": [...]}), then ("token", {"text": ...}) as often as words arrive."""

NOTHING = Message("Nothing in the documents answers this question.")
NO_MODEL = Message(
    "No language model is configured (llm.model): these are sentences of the best passages, word for word."
)
INSTEAD = Message("Instead, these are sentences of the best passages, word for word.")
UNNAMED = Message("The model named no passage; a number stands only where a sentence repeats one.")
LONGEST = 4000
"""Characters of a question; what is longer is no question."""


class Means(NamedTuple):
    """What an answer is made with; each may be absent."""

    model: Model | None = None
    rerank: Rerank | None = None
    answers: Answers | None = None


class Draft(NamedTuple):
    """What was written so far. ``failed``: the configured model did not do its work."""

    text: str
    grounded: Grounded
    notes: tuple[Message, ...] = ()
    failed: bool = False
    cited: frozenset[int] = frozenset()


def answer(
    kb: KnowledgeBase, question: Question, means: Means, *, tell: Tell = lambda kind, facts: None,
    stop: Stop = lambda: False, now_ns: Callable[[], int] = time.time_ns,
) -> Answer:  # fmt: skip
    """The answer, kept. Raises UsageError, Interrupted when ``stop`` says so, and what a search raises.

    Words told as tokens are those of the answer's text, but for the numbers that code adds at the
    end (see :func:`.extract.supported`).
    """
    question = _checked(question)
    lang = language(question.text)
    wanted = prompt.searched(question.text, question.history)
    citations, commit, notes = _passages(kb, question, wanted, means)
    if stop():
        raise Interrupted("The question was withdrawn.")
    tell("sources", {"citations": citations})
    draft = _draft(question, citations, lang, means, tell, stop)
    marked = tuple(c._replace(cited=c.n in draft.cited) for c in citations)
    model = means.model.name if means.model and draft.grounded == "llm" else ""
    made = Answer(
        "", question.text, draft.text, lang, marked, draft.grounded, model, commit, question.as_of, now_ns(),
        (*notes, *draft.notes), draft.failed or bool(notes),
    )  # fmt: skip
    return _kept(made, means.answers)


def _checked(question: Question) -> Question:
    text = " ".join(question.text.encode("utf-8", "replace").decode().split())
    if not text:
        raise UsageError("The question is empty.")
    if len(text) > LONGEST:
        raise UsageError("The question has {n} characters; {most} are possible.", n=len(text), most=LONGEST)
    if question.k < 1:
        raise UsageError("{k} passages make no answer; k is 1 or more.", k=question.k)
    return question._replace(text=text)


def _passages(
    kb: KnowledgeBase, question: Question, wanted: str, means: Means
) -> tuple[tuple[Citation, ...], int, tuple[Message, ...]]:
    """What the answer will rest on, the commit searched, and a note where the reranker failed."""
    k = max(question.k * (CANDIDATES if means.rerank else 1), DEPTH)
    hits = found(kb, wanted, k, question)
    commit = hits[0].commit if hits else _commit(kb, question.as_of)
    if not hits or not relevant(wanted, hits, usual(kb, wanted), kb.settings.embedding.model):
        return (), commit, ()
    notes: tuple[Message, ...] = ()
    if means.rerank:
        try:
            hits = means.rerank(wanted, hits)
        except Exception as error:  # a foreign class may raise anything
            text = Message("The reranker failed ({reason}): the order of the search stands.", {"reason": str(error)})
            notes = (text,)
    return tuple(cite(n, hit) for n, hit in enumerate(hits[: question.k], 1)), commit, notes


def found(kb: KnowledgeBase, wanted: str, k: int, question: Question) -> list[Hit]:
    """What a search finds; where a phrase in quotation marks stands nowhere, what it finds without the marks.

    To a search the marks are an order, in a question they may be no more than punctuation.
    """
    hits = kb.search(wanted, k, as_of=question.as_of, filters=question.filters)
    if hits or '"' not in wanted:
        return hits
    return kb.search(wanted.replace('"', " "), k, as_of=question.as_of, filters=question.filters)


def cite(n: int, hit: Hit) -> Citation:
    """A found chunk as the n-th passage of an answer."""
    document = docid(hit.key)
    url = f"/documents/{document}?commit={hit.commit}&start={hit.start}&end={hit.end}"
    return Citation(
        n, document, hit.key.source, hit.key.path, hit.title, hit.label, hit.headings, hit.page, hit.place, hit.start,
        hit.end, hit.text, hit.commit, hit.sha256, hit.passage, names.citation(hit), url, hit.score,
    )  # fmt: skip


def _commit(kb: KnowledgeBase, as_of: str) -> int:
    """The commit that was searched where nothing came back from it."""
    with kb.lock:
        if kb.layout.served() is None:
            return 0
        reader = kb.reader()
        return reader.commit_of(as_of) if as_of else reader.catalog.head()


def _draft(
    question: Question, citations: Sequence[Citation], lang: str, means: Means, tell: Tell, stop: Stop
) -> Draft:  # fmt: skip
    if not citations:
        text = translate(NOTHING, lang)
        tell("token", {"text": text})
        return Draft(text, "nothing")
    if means.model is None:
        return _extractive(question, citations, tell, (NO_MODEL,), failed=False)
    numbers, parts = Numbers(len(citations)), list[str]()

    def say(text: str) -> None:
        if text:
            parts.append(text)
            tell("token", {"text": text})

    notes: tuple[Message, ...] = ()
    failed = False
    try:
        for piece in means.model.stream(prompt.messages(question, citations, lang, secrets.token_hex(4)), stop):
            say(numbers.feed(piece))
    except ModelFailed as e:
        return _extractive(question, citations, tell, (e.note, INSTEAD), failed=True)
    except CutOff as e:
        notes, failed = (e.note,), e.failed
    say(numbers.end())
    return _named(Draft("".join(parts).strip(), "llm", notes, failed, frozenset(numbers.cited)), citations)


def _named(draft: Draft, citations: Sequence[Citation]) -> Draft:
    """With numbers where the model gave none and a sentence repeats a passage."""
    if draft.cited:
        return draft
    text = supported(draft.text, citations)
    return draft._replace(text=text, notes=(*draft.notes, UNNAMED), cited=_numbers(text))


def _extractive(
    question: Question, citations: Sequence[Citation], tell: Tell, notes: tuple[Message, ...], failed: bool
) -> Draft:  # fmt: skip
    text = extract(prompt.searched(question.text, question.history), citations)
    tell("token", {"text": text})
    return Draft(text, "extractive", notes, failed, _numbers(text))


def _numbers(text: str) -> frozenset[int]:
    return frozenset(map(int, MARK.findall(text)))


def _kept(made: Answer, answers: Answers | None) -> Answer:
    """An answer that cannot be kept is still an answer."""
    if answers is None:
        return made
    try:
        kept, notes = answers.put(made)
    except IndexerError as e:
        return made._replace(notes=(*made.notes, Message("The answer was not kept: {why}", {"why": e.message})))
    return kept._replace(notes=(*kept.notes, *notes))
