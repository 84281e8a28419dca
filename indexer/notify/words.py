"""A letter in words, English or Chinese: one line for the subject, a few short paragraphs."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..core.model import Message
from ..i18n import translate
from ..logs.lines import printable
from .news import Named, News, short
from .post import Written

MARK = "[indexer]"
"""In every subject, so that it can be filtered by (DingTalk wants a keyword)."""


class Place(NamedTuple):
    """Whose news it is: the folder of the knowledge base and the machine."""

    home: str
    host: str

    @property
    def name(self) -> str:
        """What the subject calls it."""
        return printable(os.path.basename(self.home.rstrip("/\\")) or self.home)


def mood(news: News) -> str:
    """How it is coloured where a channel has colours."""
    if "failures" in news.kinds:
        return "failure" if news.errors else "warning"
    return "warning" if "held" in news.kinds else "success" if "recovery" in news.kinds else "info"


def written(news: News, place: Place, lang: str, names: int) -> Written:
    """Subject and body, with so many names of each kind."""
    said = Message("{name}: {what}", {"name": short(place.name), "what": list(_headlines(news))})
    parts = ["\n".join(part) for part in _parts(news, place, lang, names)]
    return Written(f"{MARK} {translate(said, lang)}", "\n\n".join(parts) + "\n")


def test_message(place: Place, lang: str) -> Written:
    """What ``indexer notify test`` sends."""
    args = {"name": short(place.name), "home": printable(place.home), "host": place.host}
    said = Message("This is a test: news of the knowledge base {home} on {host} will arrive here.", args)
    subject = translate(Message("{name}: test message", args), lang)
    return Written(f"{MARK} {subject}", translate(said, lang) + "\n")


def _headlines(news: News) -> Iterator[Message]:
    """The most important first."""
    if news.stopped:
        yield Message("the update failed")
    elif news.errors:
        yield Message("a source is not available")
    if news.failing_ns:
        yield Message("updates work again")
    if news.held.total:
        yield Message("deletions held: {count}", {"count": news.held.total})
    if news.failed_count:
        yield Message("files failed: {count}", {"count": news.failed_count})
    if news.fixed.total:
        yield Message("files fixed: {count}", {"count": news.fixed.total})
    if settled := news.released.total + news.returned.total:
        yield Message("held deletions settled: {count}", {"count": settled})
    changes = (("added", news.added), ("modified", news.modified), ("deleted", news.deleted), ("moved", news.moved))
    for name, some in changes:
        if some.total:
            yield Message("{name} {count}", {"name": Message(name), "count": some.total})


def _parts(news: News, place: Place, lang: str, names: int) -> Iterator[list[str]]:
    """The paragraphs, as lines."""

    def t(text: str, /, **args: object) -> str:
        return translate(Message(text, args), lang)

    if news.errors:
        yield [_error(news, e, lang) for e in news.errors[: max(1, names)]]
        if news.stopped:
            yield [t("What was indexed before can still be found.")]
    if news.failing_ns:
        yield [t("Updates work again. They had failed since {since}.", since=_time(news.failing_ns))]
    yield from _held(news, place, lang, names)
    if news.failed_count:
        lines = [f"  {f.name}: {_clean(translate(f.reason, lang))}" for f in news.failed[:names]]
        yield [
            t("Files that cannot be indexed ({count}):", count=news.failed_count),
            *lines,
            *_more(news.failed_count, lines, lang),
        ]
    yield from _lists(news, lang, names)
    yield _footer(news, place, lang)


def _lists(news: News, lang: str, names: int) -> Iterator[list[str]]:
    """What is well again, what was decided, what changed."""

    def t(text: str, some: Named) -> str:
        return translate(Message(text, {"count": some.total}), lang)

    for title, some in (
        (t("No longer failing ({count}):", news.fixed), news.fixed),
        (t("Held deletions that were released ({count}):", news.released), news.released),
        (t("Held deletions whose files are back ({count}):", news.returned), news.returned),
        (t("Added ({count}):", news.added), news.added),
        (t("Modified ({count}):", news.modified), news.modified),
        (t("Deleted ({count}):", news.deleted), news.deleted),
        (t("Moved ({count}):", news.moved), news.moved),
    ):
        yield from _list(title, some, lang, names)


def _error(news: News, error: Message, lang: str) -> str:
    text = _clean(translate(error, lang))
    return translate(Message("The update could not go on: {error}", {"error": text}), lang) if news.stopped else text


def _held(news: News, place: Place, lang: str, names: int) -> Iterator[list[str]]:
    if not news.held.total:
        return
    args = {"count": news.held.total, "total": news.held_now, "command": command(place.home)}
    yield from _list(
        translate(Message(_GONE if news.held_now == news.held.total else _GONE_TOO, args), lang), news.held, lang, names
    )
    yield [translate(said, lang) for said in (Message(_TO_DELETE, args), Message(_TO_KEEP))]


_GONE = "{count} documents are gone from the folder, too many at once to be sure. Their deletion is held, they can still be found:"
_GONE_TOO = "More documents are gone from the folder ({count}, {total} in all). Their deletion is held, they can still be found:"
_TO_DELETE = "If they are to go, confirm it: {command}"
_TO_KEEP = "If not, put the files back (or mount the folder); the next update sees them."


def command(home: str) -> str:
    """What releases held deletions, for a shell."""
    quoted = f'"{home}"' if os.name == "nt" else shlex.quote(home)
    return f"indexer update --now --allow-deletions --home {quoted}"


def _list(title: str, some: Named, lang: str, names: int) -> Iterator[list[str]]:
    if some.total:
        lines = [f"  {name}" for name in some.names[:names]]
        yield [title, *lines, *_more(some.total, lines, lang)] if lines else [title.rstrip(":：")]


def _more(count: int, lines: Sequence[str], lang: str) -> list[str]:
    left = count - len(lines)
    if not left or not lines:
        return []
    return ["  " + translate(Message("… and {count} more", {"count": left}), lang)]


def _footer(news: News, place: Place, lang: str) -> list[str]:
    args = {
        "run": news.run, "trigger": news.trigger, "at": _time(news.at_ns), "seconds": f"{news.seconds:.1f}", "runs": news.runs,
        "before": news.commit_before, "commit": news.commit, "left": news.left,
    }  # fmt: skip
    lines = [Message(_RUNS, args) if news.runs > 1 else Message(_ONE_RUN if news.run else _NO_NUMBER, args)]
    if news.left:
        lines.append(Message("{left} files are left for the next run: the limit of this one was reached.", args))
    lines.append(Message("Knowledge base {home} on {host}", {"home": printable(place.home), "host": place.host}))
    return [translate(line, lang) for line in lines]


_ONE_RUN = "Run {run} ({trigger}), {at}, {seconds} s, commit {before} → {commit}"
_NO_NUMBER = "Run ({trigger}), {at}, {seconds} s"
_RUNS = "{runs} runs, the last is {run} ({trigger}), {at}, commit {before} → {commit}"


def _clean(text: str) -> str:
    return "\n    ".join(printable(line) for line in text.split("\n"))


def _time(ns: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S%z", time.localtime(ns // 10**9))
