"""What the history pages say: commits, the slider through them, changes, a rollback before it is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .render import Page
from .words import date, moment

MARKS = 400
"""Stops of the slider: of more commits the newest of each stretch."""


def history(page: Page, facts: Mapping[str, Any], every: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """``facts``: commits (newest first), next, snapshots, pinned; ``every``: all commits, oldest first, for the slider."""
    stops = [{"commit": c["commit"], "at": c["at"], "shown": date(c["at"])} for c in thinned(every)]
    place = _place(stops, page.as_of)
    newest = bool(facts["commits"] and every and facts["commits"][0]["commit"] == every[-1]["commit"])
    return {
        **facts, "marks": stops, "place": place, "chosen": stops[place] if stops else None, "newest": newest,
    }  # fmt: skip


def thinned(commits: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """At most :data:`MARKS` of them, evenly, the newest among them."""
    step = max(1, -(-len(commits) // MARKS))
    return [c for i, c in enumerate(commits) if (len(commits) - 1 - i) % step == 0]


def _place(stops: Sequence[Mapping[str, Any]], as_of: str) -> int:
    """Where the slider stands: at the commit that is looked at, else at now."""
    if as_of.isdigit():
        return max((i for i, s in enumerate(stops) if s["commit"] <= int(as_of)), default=0)
    if when := moment(as_of):
        return max((i for i, s in enumerate(stops) if (at := moment(s["at"])) and at <= when), default=0)
    return len(stops) - 1


def commit_facts(page: Page, commit: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Label and value of a commit."""
    t = page.t
    rows = [
        (t("When"), date(commit.get("at"))), (t("Run"), commit.get("run")), (t("By"), commit.get("actor")),
        (t("Trigger"), commit.get("trigger")), (t("Client"), commit.get("client")), (t("Note"), commit.get("note")),
        (t("Hash"), commit.get("hash")),
    ]  # fmt: skip
    return [(label, value) for label, value in rows if value not in (None, "")]
