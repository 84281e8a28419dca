"""`ask`: an answer from the documents with citations made by code."""

from __future__ import annotations

from ..ask import Answer, Citation, Question
from ..core.model import Key, display
from ..i18n import translate
from . import asked, shown
from .desk import Call, Desk, indexed
from .plain import plain
from .searching import filters, link


def ask(desk: Desk, given: asked.Ask, call: Call) -> shown.Answer:
    """The answer, kept; raises UsageError, Interrupted when nobody waits for it any more."""
    kb = desk.kb
    indexed(kb)
    question = Question(given.question, given.k, given.as_of, filters(given))
    return told(kb.ask(question, stop=call.stop), call)


def told(answer: Answer, call: Call) -> shown.Answer:
    """As the client gets it."""
    return shown.Answer(
        id=answer.id, text=plain(answer.text), language=answer.language, grounded=answer.grounded,
        model=plain(answer.model), commit=answer.commit, failed=answer.failed,
        citations=[_cited(c, call.base) for c in answer.citations],
        notes=[plain(translate(note, call.lang)) for note in answer.notes],
    )  # fmt: skip


def _cited(c: Citation, base: str) -> shown.Cited:
    return shown.Cited(
        n=c.n, cited=c.cited, document=c.document, source=display(c.source), path=display(c.path), title=plain(c.title),
        label=plain(c.label), headings=[plain(h) for h in c.headings], page=c.page, place=plain(c.place), start=c.start,
        end=c.end, sha256=c.sha256, citation=plain(c.citation), text=plain(c.text),
        url=link(base, Key(c.source, c.path), c.commit, c.start, c.end),
    )  # fmt: skip
