"""The followers: how each stands, and which documents do not get there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...core.errors import UsageError
from ...core.model import Key, Message, display
from ...docid import docid
from ...followers.opening import named, opened
from ...followers.told import facts, troubles
from ...glance import message_of
from ...i18n import translate
from ..problems import NotFound
from . import plain, when

if TYPE_CHECKING:
    from ...followers.follower import Follower
    from ..site import Site

_MOST = 200
"""Documents in trouble that are named."""


def listed(site: Site, lang: str) -> list[dict[str, Any]]:
    """Each configured follower."""
    found = []
    for settings in site.settings.followers:
        with opening(site, settings.name) as follower:
            found.append(told(follower, lang))
    return found


@contextmanager
def opening(site: Site, name: str) -> Iterator[Follower]:
    """One of them by its name; raises NotFound."""
    try:
        settings = named(site.settings, name)
    except UsageError as e:
        raise NotFound(e.message) from e
    with opened(site.kb, settings, lambda message: _damaged(site, message)) as follower:
        yield follower


def _damaged(site: Site, message: Message) -> None:
    if site.log is not None:
        site.log.event("follower", "warning", message)


def told(follower: Follower, lang: str) -> dict[str, Any]:
    """How it stands, and the first of the documents that do not get there."""
    rows = troubles(follower)
    return {
        **shown(facts(follower, exact=False), lang),
        "troubles": [_trouble(row, lang) for row in rows[:_MOST]], "more_troubles": max(0, len(rows) - _MOST),
    }  # fmt: skip


def shown(one: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """The facts as JSON: times in ISO form, sentences in the reader's language."""
    error = translate(message_of(one["error"]), lang) if one["error"] else ""
    kept = ("name", "kind", "state", "behind", "documents")
    return {
        **{name: one[name] for name in kept},
        "since": when(one["since_ns"]), "behind_since": when(one["behind_since_ns"]), "next_try": when(one["next_ns"]),
        "error": plain(error),
    }  # fmt: skip


def _trouble(row: Mapping[str, Any], lang: str) -> dict[str, Any]:
    return {
        "document": docid(Key(row["source"], row["path"])), "source": display(row["source"]), "path": display(row["path"]),
        "state": row["state"], "tries": row["tries"], "next_try": when(row["retry_ns"]),
        "why": plain(translate(message_of(row["why"]), lang)) if row["why"] else "",
    }  # fmt: skip
