"""The listener that tells people: it only notes that a run ended; a thread of its own decides what is news and sends it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import channels
from ..core.errors import IndexerError
from ..core.model import Message
from ..core.tables import NotifySettings
from ..logs.mask import mask_of
from ..store import disk
from . import outbox, words
from .outbox import Box, InHand
from .post import Write, Written, send
from .told import tell
from .words import Place

if TYPE_CHECKING:
    from ..logs import Log
    from ..report import Outcome
    from ..settings import Settings

FILE = "notify.json"
STOP_SECONDS = 5.0
MOST = 1000
"""Runs that may end while one letter is sent; each knows all that stands, so of older ones only changes are missed."""
Send = Callable[[str, Write, str], Message | None]


class Notifier:
    """``listen(kind, facts)`` for the service; between :meth:`start` and :meth:`stop` letters are sent.

    ``lang``: the language where the configuration names none. A run is never delayed and never fails because of it. ``metadata/notify.json`` keeps what was told
    and what waits, so a restart neither repeats nor loses a letter: each goes to each address
    once, or is tried again after 1, 5 and 30 minutes and then given up with a line in the log.
    """

    def __init__(
        self, settings: Settings, lang: str, log: Log, *,
        now_ns: Callable[[], int] = time.time_ns, waits: Sequence[float] = outbox.WAITS, send: Send = send,
    ) -> None:  # fmt: skip
        self.on, wanted = settings.notify.on, settings.notify.language
        self.lang, self.log, self.place = (
            lang if wanted == "auto" else wanted,
            log,
            Place(settings.home, platform.node()),
        )
        self.path, self.now_ns, self.waits, self.send = Path(settings.metadata) / FILE, now_ns, waits, send
        self.mask = mask_of(settings._replace(notify=NotifySettings()))
        self.channels = {name_of(url): (index, url) for index, url in enumerate(settings.notify.urls)}
        self.box, self.hand = Box(), None
        self.heard: deque[Outcome] = deque(maxlen=MOST)
        self.changed = threading.Condition()
        self.saving = threading.Lock()
        self.stale = self.unsaved = self.ending = self.abandoned = False
        self.thread: threading.Thread | None = None

    hand: InHand | None

    def start(self) -> None:
        """Go on with what waits since the last time; nothing at all without addresses."""
        if self.channels and self.thread is None:
            self._load()
            self.thread = threading.Thread(target=self._work, name="notify", daemon=True)
            self.thread.start()

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Never raises, never waits."""
        if kind == "end" and self.thread is not None:
            with self.changed:
                self.heard.append(facts["outcome"])
                self.changed.notify()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Send what can be sent in this time; the rest is kept for the next start."""
        if self.thread is None:
            return
        with self.changed:
            self.ending = True
            self.changed.notify()
        self.thread.join(seconds)
        with self.changed:
            self.abandoned = True
            if self.hand is not None:  # a server that did not answer all this time has not taken it
                self.box, self.stale = outbox.untouched(self.box, self.hand, self.now_ns()), True
        self._decide()
        self._save()
        self.thread = None

    close = stop

    def _decide(self) -> None:
        """What is news of the runs that ended meanwhile."""
        lost = 0
        with self.changed:
            while self.heard:
                told, news = tell(self.box.told, self.heard.popleft())
                news = news.only(self.on)
                self.stale = self.stale or told != self.box.told or bool(news.kinds)
                self.box = self.box._replace(told=told)
                if news.kinds:
                    self.box, more = outbox.post(self.box, news, list(self.channels), self.now_ns())
                    lost += more
        if lost:
            self.log.event("notify_dropped", "error", Message(_TOO_MANY, {"count": lost}), count=lost)

    def _work(self) -> None:
        """The thread; a fault of ours costs the letter in hand, not those after it."""
        while True:
            try:
                if not self._turn():
                    return
            except Exception as e:
                self._internal(e)
                with self.changed:
                    self.hand = None
                    self.changed.wait(1.0)

    def _turn(self) -> bool:
        """Decide, save, send one letter, settle; False when it was told to end and nothing is left to do."""
        self._decide()
        with self.changed:
            if self.heard:
                return True
            taken = None if self.abandoned else outbox.take(self.box, self.now_ns(), ending=self.ending)
            if taken is not None:
                self.box, self.hand = taken
                self.stale = True
            elif self.abandoned or (self.ending and not self.stale):
                return False
            elif not self.stale:
                self.changed.wait(self._pause())
                return True
        self._save()
        if taken is not None:
            self._deliver(taken[1])
        return True

    def _pause(self) -> float:
        due = outbox.next_due(self.box)
        return 60.0 if due is None else min(60.0, max(0.01, (due - self.now_ns()) / 1e9))

    def _deliver(self, hand: InHand) -> None:
        index, url = self.channels[hand.channel]
        news = hand.letter.news

        def write(names: int) -> Written:
            subject, body = words.written(news, self.place, self.lang, names)
            return Written(subject, self.mask(body))

        why = self.send(url, write, words.mood(news))
        with self.changed:
            self.hand = None
            if self.abandoned:
                return
            again = outbox.put_back(self.box, hand, self.now_ns(), self.waits) if why is not None else self.box
            self.box, self.stale = again or self.box, True
        self._log(hand, label(index, url), write(0).subject, why, kept=again is not None)

    def _log(self, hand: InHand, channel: str, subject: str, why: Message | None, *, kept: bool) -> None:
        args = {"channel": channel, "subject": subject, "why": why, "tries": hand.tries + 1}
        facts = {"channel": channel, "tries": hand.tries + 1, "of_run": hand.letter.news.run}
        if why is None:
            self.log.event("notify_sent", "info", Message(_SENT, args), **facts)
        elif kept:
            args["minutes"] = f"{self.waits[hand.tries] / 60:g}"
            self.log.event("notify_failed", "warning", Message(_FAILED, args), why=why, **facts)
        else:
            self.log.event("notify_dropped", "error", Message(_DROPPED, args), why=why, **facts)

    def _load(self) -> None:
        try:
            stored = json.loads(self.path.read_bytes())
            self.box = outbox.known(outbox.box_of(stored), list(self.channels))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
            args = {"path": str(self.path), "why": f"{type(e).__name__}: {e}"}
            self.log.event("notify_state", "warning", Message(_UNREADABLE, args))

    def _save(self) -> None:
        """Best effort: without it a restart may tell something twice, which is said once."""
        with self.saving:
            with self.changed:
                box, stale, self.stale = self.box, self.stale, False
            if not stale:
                return
            try:
                disk.make_folder(self.path.parent)
                disk.write_new(self.path, json.dumps(outbox.plain_box(box)).encode())
                self.unsaved = False
            except (IndexerError, OSError) as e:
                if not self.unsaved:
                    why = e.message if isinstance(e, IndexerError) else Message("{text}", {"text": str(e)})
                    self.log.event("notify_state", "warning", Message(_UNSAVED, {"why": why}))
                self.unsaved = True

    def _internal(self, e: Exception) -> None:
        with contextlib.suppress(Exception):
            said = Message("internal error: {kind}: {error}", {"kind": type(e).__name__, "error": str(e)})
            self.log.failed("internal_error", said, e)


def name_of(url: str) -> str:
    """What stands for an address in the state: it tells addresses apart and gives none away."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def label(index: int, url: str) -> str:
    """What is shown of an address."""
    return f"notify.urls[{index}] ({channels.scheme(url)})"


_SENT = "Notification sent to {channel}: {subject}"
_FAILED = "A notification could not be sent to {channel} ({why}); it is tried again in {minutes} minutes."
_DROPPED = "A notification could not be sent to {channel} ({why}) and was given up after {tries} attempts: {subject}"
_TOO_MANY = "{count} notifications were given up, since too many wait to be sent."
_UNREADABLE = "{path} cannot be read ({why}); what was told before may be told again."
_UNSAVED = "What was told cannot be stored: {why}"
