"""The followers: what they need is there, and with --deep whether each lets us in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec

from ..core.following import FollowerSettings
from ..core.model import Message
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning

NAME = Message("followers")


def followers(case: Case, settings: Settings) -> Iterator[Finding]:
    """Each that is enabled; nothing is sent."""
    enabled = [f for f in settings.followers if f.enabled]
    if not enabled:
        yield ok(NAME, Message("none is configured"))
    for follower in enabled:
        yield from _looked_at(case, settings, follower)


def _looked_at(case: Case, settings: Settings, follower: FollowerSettings) -> Iterator[Finding]:
    module = follower.store.partition(":")[0]
    words = {"name": follower.name, "where": follower.url or follower.store}
    if module and not _there(module):
        yield problem(NAME, Message("{name}: there is no Python module {module}", {**words, "module": module}), Message("Install its package."))  # fmt: skip
    elif case.deep:
        yield _asked(settings, follower, words)
    else:
        yield ok(NAME, Message("{name} at {where}; --deep asks it", words))


def _there(module: str) -> bool:
    try:
        return find_spec(module.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def _asked(settings: Settings, follower: FollowerSettings, words: dict[str, str]) -> Finding:
    from ..api import KnowledgeBase
    from ..followers.feed import Feed
    from ..followers.model import FollowerError, Misconfigured
    from ..followers.opening import target_of

    try:
        with closing(Feed(settings)) as feed, closing(target_of(KnowledgeBase(settings), follower, feed)) as target:
            target.probe()
    except Misconfigured as e:
        return problem(NAME, Message("{name}: {error}", {**words, "error": e.message}))
    except FollowerError as e:
        said = Message("{name}: {error}", {**words, "error": e.message})
        return warning(NAME, said, Message("Changes wait for it; they are sent when it is back."))
    return ok(NAME, Message("{name} at {where} answers", words))
