"""A page as a response: its language, its theme, the state of the knowledge base it shows, and the template around it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from ...core.model import display
from ..problems import language_of
from . import assets, marks, words

LANGUAGES = ("en", "zh")
THEMES = ("light", "dark")
_YEAR = 365 * 86_400


@cache
def environment() -> Environment:
    """The templates; everything they print is escaped."""
    env = Environment(
        loader=PackageLoader("indexer.web.ui"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    env.globals |= {"asset": assets.url, "matched": marks.matched}
    env.filters |= {"date": words.date, "size": words.size, "lasted": words.lasted, "shown": shown}
    return env


def prepare() -> None:
    """Compile every template: the first page is as quick as any other."""
    env = environment()
    for name in env.list_templates():
        env.get_template(name)


def shown(value: object) -> str:
    """Any name as a page shows it: printable, and no lone surrogate that no page could hold."""
    text = str(value)
    return text if text.isprintable() else display(text)


def language(request: Request, configured: str) -> str:
    """The address, the cookie, the browser's wish, the configuration: the first that names a language we speak."""
    asked = (request.query_params.get("lang"), request.cookies.get("lang"))
    chosen = next((lang for lang in asked if lang in LANGUAGES), "")
    return language_of(request.headers.get("accept-language", ""), chosen or "", configured)


def _theme(request: Request) -> str:
    theme = request.cookies.get("theme", "")
    return theme if theme in THEMES else ""


_ALONE = {"frame": False, "signed_in": False, "past": "", "may_write": False, "may_admin": False}
"""A page that stands alone, as a login or an error does."""


class Page:
    """What every template knows of the request it answers."""

    def __init__(self, request: Request, configured: str) -> None:
        self.request = request
        self.lang = language(request, configured)
        self.theme = _theme(request)
        self.path = request.url.path
        self.as_of = request.query_params.get("as_of", "")
        self.t = words.sayer(self.lang)

    def link(self, path: str, **query: Any) -> str:
        """An address within the UI: it stays in the past that is looked at."""
        asked = {"as_of": self.as_of, **query}
        text = urlencode({k: v for k, v in asked.items() if v not in ("", None)}, errors="replace")
        return f"{path}?{text}" if text else path

    def same(self, **query: Any) -> str:
        """This very page, with other values in its query."""
        asked = {**self.request.query_params, **query}
        text = urlencode({k: v for k, v in asked.items() if v not in ("", None)}, errors="replace")
        return f"{self.path}?{text}" if text else self.path

    def ago(self, value: object) -> str:
        """How long ago, in the page's language."""
        return words.ago(value, self.lang)

    def show(self, template: str, facts: Mapping[str, Any], status: int = 200) -> Response:
        """The page; the language chosen by its address is remembered."""
        base = {**_ALONE, "page": self, "t": self.t, "link": self.link, "words": words.for_browser(self.lang)}
        text = environment().get_template(template).render({**base, **facts})
        headers = {"content-type": "text/html; charset=utf-8", "content-language": self.lang, "vary": "cookie, accept-language"}  # fmt: skip
        response = Response(text.encode("utf-8", "replace"), status, {**headers, "cache-control": "no-store"})
        if self.request.query_params.get("lang") in LANGUAGES:
            response.set_cookie("lang", self.lang, max_age=_YEAR, samesite="strict", path="/")
        return response
