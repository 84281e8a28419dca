"""What a route needs of its request: the language, who asks, the document an address names."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request

from ..core.errors import UsageError
from ..core.model import Ask, Key
from ..docid import MOST, key_of
from .guard import Who
from .problems import NotFound, language_of
from .site import Site

DocumentId = Annotated[str, Path(min_length=1, max_length=MOST, description="a document's id", examples=["a25vd2xlZGdlX2Jhc2UvYS5tZA"])]  # fmt: skip

NOBODY = "web"
"""Who acts where no key is needed: whoever sits at this machine."""


def lang_of(request: Request, site: Site) -> str:
    """The language a request is answered in: ?lang, the cookie, Accept-Language, the configuration."""
    asked = request.query_params.get("lang") or request.cookies.get("lang", "")
    return language_of(request.headers.get("accept-language", ""), asked, site.lang)


def who(request: Request) -> Who:
    """Who asks, as the guard found out."""
    found: Who = request.state.who
    return found


def key_in(document: str) -> Key:
    """The document an address names; raises NotFound for what is no id."""
    try:
        return key_of(document)
    except UsageError as e:
        raise NotFound(e.message) from e


def asked_by(request: Request, ask: Ask) -> Ask:
    """A request to the service in the name of who asks: the key's name, and from where."""
    person = who(request)
    return ask._replace(actor=person.name or NOBODY, client=person.client)
