"""What of a run is new: the difference between what it found and what was told already."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ..core.errors import BUSY, INTERRUPTED
from ..core.model import EMPTY, Key, Message, raw
from ..report import Outcome, Report
from .news import NAMES, Failed, Named, News, short

MINUTE, HOUR = 60 * 10**9, 3600 * 10**9

AGAIN_NEXT_DAY = 6 * HOUR
"""A failure that stays is told once a day, but not at 23:50 and again at 00:05."""

AGAIN_AFTER_RECOVERY = HOUR
"""One that comes and goes is not told with each of its comings."""

DOUBTFUL = 10 * MINUTE
"""A file that could not be read at the moment (it is being written, a share does not answer) is told after this time."""

PASSING = "it is looked at again in the next run"
"""How the reasons of such files end (:mod:`indexer.sources.folder`)."""

_NAMED = 200


class Told(NamedTuple):
    """What was told, kept small: of documents eight characters each, and a few names.

    ``errors``: when each kind of failure was told last. ``failing_ns``: the first failing run since the
    last good one, 0 if that went well; ``owed``: it was told, so its end will be. ``files``: those that
    fail, ``doubtful`` since when others could not be read.
    """

    errors: Mapping[str, int] = EMPTY
    failing_ns: int = 0
    recovered_ns: int = 0
    owed: bool = False
    files: Mapping[str, str] = EMPTY
    doubtful: Mapping[str, int] = EMPTY
    held: frozenset[str] = frozenset()


def tell(told: Told, outcome: Outcome) -> tuple[Told, News]:
    """What is told after this run, and what of it is news (none of any kind if nothing is)."""
    at = outcome.ended_ns
    news = News(
        at_ns=at, run=outcome.run, trigger=outcome.ask.trigger, seconds=(at - outcome.started_ns) / 1e9,
        commit_before=outcome.commit_before, commit=outcome.commit,
    )  # fmt: skip
    report = outcome.report
    if report is None:
        if outcome.exit_code in (INTERRUPTED, BUSY) or outcome.error is None:
            return told, news
        told, due = _failing(told, [outcome.error], at)
        return told, news._replace(errors=due, stopped=bool(due))
    if report.dry_run:
        return told, news
    whole = not outcome.ask.paths and not report.unavailable
    told, news = _went(told, news, report, whole)
    told, news = _files(told, news, report, whole)
    told, news = _held(told, news, report, whole)
    t = report.tally
    moved = Named(len(t.moved), tuple(short(f"{a} → {b}") for a, b in sorted(t.moved)[:NAMES]))
    return told, news._replace(
        added=Named.of(t.added),
        modified=Named.of(t.modified),
        deleted=Named.of(t.deleted),
        moved=moved,
        left=report.left,
    )


def _went(told: Told, news: News, report: Report, whole: bool) -> tuple[Told, News]:
    """Sources that could not be looked at; the first good run after a failure."""
    if report.unavailable:
        told, due = _failing(told, report.unavailable, news.at_ns)
        return told, news._replace(errors=due)
    if not whole or not told.failing_ns:
        return told, news
    since = told.failing_ns if told.owed else 0
    return told._replace(failing_ns=0, recovered_ns=news.at_ns, owed=False), news._replace(failing_ns=since)


def _failing(told: Told, errors: Collection[Message], at: int) -> tuple[Told, tuple[Message, ...]]:
    """Those of the failures that are due."""
    when = {name: last for name, last in told.errors.items() if abs(at - last) < 48 * HOUR}
    due = tuple(e for e in errors if _due(when.get(_kind(e), 0), told.recovered_ns, at))
    when |= {_kind(e): at for e in due}
    return told._replace(errors=when, failing_ns=told.failing_ns or at, owed=told.owed or bool(due)), due


def _due(last: int, recovered: int, at: int) -> bool:
    gap = abs(at - last)  # a clock may have been set back
    another_day = time.localtime(at // 10**9)[:3] != time.localtime(last // 10**9)[:3]
    return not last or (another_day and gap >= AGAIN_NEXT_DAY) or (recovered > last and gap >= AGAIN_AFTER_RECOVERY)


def _kind(error: Message) -> str:
    """The same failure has the same name, whatever numbers and times its sentence holds."""
    return _hash(error.text.encode() + str(error.args.get("name", "")).encode())


def _files(told: Told, news: News, report: Report, whole: bool) -> tuple[Told, News]:
    """Files that fail since now, and those that do no more."""
    now = {key_hash(p.key): p for p in report.tally.problems.values()}
    passing = {i for i, p in now.items() if i not in told.files and p.reason.text.endswith(PASSING)}
    doubtful = {i: told.doubtful.get(i, news.at_ns) for i in passing}
    early = {i for i, since in doubtful.items() if abs(news.at_ns - since) < DOUBTFUL}
    fresh = sorted((p for i, p in now.items() if i not in told.files and i not in early), key=lambda p: p.key)
    changed = _changed(report) if told.files and not whole else frozenset()
    gone = {i: name for i, name in told.files.items() if i not in now and (whole or i in changed)}
    files = {i: name for i, name in told.files.items() if i not in gone}
    for p in fresh:
        files[key_hash(p.key)] = short(str(p.key)) if len(files) < _NAMED else ""
    news = news._replace(
        failed=tuple(Failed(short(str(p.key)), p.reason) for p in fresh[:NAMES]),
        failed_count=len(fresh),
        fixed=Named(len(gone), tuple(sorted(filter(None, gone.values()))[:NAMES])),
    )
    return told._replace(files=files, doubtful={i: doubtful[i] for i in early}), news


def _changed(report: Report) -> frozenset[str]:
    """Documents of which a run over some paths knows that they are well, or gone."""
    return frozenset(map(key_hash, (*report.tally.added, *report.tally.modified, *report.tally.deleted)))


def _held(told: Told, news: News, report: Report, whole: bool) -> tuple[Told, News]:
    """Deletions that are held since now, and those that are no more: released, or the files came back."""
    now = {key_hash(key): key for key in report.tally.held}
    fresh = [key for i, key in now.items() if i not in told.held]
    gone = told.held.difference(now) if whole else frozenset()
    removed = [key for key in report.tally.deleted if key_hash(key) in gone] if gone else []
    here = [k for k in (*report.tally.added, *report.tally.modified) if key_hash(k) in gone] if gone else []
    kept = (told.held - gone) | now.keys()
    returned = Named(len(gone) - len(removed), Named.of(here).names)
    news = news._replace(held=Named.of(fresh), held_now=len(kept), released=Named.of(removed), returned=returned)
    return told._replace(held=frozenset(kept)), news


def key_hash(key: Key) -> str:
    """Eight characters that stand for a document: among a million of them two alike are a 1:500 chance."""
    return _hash(key.source.encode() + b"\0" + raw(key.path))


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.blake2b(data, digest_size=6).digest()).decode()


def told_of(stored: Mapping[str, Any]) -> Told:
    """From what :func:`plain_told` made; raises KeyError, TypeError or ValueError for anything else."""
    held = str(stored["held"])
    return Told(
        {str(k): int(v) for k, v in stored["errors"].items()}, int(stored["failing_ns"]), int(stored["recovered_ns"]),
        bool(stored["owed"]), {str(k): str(v) for k, v in stored["files"].items()},
        {str(k): int(v) for k, v in stored["doubtful"].items()},
        frozenset(held[i : i + 8] for i in range(0, len(held), 8)),
    )  # fmt: skip


def plain_told(told: Told) -> dict[str, Any]:
    """As JSON; the held in one text, since there may be very many."""
    return {**told._asdict(), "held": "".join(sorted(told.held))}
