"""The results as text, for clients that show or pass on only that. What comes from documents is quoted line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..core.model import Message
from ..i18n import translate
from . import shown
from .plain import harmless

Say = Callable[[Message], str]


def found(result: shown.Found, say: Say) -> Iterator[str]:
    """Passages with their places."""
    if not result.hits:
        yield say(Message("Nothing found (commit {commit}).", {"commit": result.commit}))
        return
    yield say(Message("{count} passages, best first (commit {commit}).", {"count": len(result.hits), "commit": result.commit}))  # fmt: skip
    for n, hit in enumerate(result.hits, 1):
        yield ""
        yield from passage(n, hit, say)
    if result.left_off:
        yield ""
        yield say(Message("{count} more passages did not fit: ask for fewer (k), or for one document at a time.", {"count": result.left_off}))  # fmt: skip


def passage(n: int, at: shown.Place, say: Say) -> Iterator[str]:
    """One passage: its citation, where to read on, its words."""
    yield f"[{n}] {at.citation}"
    yield _where(at, say)
    if at.url:
        yield f"    {at.url}"
    yield from quoted(at.text)


def _where(at: shown.Place, say: Say) -> str:
    words = {"name": f"{at.source}/{at.path}", "start": at.start, "end": at.end, "document": at.document}
    return "    " + say(Message("{name}, characters {start}-{end}, document {document}", words))


def quoted(text: str) -> Iterator[str]:
    """Line by line behind a mark, so that no document can pretend to be part of the answer around it."""
    for line in text.splitlines():
        yield f"    | {line}"


def answer(result: shown.Answer, say: Say) -> Iterator[str]:
    """The answer, what a reader must know, and what it rests on."""
    yield result.text
    cited = [c for c in result.citations if c.cited] or result.citations
    if cited:
        yield ""
        yield say(Message("It rests on (commit {commit}):", {"commit": result.commit}))
    for citation in cited:
        yield from passage(citation.n, citation, say)
    if result.notes or result.id:
        yield ""
    yield from result.notes
    if result.id:
        yield say(Message("Kept as {id}: `indexer answer {id}` shows what it rests on.", {"id": result.id}))


def page(result: shown.Page, say: Say) -> Iterator[str]:
    """A page of a document, the text as it is."""
    words = {
        "name": f"{result.source}/{result.path}", "start": result.start, "end": result.end, "total": result.total,
        "commit": result.commit, "since": result.since or "?",
    }  # fmt: skip
    yield say(Message("{name}: characters {start}-{end} of {total}, version of commit {commit} ({since})", words))
    if not result.newest:
        yield say(Message("This version is not found any more: the document was changed or deleted since."))
    yield ""
    yield result.text
    if result.next is not None:
        yield ""
        yield say(Message("The next page begins at {start}.", {"start": result.next}))


def changes(result: shown.Changes, say: Say) -> Iterator[str]:
    """One line per document."""
    words = {"old": result.since, "new": result.commit, "added": result.added, "modified": result.modified, "deleted": result.deleted}  # fmt: skip
    yield say(Message("From commit {old} to {new}: {added} added, {modified} modified, {deleted} deleted", words))
    for one in result.changes:
        yield f"{say(Message(one.change))}: {one.source}/{one.path}  ({one.document})"
    if result.next is not None:
        yield say(Message("More: offset {next}, until {commit}.", {"next": result.next, "commit": result.commit}))


def standing(result: shown.Standing, say: Say) -> Iterator[str]:
    """What is wrong first."""
    yield from (f"! {problem}" for problem in result.problems)
    if result.commit:
        yield say(Message("Commit {commit} of {at}", {"commit": result.commit, "at": result.committed or "?"}))
        counts = ", ".join(f"{say(Message(state))} {n}" for state, n in sorted(result.documents.items()) if n)
        yield say(Message("Documents: {counts}; {passages} passages", {"counts": counts or "0", "passages": result.passages}))  # fmt: skip
    if result.age_seconds is not None:
        yield say(Message("The folders were looked at in full {seconds} seconds ago.", {"seconds": round(result.age_seconds)}))  # fmt: skip
    if result.running:
        yield say(Message("An update is at work since {since}.", {"since": result.running}))
    yield say(Message("Sources: {sources}", {"sources": ", ".join(result.sources)}))


def text(lines: Iterator[str] | Sequence[str]) -> str:
    """As one text without what a terminal would take for a command."""
    return harmless("\n".join(lines))


def sayer(lang: str) -> Say:
    """Sentences in one language."""
    return lambda message: translate(message, lang)
