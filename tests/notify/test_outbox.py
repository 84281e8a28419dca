"""Letters that wait: which goes when, what is gathered, what is given up."""

from __future__ import annotations

import json

import pytest
from outcomes import HOUR, MINUTE, NOON, done, failed

from indexer.core.model import Message
from indexer.notify.news import Failed, Named, News
from indexer.notify.outbox import (
    GATHER,
    ROOM,
    WAITS,
    Box,
    InHand,
    box_of,
    known,
    next_due,
    plain_box,
    post,
    put_back,
    take,
    untouched,
)  # fmt: skip
from indexer.notify.told import Told, tell

WATCHED = News(trigger="watch", added=Named(1, ("kb/a",)), commit_before=1, commit=2)
NIGHT = News(trigger="schedule", modified=Named(1, ("kb/b",)), commit_before=2, commit=3)
TROUBLE = News(trigger="schedule", errors=(Message("no change"),))


def posted(*letters: tuple[News, int]) -> Box:
    """A box with these letters for one channel, posted at these times."""
    box = Box()
    for news, at in letters:
        box, _ = post(box, news, ["mail"], at)
    return box


def taken(box: Box, at: int, *, ending: bool = False) -> tuple[Box, InHand]:
    """What is due, which must be something."""
    found = take(box, at, ending=ending)
    assert found is not None
    return found


def test_a_letter_goes_to_each_channel_once() -> None:
    """In hand it is not in the box any more; after the last channel the box is empty."""
    box, _ = post(Box(), NIGHT, ["mail", "chat"], NOON)
    box, first = taken(box, NOON)
    box, second = taken(box, NOON)
    assert [first.channel, second.channel] == ["mail", "chat"]
    assert box.letters == ()
    assert take(box, NOON + HOUR) is None


def test_back_off() -> None:
    """1, 5 and 30 minutes after a failure; then it is given up."""
    box, at, waited = posted((NIGHT, NOON)), NOON, []
    for _ in range(4):
        box, hand = taken(box, at)
        again = put_back(box, hand, at)
        if again is None:
            break
        assert take(again, at) is None
        due = next_due(again)
        assert due is not None
        waited.append((due - at) / 1e9)
        box, at = again, due
    assert tuple(waited) == WAITS == (60, 300, 1800)
    assert box.letters == ()


def test_one_channel_s_trouble_is_not_the_other_s() -> None:
    """What one has is not sent to it again when the other is tried again."""
    box, _ = post(Box(), NIGHT, ["mail", "chat"], NOON)
    box, hand = taken(box, NOON)
    box, other = taken(box, NOON)
    again = put_back(box, hand, NOON)
    assert again is not None
    _, hand = taken(again, NOON + 2 * MINUTE)
    assert (hand.channel, hand.tries, other.channel) == ("mail", 1, "chat")


def test_watched_changes_are_gathered() -> None:
    """The first is told at once, what comes in the ten minutes after it together."""
    box, _ = post(Box(), WATCHED, ["mail"], NOON)
    box, _ = taken(box, NOON)
    for minute in range(1, 9):
        box, _ = post(
            box, WATCHED._replace(commit_before=minute + 1, commit=minute + 2), ["mail"], NOON + minute * MINUTE
        )
        assert take(box, NOON + minute * MINUTE) is None
    assert next_due(box) == NOON + GATHER
    box, hand = taken(box, NOON + GATHER)
    news = hand.letter.news
    assert (news.runs, news.added, news.commit_before, news.commit) == (8, Named(8, ("kb/a",)), 2, 10)
    assert box.letters == ()
    box, _ = post(box, WATCHED, ["mail"], NOON + GATHER + MINUTE)
    assert next_due(box) == NOON + 2 * GATHER


@pytest.mark.parametrize("news", [TROUBLE, NIGHT])
def test_what_is_gathered_goes_with_the_next_letter(news: News) -> None:
    """A failure, or the nightly run, does not wait for watched changes to be complete."""
    box, _ = post(posted((WATCHED, NOON)), WATCHED, ["mail"], NOON)
    box, _ = taken(box, NOON)
    box, _ = post(box, WATCHED, ["mail"], NOON + MINUTE)
    box, _ = post(box, news, ["mail"], NOON + 2 * MINUTE)
    box, hand = taken(box, NOON + 2 * MINUTE)
    assert hand.letter.news.kinds == news.kinds | {"changes"}
    assert box.letters == ()


def test_a_letter_that_was_tried_gathers_no_more() -> None:
    """Part of its channels may have it: what comes later is a letter of its own."""
    box, hand = taken(posted((WATCHED, NOON)), NOON)
    again = put_back(box, hand, NOON)
    assert again is not None
    box, _ = post(again, WATCHED, ["mail"], NOON + MINUTE)
    assert [x.news.runs for x in box.letters] == [1, 1]


def test_at_the_end_what_gathers_is_sent_and_what_waits_stays() -> None:
    """A letter whose sending failed keeps its time; one that only waited for more goes."""
    box, hand = taken(posted((TROUBLE, NOON)), NOON)
    again = put_back(box, hand, NOON)
    assert again is not None
    box, _ = post(again._replace(changes_ns=NOON), WATCHED, ["mail"], NOON)
    box, hand = taken(box, NOON, ending=True)
    assert hand.letter.news.kinds == {"changes"}
    assert take(box, NOON, ending=True) is None


def test_a_full_box_loses_its_oldest() -> None:
    """100 letters at most."""
    box, lost = Box(), 0
    for n in range(ROOM + 3):
        box, more = post(box, TROUBLE._replace(run=n), ["mail"], NOON)
        lost += more
    assert (len(box.letters), lost, box.letters[0].news.run) == (ROOM, 3, 3)


def test_a_clock_set_back_delays_nothing() -> None:
    """A letter due in the far future is due now."""
    box, hand = taken(posted((TROUBLE, NOON)), NOON)
    again = put_back(box, hand, NOON)
    assert again is not None
    assert take(again, NOON - 24 * HOUR) is not None


def test_what_was_in_hand_at_the_end_is_due_at_the_next_start() -> None:
    """With the attempts it had."""
    box, hand = taken(posted((TROUBLE, NOON)), NOON)
    _, again = taken(untouched(box, hand, NOON), NOON)
    assert (again.channel, again.tries, again.letter.news) == (hand.channel, hand.tries, hand.letter.news)


def test_channels_that_are_configured_no_more_are_forgotten() -> None:
    """And with them what waited for them alone."""
    box, _ = post(posted((TROUBLE, NOON)), TROUBLE, ["mail", "chat"], NOON)
    assert [list(x.to) for x in known(box, ["chat"]).letters] == [["chat"]]


def test_the_box_survives_its_file() -> None:
    """Messages, names of any kind, times: read back they are the same."""
    told, news = tell(Told(), done(added=["\udcff\n报告"], failed=["b"], held=["c"]))
    told, trouble = tell(told, failed(NOON + HOUR))
    nested = News(failed=(Failed("kb/x", Message("{a}", {"a": Message("{b}", {"b": 1})})),), failed_count=1)
    box = Box(told, changes_ns=5)
    for letter in (news, trouble, nested):
        box, _ = post(box, letter, ["mail", "chat"], NOON)
    assert box_of(json.loads(json.dumps(plain_box(box)))) == box


@pytest.mark.parametrize("stored", [{}, {"format": 99}, {"format": 1, "told": {}}, []])
def test_a_file_of_another_kind_is_refused(stored: object) -> None:
    """With an error that the notifier expects."""
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        box_of(stored)  # type: ignore[arg-type]
