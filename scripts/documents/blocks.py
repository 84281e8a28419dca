"""The texts in ``source/`` as blocks: facts in ``key: value`` lines up to ``---``, then one block a line.

``# `` and ``## `` begin headings, ``1. `` an article and ``(1) `` an item that Word numbers by
itself, ``|`` a row of a table (the first is its head); every other line is a paragraph.
``word^[note]`` carries a footnote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

KINDS = (("# ", "h1"), ("## ", "h2"), ("1. ", "article"), ("(1) ", "item"), ("|", "table"))
NOTE = re.compile(r"\^\[(.+?)\]")

Rows = tuple[tuple[str, ...], ...]


class Block(NamedTuple):
    """A heading, article, item or paragraph (``text``), or a table (``rows``)."""

    kind: str
    text: str = ""
    rows: Rows = ()


class Text(NamedTuple):
    """One document before it has a format. Facts: title, number, version, date, header, footer, subtitle."""

    facts: Mapping[str, str]
    blocks: tuple[Block, ...]

    @property
    def when(self) -> datetime:
        """The date of issue: the only time that a made file knows."""
        return datetime.fromisoformat(self.facts["date"]).replace(tzinfo=UTC)

    @property
    def chinese(self) -> bool:
        """Whether it is set as a Chinese text."""
        return any("\u4e00" <= char <= "\u9fff" for char in self.facts["title"])


def load(path: Path) -> Text:
    """Reads one text; ValueError when it has no line ``---``."""
    facts, rule, body = path.read_text("utf-8").partition("\n---\n")
    if not rule:
        raise ValueError(f"{path.name}: no line --- after the facts")
    return Text(dict(line.split(": ", 1) for line in facts.splitlines()), tuple(_blocks(body)))


def _blocks(body: str) -> Iterator[Block]:
    lines = (_kind(line) for line in body.splitlines() if line.strip())
    for kind, group in groupby(lines, key=lambda pair: pair[0]):
        if kind == "table":
            yield Block(kind, rows=tuple(_cells(line) for _, line in group))
        else:
            yield from (Block(kind, text) for _, text in group)


def _kind(line: str) -> tuple[str, str]:
    for mark, kind in KINDS:
        if line.startswith(mark):
            return kind, line[len(mark) :].strip()
    return "p", line.strip()


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip("|").split("|"))
