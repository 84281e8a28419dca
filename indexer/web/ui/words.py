"""How the pages speak: sentences in the reader's language, times, sizes, and the words the browser's part needs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from ...core.model import Message
from ...i18n import translate

Say = Callable[..., str]

_CALL = re.compile(r"""\bt\(\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')""")
FOLDER = Path(__file__).parent


def sayer(lang: str) -> Say:
    """A function that says a template, or a message, in a language."""

    def say(text: str | Message, **values: Any) -> str:
        return translate(text if isinstance(text, Message) else Message(text, values), lang)

    return say


@cache
def used_in(folder: str, suffix: str) -> frozenset[str]:
    """Every sentence that ``t("…")`` says in the files of a folder; the sentence is the key of its translation."""
    texts = (p.read_text("utf-8") for p in sorted((FOLDER / folder).glob("*" + suffix)))
    found = (a or b for text in texts for a, b in _CALL.findall(text))
    return frozenset(text.replace('\\"', '"') for text in found)


def for_browser(lang: str) -> Mapping[str, str]:
    """The translations of what the ES modules say; empty for English, whose sentences are the keys."""
    if lang == "en":
        return {}
    return {text: translate(Message(text), lang) for text in sorted(used_in("static", ".js"))}


def moment(value: object) -> datetime | None:
    """A point in time from ISO text or nanoseconds, in this machine's zone; None for nothing."""
    if isinstance(value, int) and value > 0:
        return datetime.fromtimestamp(value / 1e9).astimezone()
    if isinstance(value, str) and value:
        try:
            return datetime.fromisoformat(value).astimezone()
        except ValueError:
            return None
    return None


def ago(value: object, lang: str, now: Callable[[], float] = time.time) -> str:
    """How long ago, in the largest unit of which there are two; "" for nothing."""
    when = moment(value)
    return "" if when is None else translate(_ago(now() - when.timestamp()), lang).strip()


def _ago(seconds: float) -> Message:
    if seconds <= -2:  # less is how far apart two clocks may be
        return _until(-seconds)
    if seconds < 120:
        return Message("{n} s ago", {"n": max(0, round(seconds))})
    if seconds < 2 * 3600:
        return Message("{n} min ago", {"n": round(seconds / 60)})
    if seconds < 2 * 86_400:
        return Message("{n} h ago", {"n": round(seconds / 3600)})
    return Message("{n} days ago", {"n": round(seconds / 86_400)})


def _until(seconds: float) -> Message:
    if seconds < 120:
        return Message("in {n} s", {"n": round(seconds)})
    if seconds < 2 * 3600:
        return Message("in {n} min", {"n": round(seconds / 60)})
    if seconds < 2 * 86_400:
        return Message("in {n} h", {"n": round(seconds / 3600)})
    return Message("in {n} days", {"n": round(seconds / 86_400)})


def date(value: object) -> str:
    """Date and time to the minute, as both languages write it."""
    when = moment(value)
    return "" if when is None else when.strftime("%Y-%m-%d %H:%M")


def size(value: object) -> str:
    """Bytes for people: 640 B, 12 KB, 3.1 GB."""
    if not isinstance(value, (int, float)):
        return "–"
    number = float(value)
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1024 or unit == "GB":
            return f"{number:.0f} {unit}" if unit == "B" or number >= 10 else f"{number:.1f} {unit}"
        number /= 1024
    return ""


def lasted(seconds: object) -> str:
    """A duration: 0.4 s, 12 s, 3 min 20 s."""
    if not isinstance(seconds, (int, float)):
        return ""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60)} s"
