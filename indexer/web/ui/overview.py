"""What the first page says: is the index fresh, what needs a person, what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.errors import DONE, PARTIAL
from .render import Page

STATES = ("indexed", "warned", "no_text", "stale", "failed", "held")


def overview(page: Page, status: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of the page from the status and the held deletions."""
    problems = list(_problems(page, status))
    counts = counted(status)
    return {
        "status": status, "held": held, "problems": problems, "counts": counts,
        "total": sum(n for _, n in counts), "standing": _standing(page, status, bool(problems or held["documents"])),
        "last": last_run(page, status), "coming": list(_coming(page, status)),
    }  # fmt: skip


def counted(status: Mapping[str, Any]) -> list[tuple[str, int]]:
    """State and number of documents, the healthy ones first; those that are gone are not counted."""
    held = status["held"]  # which a list shows as held, and the catalog's counts as what they were
    documents = {**status["documents"], "held": held}
    documents["indexed"] = max(0, documents.get("indexed", 0) - held)
    return [(name, documents[name]) for name in STATES if documents.get(name)]


def _standing(page: Page, s: Mapping[str, Any], trouble: bool) -> dict[str, str]:
    t, success = page.t, s["last_success"]
    if s["running"]:
        return {"kind": "accent", "title": t("Updating"), "text": t("Everything can be searched meanwhile.")}
    if not s["commit"]:
        return {"kind": "", "title": t("Nothing is indexed yet"), "text": t("Add documents, then update.")}
    looked = t("The folders were last looked at in full {ago}.", ago=page.ago(success["finished"])) if success else t(
        "The folders have never been looked at in full.")  # fmt: skip
    if not s["fresh"]["fresh"]:
        return {"kind": "bad", "title": t("Out of date"), "text": looked}
    if trouble:
        return {"kind": "warn", "title": t("Up to date, with something to see to"), "text": looked}
    return {"kind": "ok", "title": t("Up to date"), "text": looked}


def _problems(page: Page, s: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    t, disk, last = page.t, s["disk"], s["last_run"]
    if disk["free_bytes"] is not None and disk["free_bytes"] < disk["reserve_bytes"]:
        free, reserve = disk["free_bytes"] // 2**20, disk["reserve_bytes"] // 2**20
        yield _problem("bad", t("Only {free} MB are free, {reserve} MB are kept in reserve: updates stop. Free some space.", free=free, reserve=reserve))  # fmt: skip
    if last and last["exit_code"] not in (DONE, PARTIAL):
        said = t("The last run ended with exit code {code}.", code=last["exit_code"])
        if last["error"]:
            said = t("The last run could not go on: {error}", error=last["error"])
        yield _problem("bad", said, page.link(f"/runs/{last['run']}"), t("See the run"))
    for state, said in (
        ("failed", t("Documents that could not be read and are not found: {n}.", n=s["documents"].get("failed", 0))),
        ("stale", t("Documents that are found in an older version only: {n}.", n=s["documents"].get("stale", 0))),
    ):
        if s["documents"].get(state):
            yield _problem("bad", said, page.link("/documents", state=state), t("See which, and why"))
    for one in s["followers"]:
        if one["state"] in ("down", "misconfigured"):
            said = t("Follower {name}: {error}", name=one["name"], error=one["error"])
            yield _problem("bad" if one["state"] == "misconfigured" else "warn", said)
    if s["pinned"]:
        said = t("{count} documents are pinned by a rollback: they are found as they were.", count=s["pinned"])
        yield _problem("", said, page.link("/history"), t("See what was, and end it"))


def _problem(kind: str, text: str, link: str = "", label: str = "") -> dict[str, str]:
    return {"kind": kind, "text": text, "link": link, "label": label}


def last_run(page: Page, s: Mapping[str, Any]) -> dict[str, Any] | None:
    """The newest run that ended, in short."""
    last = s["last_run"]
    return {**last, "what": did(page, last["report"])} if last else None


_COUNTS = ("added", "modified", "deleted", "moved", "held", "problems", "left")


def did(page: Page, report: Mapping[str, Any]) -> str:
    """What a run did: its counts that are not zero."""
    return ", ".join(f"{label} {n}" for label, n in counts_of(page, report, _COUNTS)) or page.t("no change")


def counts_of(page: Page, report: Mapping[str, Any], names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Label and number for those counts of a run that are not zero."""
    t = page.t
    labels = {
        "added": t("added"), "modified": t("modified"), "touched": t("touched"), "deleted": t("deleted"),
        "moved": t("moved"), "held": t("held"), "unknown": t("unknown"), "problems": t("with problems"),
        "embedded": t("passages embedded"), "reused": t("passages reused"), "left": t("left for the next run"),
    }  # fmt: skip
    return [(labels[name], report[name]) for name in names if isinstance(report.get(name), int) and report[name]]


def _coming(page: Page, s: Mapping[str, Any]) -> Iterator[str]:
    t = page.t
    if not s["daemon"]:
        yield t(
            "No daemon runs: start it with `indexer run`, or with the machine: `indexer install-service --install`."
        )
        return
    following = s["next_run"]
    yield f"{page.ago(following['at'])}: {following['schedule']}" if following else t("No schedule is switched on.")
    if s["waiting"]:
        yield t("{waiting} requests wait", waiting=s["waiting"])
    if events := [w["source"] for w in s["watch"] if w.get("how") == "events"]:
        yield t("Watched: {sources}", sources=", ".join(events))
    for watched in s["watch"]:
        if watched.get("how") == "polling":
            yield t("Polled: {source} ({why})", source=watched["source"], why=watched["why"] or "?")
    if not s["watch"]:
        yield t("Folders are not watched.")
