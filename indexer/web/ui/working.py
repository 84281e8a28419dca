"""What the pages about runs say: who asked, what each did, how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .overview import counts_of, did
from .render import Page
from .words import date, lasted, moment

_ALL = ("added", "modified", "touched", "deleted", "moved", "held", "unknown", "problems", "embedded", "reused", "left")


def runs(page: Page, told: Mapping[str, Any]) -> dict[str, Any]:
    """A page of runs."""
    return {**told, "runs": [{**r, "what": did(page, r["report"]), "seconds": _seconds(r)} for r in told["runs"]]}


def run(page: Page, told: Mapping[str, Any], commits: Sequence[int]) -> dict[str, Any]:
    """One run, with the commits it made."""
    t = page.t
    rows = [
        (t("Asked by"), told["actor"]), (t("Trigger"), told["trigger"]), (t("Client"), told["client"]),
        (t("Began"), date(told["started"])), (t("Ended"), date(told["finished"])), (t("Took"), lasted(_seconds(told))),
    ]  # fmt: skip
    about = [(label, value) for label, value in rows if value]
    return {"r": told, "counts": counts_of(page, told["report"], _ALL), "about": about, "commits": commits}


def _seconds(told: Mapping[str, Any]) -> float | None:
    began, ended = moment(told["started"]), moment(told["finished"])
    return (ended - began).total_seconds() if began and ended else None
