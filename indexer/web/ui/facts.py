"""What the pages ask of the knowledge base: the same facts as the API tells, in the language of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Response

from ...ask import latest
from ...core.errors import UsageError
from ...core.model import display
from .. import rollbacks
from ..api import held
from ..api.documents import writable
from ..api.search import found
from ..asking import key_in
from ..facts import answers, commits, documents, followers, plain, status, texts, when, why
from ..problems import NotFound
from ..shapes import SearchAsked
from ..site import Site
from . import then
from .render import Page
from .words import date


class Facts:
    """Of one request."""

    def __init__(self, site: Site, page: Page) -> None:
        self.site, self.page, self.lang = site, page, page.lang

    def show(self, template: str, facts: Mapping[str, Any]) -> Response:
        """A page with what the frame around it needs to know."""
        who = self.page.request.state.who
        may = {f"may_{scope}": who.scope in enough for scope, enough in _ENOUGH.items()}
        frame = {"frame": True, "signed_in": bool(who.name), "past": self._past(), **may}
        return self.page.show(template, {**frame, **facts})

    def _past(self) -> str:
        """Which past is looked at, in words."""
        if not self.page.as_of:
            return ""
        n = self.commit_of(self.page.as_of)
        with self.site.catalog() as catalog:
            at = catalog.db.value("SELECT at FROM log WHERE n=?", (n,))
        return f"{self.page.t('Commit {n}', n=n)}, {date(at)}"

    @property
    def empty(self) -> bool:
        """Whether nothing was ever indexed."""
        return self.site.kb.layout.served() is None

    def commit_of(self, as_of: str) -> int:
        """The commit that a number or a time names; raises UsageError."""
        with self.site.reading() as kb, kb.lock:
            return kb.reader().commit_of(as_of)

    # ---- how it stands ---------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """As ``GET /status``."""
        return status.told(self.site.settings, self.site.now_ns(), self.lang)

    def held(self) -> dict[str, Any]:
        """The deletions that are held, and the token of this set."""
        if self.empty:
            return {"token": "", "documents": []}
        with self.site.catalog() as catalog:
            token, wanted = held.token_of(held.shown(catalog)), documents.Wanted(state="held", limit=_MOST_HELD)
            return {"token": token, "documents": documents.listed(catalog, wanted, self.lang)["documents"]}

    def followers(self) -> list[dict[str, Any]]:
        """As ``GET /followers``."""
        return followers.listed(self.site, self.lang)

    def sources(self) -> list[str]:
        """The names of the sources."""
        return [display(s.name) for s in self.site.settings.sources]

    # ---- documents -------------------------------------------------------------------

    def documents(self, state: str, q: str, cursor: str, limit: int) -> dict[str, Any]:
        """A page of documents, as of now or of the past that is looked at."""
        if self.empty:
            return {"documents": [], "total": 0, "next": None}
        with self.site.catalog() as catalog:
            if self.page.as_of:
                return then.listed(catalog, self.commit_of(self.page.as_of), q, limit, cursor)
            return documents.listed(catalog, documents.Wanted(state, "", q, limit, cursor), self.lang)

    def document(self, name: str) -> dict[str, Any]:
        """All that is known of a document, also of one that is gone; raises NotFound."""
        key = key_in(name)
        with self.site.catalog() as catalog:
            try:
                return documents.one(catalog, key, self.lang, writable=writable(self.site, key))
            except NotFound:
                return then.gone(key, texts.versions(catalog, key)["versions"])

    def why(self, name: str) -> list[str]:
        """Why it is, or is not, in the index, in sentences."""
        try:
            found: list[str] = why.told(self.site, key_in(name), self.lang)["sentences"]
            return found
        except NotFound:  # its source is not configured any more
            return []

    def text(self, name: str, commit: int | None) -> dict[str, Any] | None:
        """Its text as of a commit (None: now); None where there is none."""
        try:
            return texts.text(self.site, key_in(name), "" if commit is None else str(commit))
        except NotFound:
            return None

    def versions(self, name: str) -> list[dict[str, Any]]:
        """Its versions, newest first; raises NotFound."""
        with self.site.catalog() as catalog:
            found: list[dict[str, Any]] = texts.versions(catalog, key_in(name))["versions"]
            return found

    def diff(self, name: str, old: int, new: int) -> list[dict[str, Any]]:
        """How the text of two commits differs, by lines."""
        found: list[dict[str, Any]] = texts.diff(self.site, key_in(name), str(old), str(new))["lines"]
        return found

    # ---- what was ----------------------------------------------------------------------

    def runs(self, limit: int, before: int | None) -> dict[str, Any]:
        """A page of runs, newest first."""
        if self.empty:
            return {"runs": [], "next": None}
        with self.site.catalog() as catalog:
            return commits.runs(catalog, limit, before, self.lang)

    def run(self, number: int) -> dict[str, Any]:
        """One run; raises NotFound."""
        with self.site.catalog() as catalog:
            return commits.run(catalog, number, self.lang)

    def commits_of(self, run: int) -> list[int]:
        """The commits a run made."""
        with self.site.catalog() as catalog:
            return [n for (n,) in catalog.db.all("SELECT n FROM log WHERE run=? ORDER BY n", (run,))]

    def commits(self, limit: int, before: int | None) -> dict[str, Any]:
        """A page of commits, newest first, with the snapshots and how many documents are pinned."""
        around = {**commits.listed_snapshots(self.site.kb), "pinned": self.status()["pinned"]}
        if self.empty:
            return {"commits": [], "next": None, **around}
        with self.site.catalog() as catalog:
            return {**commits.commits(catalog, limit, before), **around}

    def every_commit(self) -> list[dict[str, Any]]:
        """Number and time of every commit that can be searched, oldest first."""
        if self.empty:
            return []
        with self.site.catalog() as catalog:
            oldest = int(catalog.meta("oldest") or 0)
            rows = catalog.db.all("SELECT n,at FROM log WHERE n>=? ORDER BY n", (oldest,))
            return [{"commit": n, "at": when(at)} for n, at in rows]

    def commit(self, number: int) -> dict[str, Any]:
        """One commit and what it changed; raises NotFound."""
        with self.site.catalog() as catalog:
            return commits.commit(catalog, number)

    def changes(self, old: int, new: int) -> list[dict[str, Any]]:
        """What differs between two commits; raises UsageError."""
        with self.site.reading() as kb:
            found: list[dict[str, Any]] = commits.diff(kb, str(old), str(new))["changes"]
            return found

    def rollback(self, to: int) -> list[dict[str, Any]]:
        """What going back to a commit would change; raises UsageError."""
        with self.site.catalog() as catalog:
            found: list[dict[str, Any]] = rollbacks.preview(catalog, to)["changes"]
            return found

    # ---- searching and asking ----------------------------------------------------------

    def search(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """As ``GET /search``; raises UsageError."""
        return found(self.site, search_asked(asked))

    def answers(self, limit: int) -> list[dict[str, Any]]:
        """The newest kept answers, in short."""
        return [
            {"id": a.id, "question": plain(a.question), "created": a.created_ns} for a in latest(self.site.kb, limit)
        ]

    def answer(self, name: str) -> dict[str, Any]:
        """A kept answer; each citation says what became of its document. Raises NotFound."""
        try:
            kept = self.site.kb.answer(name)
        except UsageError as e:
            raise NotFound(e.message) from e
        told = answers.kept(kept, self.lang)
        standing = {s["n"]: s["state"] for s in told["standing"]}
        return {**told, "citations": [{**c, "standing": standing.get(c["n"], "")} for c in told["citations"]]}


def search_asked(asked: Mapping[str, str]) -> SearchAsked:
    """A search from the form's fields; what the form would not send is left out."""
    kept: dict[str, Any] = {name: asked[name] for name in _FIELDS if asked.get(name)}
    kept["type"] = [suffix for suffix in asked.get("type", "").replace(",", " ").split() if len(suffix) <= 20][:50]
    kept["mode"] = asked["mode"] if asked.get("mode") in _MODES else None
    kept["k"] = max(1, min(int(asked["k"]), 100)) if asked.get("k", "").isdecimal() else 10
    return SearchAsked(**kept)


_MOST_HELD = 5_000
_ENOUGH = {"write": ("write", "admin"), "admin": ("admin",)}
_FIELDS = ("q", "as_of", "in", "source", "after", "before", "label")
_MODES = ("hybrid", "vector", "lexical")
