"""Letters that wait to be sent, as values: posting, taking one in hand, putting it back after a failure.

A letter in hand is not in the box any more, and the box is stored before it is sent: whatever happens
to the process meanwhile, it is not sent a second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .news import News, news_of, plain
from .told import MINUTE, Told, plain_told, told_of

WAITS = (60.0, 300.0, 1800.0)
"""Seconds before the second, third and fourth attempt; after that a letter is given up."""

GATHER = 10 * MINUTE
"""Changes that come by themselves (watch mode) are told this often at most, together."""

ROOM = 100
"""Letters that may wait; the oldest are given up first."""

FORMAT = 1


class Letter(NamedTuple):
    """News for the channels that do not have it yet: channel → (attempts so far, when the next is due)."""

    id: int
    news: News
    to: Mapping[str, tuple[int, int]]
    begun: bool = False


class Box(NamedTuple):
    """All that is kept between two starts. ``changes_ns``: when changes were told last."""

    told: Told = Told()
    letters: tuple[Letter, ...] = ()
    changes_ns: int = 0
    next_id: int = 1


class InHand(NamedTuple):
    """One letter for one channel; ``tries`` counts the attempts before this one."""

    letter: Letter
    channel: str
    tries: int


def post(box: Box, news: News, channels: Sequence[str], at: int) -> tuple[Box, int]:
    """The box with one letter more, and how many had to be given up for lack of room.

    Changes that wait to be told are told with it.
    """
    waiting = next((x for x in box.letters if not x.begun and x.news.kinds == {"changes"}), None)
    letters = tuple(x for x in box.letters if x is not waiting)
    due, changes_ns = at, box.changes_ns
    if "changes" in news.kinds or waiting is not None:
        if news.kinds <= {"changes"} and news.trigger == "watch":
            due = max(at, min(box.changes_ns, at) + GATHER) if box.changes_ns else at
        changes_ns = due
    if waiting is not None:
        due = min(due, max(at, *(when for _, when in waiting.to.values())))
        news, changes_ns = news.after(waiting.news), due
    letter = Letter(box.next_id, news, dict.fromkeys(channels, (0, due)))
    letters = (*letters, letter)
    given_up = max(0, len(letters) - ROOM)
    return box._replace(letters=letters[given_up:], changes_ns=changes_ns, next_id=box.next_id + 1), given_up


def take(box: Box, at: int, *, ending: bool = False) -> tuple[Box, InHand] | None:
    """The first letter that is due, out of the box; when ``ending`` also those that only gather more."""
    for letter in box.letters:
        for channel, (tries, due) in letter.to.items():
            if due <= at or due > at + 3600 * 10**9 or (ending and not tries):  # the clock may have been set back
                rest = {c: when for c, when in letter.to.items() if c != channel}
                left = tuple(
                    x if x is not letter else x._replace(to=rest, begun=True)
                    for x in box.letters
                    if x is not letter or rest
                )
                return box._replace(letters=left), InHand(letter, channel, tries)
    return None


def put_back(box: Box, hand: InHand, at: int, waits: Sequence[float] = WAITS) -> Box | None:
    """The box with a letter whose sending failed, due after a while; None after the last attempt."""
    if hand.tries >= len(waits):
        return None
    again = {hand.channel: (hand.tries + 1, at + int(waits[hand.tries] * 1e9))}
    return _with(box, hand.letter, again)


def untouched(box: Box, hand: InHand, at: int) -> Box:
    """The box with a letter that was in hand when everything ended: due at the next start."""
    return _with(box, hand.letter, {hand.channel: (hand.tries, at)})


def _with(box: Box, letter: Letter, to: Mapping[str, tuple[int, int]]) -> Box:
    if any(x.id == letter.id for x in box.letters):
        letters = tuple(x._replace(to={**x.to, **to}) if x.id == letter.id else x for x in box.letters)
        return box._replace(letters=letters)
    return box._replace(
        letters=tuple(sorted((*box.letters, letter._replace(to=dict(to), begun=True)), key=lambda x: x.id))
    )


def next_due(box: Box) -> int | None:
    """When something is to be done."""
    return min((due for letter in box.letters for _, due in letter.to.values()), default=None)


def known(box: Box, channels: Sequence[str]) -> Box:
    """Without channels that are configured no more."""
    kept = [x._replace(to={c: w for c, w in x.to.items() if c in channels}) for x in box.letters]
    return box._replace(letters=tuple(x for x in kept if x.to))


def plain_box(box: Box) -> dict[str, Any]:
    """As JSON."""
    letters = [{"id": x.id, "news": plain(x.news), "to": plain(x.to), "begun": x.begun} for x in box.letters]
    told = plain_told(box.told)
    return {"format": FORMAT, "told": told, "letters": letters, "changes_ns": box.changes_ns, "next_id": box.next_id}


def box_of(stored: Mapping[str, Any]) -> Box:
    """Inverse of :func:`plain_box`; raises KeyError, TypeError or ValueError for anything else."""
    if stored["format"] != FORMAT:
        raise ValueError("another format")
    letters = tuple(
        Letter(
            int(x["id"]), news_of(x["news"]), {str(c): (int(n), int(due)) for c, (n, due) in x["to"].items()}, bool(x["begun"])
        )
        for x in stored["letters"]
    )  # fmt: skip
    return Box(told_of(stored["told"]), letters, int(stored["changes_ns"]), int(stored["next_id"]))
