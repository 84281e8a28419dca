"""Subtitles (.srt, .vtt): what is said, without numbers and markup; each section begins at its time.

A line per cue. Speakers are named where they change. Captions that roll (each cue repeats the
line before it) are said once.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

VERSION = "1"
GROUP = 240  # characters of cues in one section: about a chunk, so that its time is the chunk's
PAUSE = 30.0  # seconds of silence after which a section begins
_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?"
_CUE = re.compile(rf"^[ \t]*+{_TIME}[ \t]*+-+>[ \t]*+{_TIME}[^\n]*+$", re.M)
_SPEAKER = re.compile(r"<v(?:\.[^\s>]{0,60})?[ \t]+([^>]{1,100})>", re.I)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|</?\d[\d:.]{0,20}>|\{\\[^{}\n]{0,200}\}|\{[yY]:[^{}\n]{0,20}\}")
_NUMBER = re.compile(r"[ \t]*+\d++[ \t]*+")
_HIDDEN = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t]|$)")
NO_CUES = Message("No cue with its times was found; the file was read as plain text")


class Cue(NamedTuple):
    """What is said from ``start`` to ``end`` (seconds)."""

    start: float
    end: float
    lines: list[str]


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """Sections of about a chunk, each with the time of its first cue; a file without cues is plain text, and said."""
    from .text import read

    del limits  # size and output are judged by the caller; the scan is linear
    found = read(data)
    if not found.text:
        return Parsed((), found.state, found.notes, "subtitles", details=found.details)
    cues = list(_cues(found.text))
    if not cues:
        return Parsed((Section(found.text),), State.WARNED, (NO_CUES, *found.notes), "subtitles", details=found.details)
    sections = tuple(_sections(_said(cues)))
    title = _title(found.text)
    if title:
        sections = (Section(f"{title}\n\n"), *sections)
    return Parsed(sections, found.state, found.notes, "subtitles", title, found.details)


def _title(text: str) -> str:
    """What stands after WEBVTT on the first line."""
    first = text[: text.find("\n") if "\n" in text else len(text)]
    return first[6:].strip(" \t-")[:300] if first.startswith(("WEBVTT ", "WEBVTT\t")) else ""


def _cues(text: str) -> Iterator[Cue]:
    marks = list(_CUE.finditer(text))
    for index, mark in enumerate(marks):
        last = index + 1 == len(marks)
        body = text[mark.end() + 1 : len(text) if last else marks[index + 1].start()].split("\n")
        if not last and body and not body[-1]:
            body.pop()  # the end of the line before the next times
        lines = _own(body, last)
        values = mark.groups()
        yield Cue(_seconds(values[:4]), _seconds(values[4:]), lines)


def _own(body: list[str], last: bool) -> list[str]:
    """The lines of the cue: not the name of the next one, nor comments and styles between them."""
    lines = [line.rstrip() for line in body]
    blank = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
    after = [i for i in range(blank, len(lines)) if lines[i].strip()]
    if not last and after and after[-1] == len(lines) - 1 and not (len(lines) > 1 and lines[-2].strip()):
        lines.pop()  # stands alone above the next times: its number or name
    elif not last and blank == len(lines) and lines and _NUMBER.fullmatch(lines[-1]):
        lines.pop()  # the blank line is missing
    kept: list[str] = []
    hidden = False
    for index, line in enumerate(lines):
        if not line.strip():
            hidden = False
        elif index > blank and not lines[index - 1].strip() and _HIDDEN.match(line):
            hidden = True
        if not hidden and line.strip():
            kept.append(line)
    return kept


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + float(f"0.{fraction or 0}")


def _said(cues: list[Cue]) -> Iterator[tuple[float, float, str]]:
    """Start, end and text of each cue that says something new."""
    speaker = ""
    before: list[str] = []
    until = 0.0
    for cue in cues:
        lines: list[str] = []
        for line in cue.lines:
            named = _SPEAKER.search(line)
            text = " ".join(html.unescape(_TAG.sub("", line)).split())
            if named and text and named[1].strip() != speaker:
                speaker = named[1].strip()
                text = f"{speaker}: {text}"
            if text:
                lines.append(text)
        rolling = cue.start <= until + 0.5
        new = lines[_overlap(before, lines) :] if rolling else lines
        before, until = lines or before, max(until, cue.end)
        if new:
            yield cue.start, cue.end, _joined(new)


def _overlap(before: list[str], lines: list[str]) -> int:
    """How many of the first lines are the last ones of the cue before."""
    for count in range(min(len(before), len(lines), 4), 0, -1):
        if before[-count:] == lines[:count] and (count < len(lines) or before == lines):
            return count
    return 0


def _joined(lines: list[str]) -> str:
    """The lines of a cue are one sentence, unless they begin with dashes: then two people speak."""
    if any(line.startswith(("-", "–", "—")) for line in lines[1:]):
        return "\n".join(lines)
    return " ".join(lines)


def _sections(said: Iterator[tuple[float, float, str]]) -> Iterator[Section]:
    held: list[str] = []
    size = 0
    place, until = "", 0.0
    for start, end, text in said:
        if held and (size + len(text) > GROUP or start > until + PAUSE):
            yield Section("".join(held), place=place)
            held, size = [], 0
        if not held:
            place = clock(start)
        held.append(f"{text}\n")
        size += len(text) + 1
        until = max(until, end)
    if held:
        yield Section("".join(held), place=place)


def clock(seconds: float) -> str:
    """``01:02:03``, as players show it."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
