"""Records as lines: text for people, JSON for programs. No value can begin a line of its own.

A file may be called ``a<newline>2026-11-30 02:00:00 error ...``; so control characters of every value
are shown escaped, and whatever has several lines (a traceback, a list of problems) is indented.
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ..core.model import EMPTY, Message
from ..i18n import translate
from .mask import Mask

COLOURS = {"debug": "2", "info": "32", "warning": "33", "error": "31"}
PRIORITY = {"debug": 7, "info": 6, "warning": 4, "error": 3}
"""Syslog priorities: systemd's journal takes ``<4>`` in front of a line for its level."""


class Entry(NamedTuple):
    """What a record says. ``run`` and ``trigger`` are those of the run it was made in."""

    event: str
    message: Message
    facts: Mapping[str, Any] = EMPTY
    run: int | str = 0
    trigger: str = ""


def entry_of(record: logging.LogRecord) -> Entry:
    """Our entry of a record; what another package says is one too, under the name of its logger."""
    found = getattr(record, "entry", None)
    if isinstance(found, Entry):
        return found
    try:
        said = record.getMessage()
    except Exception:  # a template and values of another package that do not fit
        said = str(record.msg)
    run, trigger = getattr(record, "of_run", (0, ""))
    return Entry(record.name, Message("{text}", {"text": said}), EMPTY, run, trigger)


def level_of(record: logging.LogRecord) -> str:
    """One of the four words."""
    number = record.levelno
    if number >= logging.ERROR:
        return "error"
    return "warning" if number >= logging.WARNING else "info" if number >= logging.INFO else "debug"


def printable(text: str) -> str:
    """On one line, with nothing that moves a cursor or changes the direction of text."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def safe(value: Any, clean: Callable[[str], str]) -> Any:
    """A value with every text in it cleaned; numbers stay numbers, so that templates can format them."""
    if isinstance(value, Message):
        return Message(value.text, {k: safe(v, clean) for k, v in value.args.items()})
    if isinstance(value, Mapping):
        return {clean(str(k)): safe(v, clean) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [safe(v, clean) for v in value]
    return value if value is None or isinstance(value, (bool, int, float)) else clean(str(value))


def traceback_of(record: logging.LogRecord) -> str:
    """Where it happened, "" for a record without an exception."""
    return "".join(traceback.format_exception(*record.exc_info)) if record.exc_info and record.exc_info[0] else ""


class Text(logging.Formatter):
    """``2026-11-30 02:00:05+0800 warning [run 12] sentence``: local time, the user's language."""

    def __init__(
        self, lang: str, mask: Mask, *, times: bool = True, colours: bool = False, priorities: bool = False,
        traces: Callable[[], bool] = lambda: True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.lang, self.mask = lang, mask
        self.times, self.colours, self.priorities, self.traces = times, colours, priorities, traces

    def format(self, record: logging.LogRecord) -> str:
        """One line, or several of which all but the first are indented."""
        entry, level = entry_of(record), level_of(record)
        message = safe(entry.message, lambda text: printable(self.mask(text)))
        first, *more = translate(message, self.lang).split("\n")
        head = [self._time(record)] if self.times else []
        head += [self._coloured(level), *([f"[run {entry.run}]"] if entry.run else [])]
        head += [] if hasattr(record, "entry") else [f"{printable(entry.event)}:"]
        lines = [" ".join([*head, printable(first)]), *("    " + printable(x) for x in more)]
        if self.traces() and (trace := traceback_of(record)):
            lines += ["    | " + printable(x) for x in self.mask(trace).rstrip("\n").split("\n")]
        mark = f"<{PRIORITY[level]}>" if self.priorities else ""
        return "\n".join(mark + line for line in lines)

    def _coloured(self, level: str) -> str:
        return f"\x1b[{COLOURS[level]}m{level:<7}\x1b[0m" if self.colours else f"{level:<7}"

    @staticmethod
    def _time(record: logging.LogRecord) -> str:
        return time.strftime("%Y-%m-%d %H:%M:%S%z", time.localtime(record.created))


class Json(logging.Formatter):
    """One JSON object: time (ISO, with its zone), level, event, run, trigger, message (English), facts."""

    def __init__(self, mask: Mask, *, traces: Callable[[], bool] = lambda: True) -> None:
        super().__init__()
        self.mask, self.traces = mask, traces

    def format(self, record: logging.LogRecord) -> str:
        """ASCII only, so that no reader sees more lines than there are (some split at U+2028)."""
        entry = entry_of(record)
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created).astimezone().isoformat(timespec="milliseconds"),
            "level": level_of(record),
            "event": entry.event,
        }
        said |= {"run": entry.run, "trigger": entry.trigger} if entry.run else {}
        said["message"] = translate(safe(entry.message, self.mask), "en")
        said["facts"] = safe(_plain(entry.facts), self.mask)
        if self.traces() and (trace := traceback_of(record)):
            said["traceback"] = self.mask(trace)
        return json.dumps(said, ensure_ascii=True)


def _plain(value: Any) -> Any:
    """Messages as their English sentence, everything else as it is."""
    if isinstance(value, Message):
        return translate(value, "en")
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value
