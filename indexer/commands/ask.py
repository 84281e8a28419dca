"""``indexer ask``, ``indexer answer``: questions answered from the documents, and what an answer rested on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import DONE, PARTIAL, UsageError
from ..core.model import Filters, Key, Message
from . import knowledge_base
from .search import _positive
from .times import local

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..ask import Answer, Citation, Standing
    from ..cli import Out


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What each command takes."""
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
    if name == "answer":
        sub.add_argument("id", nargs="?", default="", metavar="ID", help=t("a kept answer; without it the latest are listed"))  # fmt: skip
        sub.add_argument("-n", type=_positive, default=20, metavar="N", help=t("how many are listed (default 20)"))
        return
    sub.add_argument("question", metavar="QUESTION", help=t("what you want to know"))
    sub.add_argument("-k", type=_positive, default=8, metavar="N", help=t("from how many passages (default 8)"))
    sub.add_argument(
        "--in", dest="inside", default="", metavar="PATTERN", help=t("only documents matching this glob or folder")
    )
    sub.add_argument("--as-of", default="", metavar="COMMIT|TIME", help=t("answer from the index as it was then"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    kb = knowledge_base(options, out)
    if options.command == "ask":
        return _ask(kb, options, out)
    return _answer(kb, options, out) if options.id else _latest(kb, options, out)


def _ask(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    """Exit code 3 when the configured model did not do its work: there is an answer, but not the one meant."""
    if kb.layout.served() is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    live = sys.stdout.isatty() and not options.json
    heard: list[str] = []

    def tell(kind: str, facts: Mapping[str, Any]) -> None:
        if live and kind == "token":
            heard.append(facts["text"])
            sys.stdout.write(printable(facts["text"]))
            sys.stdout.flush()

    answer = kb.ask(options.question, options.k, as_of=options.as_of, filters=Filters(inside=options.inside), tell=tell)
    if options.json:
        from ..ask.wire import shown

        out.json(shown(answer, out.lang))
    else:
        out.line("" if "".join(heard).strip() == answer.text else ("\n" if heard else "") + printable(answer.text))
        _say_sources(answer, out)
    return PARTIAL if answer.failed else DONE


def _say_sources(answer: Answer, out: Out) -> None:
    for note in answer.notes:
        out.warn("{text}", text=note)
    for citation in answer.citations:
        if citation.cited:
            out.line(f"[{citation.n}] {_place(citation)}")
    if answer.id:
        out.say("Kept as {id}: `indexer answer {id}` shows what it rests on.", id=answer.id)


def _place(citation: Citation) -> str:
    return f"{printable(citation.citation)} · {Key(citation.source, citation.path)}"


def _answer(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    kept = kb.answer(options.id)
    if options.json:
        from ..ask import wire

        out.json(wire.kept(kept, out.lang))
        return DONE
    answer = kept.answer
    out.say("Question: {question}", question=printable(answer.question))
    out.say("Asked {when}, answered from commit {commit}{model}", when=local(answer.created_ns), commit=answer.commit,
            model=Message(" by {model}", {"model": answer.model}) if answer.model else "")  # fmt: skip
    out.line("\n" + printable(answer.text) + "\n")
    for note in answer.notes:
        out.say("{text}", text=note)
    for citation, standing in zip(answer.citations, kept.standing, strict=True):
        _say_citation(citation, standing, out)
    return DONE


def _say_citation(citation: Citation, standing: Standing, out: Out) -> None:
    mark = "" if citation.cited else " " + out.text("(not named in the answer)")
    out.line(f"[{citation.n}] {_place(citation)}{mark}")
    args = {"commit": standing.commit, "sha": standing.sha256[:12]}
    out.line("    " + out.text(Message(_STANDING[standing.state].text, args)))
    where = {"commit": citation.commit, "sha": citation.sha256, "start": citation.start, "end": citation.end}
    out.line("    " + out.text("commit {commit}, characters {start}-{end}, sha256 {sha}", **where))
    for line in citation.text.splitlines():
        out.line("    | " + printable(line))


_STANDING = {
    "unchanged": Message("unchanged since"),
    "changed": Message("changed since: commit {commit} has another version (sha256 {sha}…)"),
    "gone": Message("gone since"),
}


def _latest(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..ask import latest
    from ..ask.wire import shown

    answers = latest(kb, options.n)
    if options.json:
        out.json([shown(a, out.lang) for a in answers])
        return DONE
    if not answers:
        out.say("No answers are kept.")
    for answer in answers:
        out.line(f"{answer.id}  {local(answer.created_ns)}  {printable(answer.question)[:100]}")
    return DONE


def printable(text: str) -> str:
    """Without what a terminal would take for a command: text of documents and models is only text."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
