"""Both sides compared: what is missing there is sent again, what nobody knows of is named, and on request removed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from ..core.model import Key
from .follower import Follower
from .model import Item, Remote
from .remote_names import remote_name


class Difference(NamedTuple):
    """``missing``: believed to be there, and not; ``unknown``: named as ours would be, and not ours; ``foreign``: others'.

    ``listed`` is False where the other side cannot be asked what it has.
    """

    missing: tuple[Key, ...] = ()
    unknown: tuple[Remote, ...] = ()
    foreign: int = 0
    listed: bool = True


def compare(follower: Follower) -> Difference:
    """What differs; nothing is changed. Raises FollowerError."""
    remotes = follower.target.inventory()
    if remotes is None:
        return Difference(listed=False)
    items = follower.remotes()
    ids, names = {r.id for r in remotes}, {r.name for r in remotes}
    missing = tuple(key for key, item in items.items() if item.step == "done" and not _there(item, ids))
    known = {str(i.remote.get("id")) for i in items.values()} | {i.original for i in items.values()}
    moving = {
        str(i.remote.get("name")) for i in items.values() if i.step in ("sending", "accepted", "deleting")
    } & names
    others = [r for r in remotes if r.id not in known and r.name not in moving]
    prefixes = tuple(remote_name(Key(s, "")) for s in follower.sources())
    unknown = tuple(r for r in others if r.name.startswith(prefixes))
    return Difference(missing, unknown, len(others) - len(unknown))


def _there(item: Item, ids: set[str]) -> bool:
    if item.original:
        return item.original in ids
    return str(item.remote.get("id", "")) in ids


def repair(
    follower: Follower, difference: Difference, *, remove_unknown: bool = False, stop: Callable[[], None] = lambda: None,
    sleep: Callable[[float], object] = time.sleep,
) -> None:  # fmt: skip
    """Have what is missing sent again, and everything compared with what is known. Raises FollowerError.

    The sending itself is the follower's next steps.
    """
    follower.begin()
    follower.put(dict.fromkeys(difference.missing, Item("absent")))
    if remove_unknown and difference.unknown:
        while not follower.target.remove(difference.unknown):
            stop()
            sleep(0.5)
    follower.ledger.retry(follower.name)
    follower.again()
