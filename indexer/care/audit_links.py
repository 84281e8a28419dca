"""The audit trail as a chain of links: which hash follows which, and where it is broken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import StoreDamaged
from ..store import audit
from ..store.audit import Entry

if TYPE_CHECKING:
    from ..store.db import Db


class Hole(NamedTuple):
    """Entries are missing: after commit ``after`` (hash ``hash``) comes one that names ``previous``."""

    after: int
    hash: str
    before: int
    previous: str


class Link(NamedTuple):
    """What of an entry makes the chain. ``fills``: first and last commit without entries that it answers for."""

    previous: bytes
    hash: bytes
    at: int
    begins: bool = False
    replaces: bool = False
    fills: tuple[int, int] = (0, 0)
    holes: tuple[Hole, ...] = ()
    lost: tuple[int, str] | None = None

    @classmethod
    def of(cls, entry: Entry) -> Link:
        """The link an entry is."""
        f: Mapping[str, Any] = entry.facts
        fills = f.get("fills") or [0, 0]
        lost = f.get("lost")
        return cls(
            entry.previous, entry.hash, f["at"], bool(f.get("begins")), "replaces" in f, (fills[0], fills[1]),
            tuple(Hole(*h) for h in f.get("holes", ())), (lost[0], lost[1]) if lost else None,
        )  # fmt: skip


def inside(n: int, holes: Iterable[Hole]) -> bool:
    """Whether a commit's entry is among the missing ones."""
    return any(h.after < n < h.before for h in holes)


def links_of(db: Db) -> tuple[dict[int, Link], list[int]]:
    """Every entry's link, and the commits whose entry cannot be read."""
    links, unreadable = {}, []
    for n, stored in audit.rows(db):
        try:
            links[n] = Link.of(audit.unpack(n, stored))
        except StoreDamaged:
            unreadable.append(n)
    return links, unreadable


def named(links: Iterable[Link]) -> set[bytes]:
    """Every hash that an entry says is another's: what has one of these is what was written."""
    return {h for link in links for h in (link.previous, *(bytes.fromhex(hole.hash) for hole in link.holes))}


def breaks(links: Mapping[int, Link], start: tuple[int, bytes]) -> list[Hole]:
    """Every place where an entry does not name the hash of the one before it.

    ``start``: commit and hash before the first entry; (0, zeros) where nothing is known, then the
    first entry must say that the trail begins with it.
    """
    found = []
    n, hash_ = start
    for at in sorted(links):
        link = links[at]
        begins = link.begins and n == 0
        if link.previous != hash_ and not begins:
            found.append(Hole(n, hash_.hex(), at, link.previous.hex()))
        n, hash_ = at, link.hash
    return found
