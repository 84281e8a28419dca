"""Blocks of a page (headings, paragraphs, tables, code) and the sections they become."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from indexer.core.model import Section

from .clean import clean

HEADING_CHARS = 200  # a longer "heading" is a paragraph in the wrong element
BREAK = "\v"  # a line end that stays one when white space is collapsed
_WIDE = "\u2e80-\u303f\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60"
# A source line that ends between two hanzi or kana is no blank (CSS Text 3, segment breaks).
_WRAPPED = re.compile(rf"(?<=[{_WIDE}])[ \t]*+\n\s*+(?=[{_WIDE}])")
_SPACE = re.compile(r"[ \t\r\n\f\xa0]++")
_BREAKS = re.compile(r" ?\v[\v ]*+")
_UNSEEN = re.compile("[\u00ad\u200b\u2060]")


class Block(NamedTuple):
    """A piece of a page. ``apart``: a blank line follows, as a margin does."""

    kind: Literal["text", "heading", "table", "code", "aside", "back"]
    text: str = ""
    level: int = 0
    lead: str = ""
    apart: bool = False


def collapsed(pieces: Sequence[str]) -> str:
    """Inline text as a browser shows it: white space collapsed, line ends only where an element makes them."""
    text = _UNSEEN.sub("", "".join(pieces))
    if "\n" in text:
        text = _WRAPPED.sub("", text)
    text = _SPACE.sub(" ", text)
    if BREAK in text:
        text = _BREAKS.sub(_line_end, text)
    return text.strip()


def _line_end(match: re.Match[str]) -> str:
    return "\n\n" if match[0].count(BREAK) > 1 else "\n"


def one_line(blocks: Iterable[Block]) -> str:
    """The text of a cell."""
    return " ".join(" ".join(block.text.split()) for block in blocks if block.text)


def heading_name(text: str) -> str:
    """A heading as it stands in heading paths."""
    return " ".join(text.split())


class Sections:
    """Builds sections from blocks; the sections' texts joined are the whole text."""

    def __init__(self) -> None:
        self.made: list[Section] = []
        self.path: list[tuple[int, str]] = []
        self.first: dict[int, str] = {}  # level to its first heading
        self._saved: list[list[tuple[int, str]]] = []
        self._lines: list[str] = []

    def take(self, blocks: Iterable[Block]) -> None:
        """Adds blocks in reading order."""
        for block in blocks:
            if block.kind == "aside":
                self._flush()
                self._saved.append(self.path)
                self.path = []
            elif block.kind == "back":
                self._flush()
                self.path = self._saved.pop()
            elif block.kind == "heading" and len(block.text) <= HEADING_CHARS:
                self._heading(block)
            elif block.kind in ("table", "code"):
                self._flush()
                kind: Literal["table", "code"] = "table" if block.kind == "table" else "code"
                lead = clean(block.lead)
                self.made.append(Section(f"{clean(block.text)}\n\n", self._names(), None, kind, "", lead))
            else:
                self._lines.append(f"{block.text}\n\n" if block.apart else f"{block.text}\n")

    def end(self) -> tuple[Section, ...]:
        """All sections made."""
        self._flush()
        return tuple(self.made)

    def _heading(self, block: Block) -> None:
        self._flush()
        name = heading_name(block.text)
        while self.path and self.path[-1][0] >= block.level:
            self.path.pop()
        self.path = [*self.path, (block.level, name)]
        self.first.setdefault(block.level, name)
        self._lines.append(f"{block.text}\n\n")

    def _names(self) -> tuple[str, ...]:
        return tuple(clean(name) for _, name in self.path)

    def _flush(self) -> None:
        text = clean("".join(self._lines))
        if text and not text.isspace():
            self.made.append(Section(text, self._names()))
        self._lines = []
