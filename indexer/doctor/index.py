"""The served index: whether it opens, how the last run went, which documents are not as they should be."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import DAMAGED, DONE, PARTIAL
from ..core.model import Message
from ..glance import glance, message_of
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning


def index(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether it opens and its files are the ones that were written (by size and time, as a reader does)."""
    from ..api import KnowledgeBase
    from ..store.local import Store

    name = Message("index")
    kb = KnowledgeBase(settings)
    catalog = kb.catalog()
    if catalog is None:
        remedy = Message("Put documents into the folder and run `indexer update --now`.")
        yield warning(name, Message("nothing is indexed yet"), remedy)
        return
    try:
        store = Store(kb.layout, str(kb.layout.served()), catalog)
        rows = catalog.db.all("SELECT id,vectors_stamp,texts_stamp FROM segment ORDER BY id")
        wrong = [str(p) for i, *stamps in rows for p in _changed(store, i, stamps)]
        words = {"commit": catalog.head(), "segments": len(rows), "generation": store.generation}
    finally:
        catalog.close()
    if wrong:
        text = Message("{path} is missing or is not the file that was written ({count} in all)", {"path": wrong[0], "count": len(wrong)})  # fmt: skip
        yield problem(name, text, Message("Run `indexer verify`, then `indexer repair`."), DAMAGED)
    else:
        yield ok(name, Message("commit {commit}, {segments} segments, in {generation}", words))


def _changed(store, segment: int, stamps: list[str]) -> Iterator[object]:  # type: ignore[no-untyped-def]
    """Files of a segment that are not the ones on record; a copied store has other times, so sizes decide."""
    for path, stamp in zip(store.segment_paths(segment), stamps, strict=True):
        size = stamp.split()[0]
        try:
            if str(path.stat().st_size) != size:
                yield path
        except OSError:
            yield path


def runs(case: Case, settings: Settings) -> Iterator[Finding]:
    """How the last run ended, and when the last one over everything did."""
    name, facts = Message("runs"), glance(settings, case.now_ns)
    last, age = facts["last_run"], facts["fresh"]["age_seconds"]
    if last is None:
        yield ok(name, Message("none yet"))
        return
    words = {"run": last["run"], "code": last["exit_code"], "hours": round(age / 3600) if age is not None else "?"}
    if last["exit_code"] not in (DONE, PARTIAL):
        error = last["report"].get("error")
        text = Message("run {run}, the last one, ended with exit code {code}", words)
        if error:
            text = Message("run {run}, the last one, could not go on: {why}", {**words, "why": message_of(error)})
        yield problem(name, text, Message("Mend what it says, then run `indexer update --now`."), last["exit_code"])
    elif not facts["fresh"]["fresh"]:
        text = Message("the folders were last looked at in full {hours} hours ago", words)
        yield warning(name, text, Message("Run `indexer update --now`, and keep `indexer run` running (`indexer install-service`)."))  # fmt: skip
    else:
        yield ok(
            name,
            Message("run {run} ended with exit code {code}; the last look at everything is {hours} hours old", words),
        )


def documents(case: Case, settings: Settings) -> Iterator[Finding]:
    """Failed, outdated and held documents, each with the command that shows them."""
    name, facts = Message("documents"), glance(settings, case.now_ns)
    counts = facts["documents"]
    found = False
    for state, text in (
        ("failed", Message("{count} documents could not be read", {"count": counts.get("failed", 0)})),
        ("stale", Message("{count} documents are found in an older version only", {"count": counts.get("stale", 0)})),
    ):
        if counts.get(state):
            found = True
            yield warning(name, text, Message("Run {command}", {"command": f"indexer files --state {state}"}))
    if facts["held"]:
        found = True
        remedy = Message(
            "See `indexer files --state held`; if they are to go: `indexer update --now --allow-deletions`."
        )
        yield warning(name, Message("{count} deletions are held", {"count": facts["held"]}), remedy)
    if not found:
        yield ok(name, Message("{count} documents, none failed, none held", {"count": sum(counts.values())}))
