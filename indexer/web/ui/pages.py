"""The pages and their addresses: each asks :class:`.facts.Facts`, shapes the answer, and fills a template."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from threading import Thread
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response

from ...core.errors import IndexerError
from ..problems import Problem
from . import assets, overview, past, reading, render, working
from .facts import Facts
from .marks import referenced
from .render import Page

PAGE_SIZE = 50
_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
_QUERY = ("source", "in", "type", "after", "before", "label", "as_of", "mode", "k")

Show = Callable[[Page, Facts], Response]


class Pages:
    """One method for each page; all run in a thread, as they read the catalog."""

    def __init__(self, site: Any) -> None:
        self.site = site

    def page(self, request: Request) -> tuple[Page, Facts]:
        """What every page begins with."""
        page = Page(request, self.site.settings.language)
        return page, Facts(self.site, page)

    def home(self, request: Request) -> Response:
        """The overview."""
        page, facts = self.page(request)
        return facts.show("dashboard.html", overview.overview(page, facts.status(), facts.held()))

    def search(self, request: Request) -> Response:
        """Search: the form, and what was found."""
        page, facts = self.page(request)
        values, q = _values(request), request.query_params.get("q", "")[:2000]
        found: Mapping[str, Any] = {"hits": [], "commit": 0}
        error = ""
        if q.strip():
            try:
                found = facts.search({**_query(request), "q": q})
            except IndexerError as e:
                error = page.t(e.message)
        shown = {"q": q, "values": values, "sources": facts.sources(), "error": error, "filtered": _filtered(values)}
        return facts.show("search.html", {**shown, **found})

    def ask(self, request: Request) -> Response:
        """Ask: the answer itself comes by the API, as it is written."""
        _, facts = self.page(request)
        values, q = _values(request), request.query_params.get("q", "")[:2000]
        shown = {"q": q, "values": values, "sources": facts.sources(), "filtered": _filtered(values)}
        return facts.show("ask.html", {**shown, "answers": facts.answers(12)})

    def answer(self, request: Request, name: str) -> Response:
        """A kept answer, and what became of what it rests on."""
        _, facts = self.page(request)
        answer = facts.answer(name)
        numbers = frozenset(c["n"] for c in answer["citations"])
        standing = [c["standing"] for c in answer["citations"]]
        counts = {"changed": standing.count("changed"), "gone": standing.count("gone")}
        return facts.show("answer.html", {"answer": answer, "text": referenced(answer["text"], numbers), **counts})

    def documents(self, request: Request) -> Response:
        """The list of documents, as of now or as of a commit."""
        _, facts = self.page(request)
        values = {name: request.query_params.get(name, "") for name in ("state", "q", "cursor")}
        found = facts.documents(**values, limit=PAGE_SIZE)
        return facts.show("documents.html", {"values": values, "counts": overview.counted(facts.status()), **found})

    def document(self, request: Request, name: str) -> Response:
        """One document: its text as of a commit, a passage of it marked."""
        page, facts = self.page(request)
        commit = reading.number(page, "commit")
        if commit is None and page.as_of:
            commit = facts.commit_of(page.as_of)
        versions = facts.versions(name)
        shown = reading.document(page, facts.document(name), facts.text(name, commit), versions, commit)
        return facts.show("document.html", {**shown, "why": facts.why(name)})

    def diff(self, request: Request, name: str) -> Response:
        """How two versions of a document differ."""
        page, facts = self.page(request)
        versions = facts.versions(name)
        old, new = reading.chosen(page, versions)
        found = reading.difference(page, facts.diff(name, old, new) if versions else [])
        shown = {"d": facts.document(name), "versions": versions, "old": old, "new": new}
        return facts.show("diff.html", {**shown, **found})

    def runs(self, request: Request) -> Response:
        """The runs, newest first."""
        page, facts = self.page(request)
        listed = working.runs(page, facts.runs(PAGE_SIZE, reading.number(page, "before")))
        return facts.show("runs.html", {**listed, "running": facts.status()["running"]})

    def run(self, request: Request, number: int) -> Response:
        """One run."""
        page, facts = self.page(request)
        return facts.show("run.html", working.run(page, facts.run(number), facts.commits_of(number)))

    def followers(self, request: Request) -> Response:
        """The systems that are kept in step with the index."""
        _, facts = self.page(request)
        return facts.show("followers.html", {"followers": facts.followers()})

    def history(self, request: Request) -> Response:
        """Commits, the slider, snapshots."""
        page, facts = self.page(request)
        listed = facts.commits(PAGE_SIZE, reading.number(page, "before"))
        return facts.show("history.html", past.history(page, listed, facts.every_commit()))

    def commit(self, request: Request, number: int) -> Response:
        """One commit: who made it, and what it changed."""
        page, facts = self.page(request)
        t, found = page.t, facts.commit(number)
        shown = {
            "title": t("Commit {n}", n=number),
            "intro": t("What this commit changed."),
            "commit": number,
            "rollback": 0,
        }
        return facts.show(
            "changes.html", {**shown, "about": past.commit_facts(page, found), "changes": found["changes"]}
        )

    def compare(self, request: Request) -> Response:
        """What differs between two commits."""
        page, facts = self.page(request)
        old, new = reading.number(page, "from") or 0, reading.number(page, "to") or 0
        title = page.t("Commits {old} and {new}", old=old, new=new)
        shown = {"title": title, "intro": page.t("What differs between the two."), "commit": 0, "rollback": 0}
        return facts.show("changes.html", {**shown, "about": [], "changes": facts.changes(old, new)})

    def rollback(self, request: Request) -> Response:
        """What a rollback would change; nothing is done yet."""
        page, facts = self.page(request)
        to = reading.number(page, "to") or 0
        intro = page.t("This is what going back changes. Nothing is done yet.")
        shown = {"title": page.t("Go back to commit {n}", n=to), "intro": intro, "commit": 0, "rollback": to}
        return facts.show("changes.html", {**shown, "about": [], "changes": facts.rollback(to)})

    def login(self, request: Request) -> Response:
        """Where a key is asked for."""
        page, _ = self.page(request)
        following = request.query_params.get("next", "/")
        safe = re.fullmatch(r"/(?![/\\])[^\s\\]*", following) is not None  # a path of ours, and no other site
        return page.show("login.html", {"error": "", "next": following if safe else "/"})


def _values(request: Request) -> dict[str, str]:
    """What the form of filters was filled with."""
    asked = {name: request.query_params.get(name, "")[:500] for name in _QUERY}
    return {**asked, "inside": asked["in"], "k": asked["k"] or "10"}


def _query(request: Request) -> dict[str, str]:
    return {name: value for name in _QUERY if (value := request.query_params.get(name, "")[:500])}


def _filtered(values: Mapping[str, str]) -> bool:
    return any(values[name] for name in ("source", "in", "type", "after", "before", "label", "mode"))


def router(site: Any) -> APIRouter:
    """All pages and what they are made of."""
    pages, made = Pages(site), APIRouter(include_in_schema=False)
    Thread(target=render.prepare, name="templates", daemon=True).start()
    for path, show in (
        ("/", pages.home), ("/search", pages.search), ("/ask", pages.ask), ("/answers/{name}", pages.answer),
        ("/documents", pages.documents), ("/documents/{name}", pages.document), ("/documents/{name}/diff", pages.diff),
        ("/runs", pages.runs), ("/runs/{number}", pages.run), ("/history", pages.history),
        ("/history/{number}", pages.commit), ("/compare", pages.compare), ("/rollback", pages.rollback),
        ("/followers", pages.followers), ("/login", pages.login),
    ):  # fmt: skip
        made.add_api_route(path, show, methods=["GET"], response_class=Response)
    made.add_api_route("/static/{version}/{name}", _asset, methods=["GET"], response_class=Response)
    return made


def _asset(version: str, name: str) -> Response:
    """A file of the pages; under another version's address too, but then not kept for ever."""
    found = assets.assets().get(name)
    if found is None:
        raise HTTPException(404)
    keep = _FOREVER if version == assets.version() else {"cache-control": "no-cache"}
    return Response(found.body, headers={"content-type": found.type, **keep})


def error_page(request: Request, problem: Problem, configured: str) -> Response:
    """What a browser sees instead of a page."""
    page = Page(request, configured)
    title = page.t("Nothing here") if problem.status == 404 else page.t("This did not work")
    facts = {"status": problem.status, "title": title, "detail": page.t(problem.message)}
    response = page.show("error.html", facts, problem.status)
    response.headers.update(problem.headers)
    return response
