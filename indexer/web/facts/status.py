"""How the index stands, from one glance; no paths of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.model import display
from ...glance import glance, message_of
from ...i18n import translate
from ...settings import Settings
from . import followers, plain, when


def told(settings: Settings, now_ns: int, lang: str) -> dict[str, Any]:
    """The facts as JSON: times in ISO form, sentences in the reader's language."""
    facts = glance(settings, now_ns)
    following, running = facts["next_run"], facts["running"]
    kept = ("commit", "documents", "passages", "segments", "held", "pinned", "model", "waiting", "fresh", "disk")
    return {
        **{name: facts[name] for name in kept},
        "committed": when(facts["committed"]),
        "sources": [{"name": display(s.name)} for s in settings.sources],
        "last_run": run(facts["last_run"], lang), "last_success": run(facts["last_success"], lang),
        "next_run": {"at": when(following["at"]), "schedule": following["schedule"]} if following else None,
        "running": {"trigger": running["trigger"], "since": when(running["since_ns"])} if running else None,
        "watch": [_watched(one, lang) for one in facts["watch"]],
        "followers": [followers.shown(one, lang) for one in facts["followers"]],
        "daemon": _daemon(facts["daemon"]),
    }  # fmt: skip


def _daemon(daemon: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if daemon is None:
        return None
    return {"version": daemon["version"], "mode": daemon["mode"], "started": when(daemon["started_ns"])}


def _watched(one: Mapping[str, Any], lang: str) -> dict[str, Any]:
    why = one.get("why")
    said = translate(message_of(why), lang) if why else ""
    return {"source": display(str(one["source"])), "how": str(one.get("how", "")), "why": plain(said)}


def run(row: Mapping[str, Any] | None, lang: str) -> dict[str, Any] | None:
    """A run's row as :func:`indexer.glance.glance` has it."""
    if row is None:
        return None
    report = {k: v for k, v in row["report"].items() if isinstance(v, (int, bool))}
    error = row["report"].get("error")
    return {
        "run": row["run"], "started": when(row["started"]), "finished": when(row["finished"]),
        "actor": str(row["actor"] or ""), "client": str(row["report"].get("client", "")),
        "trigger": str(row["trigger"] or ""), "exit_code": row["exit_code"], "report": report,
        "error": plain(translate(message_of(error), lang)) if error else None,
    }  # fmt: skip
