"""On which line of a TOML text a key stands (tomllib does not say)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from .problems import Location

_HEADER = re.compile(r"\s*(\[\[?)(.+?)\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=(.*)$""")


def line_of(text: str, location: Location) -> int | None:
    """Line number (from 1) of the key, else of the table it is in; None if neither is found."""
    found = dict(reversed(list(_places(text))))
    for length in range(len(location), 0, -1):
        if line := found.get(location[:length]):
            return line
    return None


def _places(text: str) -> Iterator[tuple[Location, int]]:
    table: Location = ()
    counts: dict[Location, int] = {}
    closing = ""
    for number, row in enumerate(text.split("\n"), 1):
        if closing:  # inside a text of several lines
            closing = "" if closing in row else closing
        elif header := _HEADER.match(row):
            table = _parts(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
            table = _numbered(table, counts)
            yield table, number
        elif pair := _KEY.match(row):
            closing = next((q for q in ('"""', "'''") if pair[2].count(q) == 1), "")
            location = (*table, *_parts(pair[1]))
            yield from ((location[:n], number) for n in range(len(table) + 1, len(location) + 1))


def _numbered(table: Location, counts: dict[Location, int]) -> Location:
    out: Location = ()
    plain: Location = ()
    for part in table:
        plain, out = (*plain, part), (*out, part)
        if plain in counts:
            out = (*out, counts[plain])
    return out


def _parts(dotted: str) -> Location:
    try:
        node: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return (dotted,)
    parts: Location = ()
    while isinstance(node, dict):
        (key, node), *_ = node.items()
        parts = (*parts, key)
    return parts
