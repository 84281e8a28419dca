"""XML (.xml): the words between the tags, each beside the name of its element, attributes beside theirs.

A scanner over the marks, not a tree: no entity, no document type and no other file is ever
looked at, depth is no danger, and a file that is damaged still has its words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

VERSION = "1"
GROUP = 240  # characters from which a section may end: about a chunk
SHOWN_DEPTH = 8  # elements named in a heading path
_MARK = re.compile(
    r"<!--.*?-->|<!\[CDATA\[(?P<data>.*?)\]\]>|<\?.*?\?>|<!DOCTYPE[^\[>]*+(?:\[.*?\]\s*+)?>"
    r"|<(?P<close>/?)(?P<name>[^\W\d][\w:.-]*+)(?P<attributes>(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+)(?P<empty>(?<=/))?>",
    re.S,
)
_ATTRIBUTE = re.compile(r"([^\W\d][\w:.-]*+)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_OPENS = re.compile(r"<(?:!--|!\[CDATA\[|\?|!DOCTYPE)")
DAMAGED = Message(
    "The XML is damaged or cut off: its elements do not close. Its text was indexed; restore it from a good copy"
)


class Piece(NamedTuple):
    """A line of output with its offset in the file and the elements round it."""

    text: str
    at: int
    path: tuple[str, ...]


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """Sections of about a chunk with the lines they stand on. Raises ParseRefused for binary data."""
    from .clean import normalise
    from .html_charset import decode_page
    from .text import damage

    del limits  # size and output are judged by the caller; the scan is linear
    found = decode_page(data)
    text = normalise(found.text)
    scan = _Scan(text)
    sections = tuple(_sections(scan, text))
    notes = (*damage(found), *((DAMAGED,) if scan.damaged else ()))
    details = {"encoding": found.encoding}
    if not sections:
        return Parsed((), State.NO_TEXT, (Message("The file has no text"), *notes), "xml", details=details)
    return Parsed(sections, State.WARNED if notes else State.INDEXED, notes, "xml", scan.title, details)


class _Scan:
    def __init__(self, text: str) -> None:
        self.damaged = False
        self.title = ""
        self._text = text
        self._open: list[str] = []
        self._words: list[str] = []
        self._at = 0  # of the first of the words

    def pieces(self) -> Iterator[Piece]:
        """The words and attributes in their order."""
        at = 0
        for mark in _marks(self._text):
            self._add(html.unescape(self._text[at : mark.start()]), at)
            at = mark.end()
            if mark["data"] is not None:
                self._add(mark["data"], mark.start())
            elif mark["name"]:
                yield from self._words_end()
                yield from self._tag(mark)
        self._add(html.unescape(self._text[at:]), at)
        self.damaged = self.damaged or bool(self._open) or "<" in self._text[at:]
        yield from self._words_end()

    def _tag(self, mark: re.Match[str]) -> Iterator[Piece]:
        name = mark["name"].rpartition(":")[2][:100]
        if mark["close"]:
            if self._open and self._open[-1] == name:
                self._open.pop()
            else:
                self.damaged = True
            return
        attributes = [
            f"{key}: {' '.join(html.unescape(one or other).split())}"
            for key, one, other in _ATTRIBUTE.findall(mark["attributes"])
            if (one or other).strip() and not key.startswith(("xmlns", "xsi:"))
        ]
        self._open.append(name)
        if attributes:
            yield Piece(f"{name} {', '.join(attributes)}\n", mark.start(), self._path())
        if mark["empty"] is not None:
            self._open.pop()

    def _add(self, words: str, at: int) -> None:
        if words and not words.isspace():
            self._at = self._at if self._words else at + len(words) - len(words.lstrip())
            self._words.append(words)

    def _words_end(self) -> Iterator[Piece]:
        if not self._words:
            return
        lines = "".join(self._words).strip().split("\n")
        words = "\n".join(" ".join(line.split()) for line in lines if line.strip())
        self._words = []
        name = self._open[-1] if self._open else ""
        if name.lower() in ("title", "name", "标题") and len(self._open) < 4 and not self.title:
            self.title = " ".join(words.split())[:300]
        yield Piece(f"{name}: {words}\n" if name else f"{words}\n", self._at, self._path())

    def _path(self) -> tuple[str, ...]:
        return tuple(self._open[:-1][:SHOWN_DEPTH])


def _marks(text: str) -> Iterator[re.Match[str]]:
    """The tags, comments and instructions; one that never closes is passed over once, not searched for again."""
    unclosed: set[str] = set()
    at = text.find("<")
    while at >= 0:
        opened = _OPENS.match(text, at)
        if opened is None or opened[0] not in unclosed:
            found = _MARK.match(text, at)
            if found is not None:
                yield found
                at = text.find("<", found.end())
                continue
            if opened is not None:
                unclosed.add(opened[0])
        at = text.find("<", at + 1)


def _sections(scan: _Scan, text: str) -> Iterator[Section]:
    from .clean import clean

    held: list[str] = []
    size = line = counted = last = 0
    path: tuple[str, ...] = ()
    for piece in scan.pieces():
        if held and size >= GROUP:
            yield Section(clean("".join(held)), path, None, "code", _lines(line, last))
            held, size = [], 0
        last = (last or 1) + text.count("\n", counted, piece.at)
        counted = max(counted, piece.at)
        if not held:
            line, path = last, piece.path
        held.append(piece.text)
        size += len(piece.text)
    if held:
        yield Section(clean("".join(held)), path, None, "code", _lines(line, last))


def _lines(first: int, last: int) -> str:
    return f"L{first}" if first == last else f"L{first}-L{last}"
