"""`status`: how the index stands, without a path of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.errors import DONE, PARTIAL, StoreDamaged
from ..core.model import Message, display
from ..glance import glance, message_of
from ..i18n import translate
from . import asked, shown
from .desk import Call, Desk
from .moments import iso
from .plain import plain


def status(desk: Desk, given: asked.Status, call: Call) -> shown.Standing:
    """From one glance; raises StoreDamaged."""
    facts = _facts(desk)
    following, running, fresh = facts["next_run"], facts["running"], facts["fresh"]
    return shown.Standing(
        commit=facts["commit"], committed=iso(facts["committed"]), fresh=fresh["fresh"], age_seconds=fresh["age_seconds"],
        watched=fresh["watched"], documents=dict(facts["documents"]), passages=facts["passages"], held=facts["held"],
        sources=[display(source.name) for source in desk.kb.settings.sources], model=plain(facts["model"]),
        waiting=facts["waiting"], running=iso(running["since_ns"]) if running else None,
        next_run=iso(following["at"]) if following else None, last_run=_run(facts["last_run"], call.lang),
        problems=[plain(translate(problem, call.lang)) for problem in _problems(facts)],
    )  # fmt: skip


def _facts(desk: Desk) -> Mapping[str, Any]:
    settings = desk.kb.settings
    try:
        return glance(settings, desk.now_ns())
    except StoreDamaged:
        catalog = desk.kb.catalog()  # says what is wrong with it, if anything is
        if catalog is None:
            raise
        return glance(settings, desk.now_ns(), catalog.db.con)


def _run(row: Mapping[str, Any] | None, lang: str) -> shown.Run | None:
    if row is None:
        return None
    error = row["report"].get("error")
    return shown.Run(
        run=row["run"], trigger=str(row["trigger"] or ""), started=iso(row["started"]), finished=iso(row["finished"]),
        exit_code=row["exit_code"], error=plain(translate(message_of(error), lang)) if error else None,
    )  # fmt: skip


def _problems(facts: Mapping[str, Any]) -> Iterator[Message]:
    if not facts["commit"]:
        yield Message("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
        return
    last, states = facts["last_run"], facts["documents"]
    if last and last["exit_code"] not in (DONE, PARTIAL):
        error = last["report"].get("error")
        yield (
            Message("The last run could not go on: {error}", {"error": message_of(error)}) if error
            else Message("The last run ended with exit code {code}.", {"code": last["exit_code"]})
        )  # fmt: skip
    for state, template in _STATES.items():
        if count := facts["held"] if state == "held" else states.get(state, 0):
            yield Message(template.text, {"count": count})
    if facts["fresh"]["age_seconds"] is None:
        yield Message("The folders have never been looked at in full.")


_STATES = {
    "held": Message("{count} deletions are held: `indexer files --state held`, then `indexer update --now --allow-deletions`."),
    "failed": Message("{count} documents failed: `indexer files --state failed`"),
    "stale": Message("{count} documents are found in an older version only: `indexer files --state stale`"),
}  # fmt: skip
