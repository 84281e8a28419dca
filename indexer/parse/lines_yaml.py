"""Keys of YAML by indentation: a long mapping is parted by the keys within it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from .code_outline import Definition, Outline

PARTED = 512  # characters of a mapping that is parted
DEEPEST = 5
_KEY = re.compile(r"( *+)(\"[^\"\n]*+\"|'[^'\n]*+'|[^\s#\"'{\[&*!|>%@`,?:-][^:\n]*+|-[^\s:][^:\n]*+):(?=\s|$)")
_SCALAR = re.compile(r"[|>][+\-\d]*+[ \t]*+(?:#.*+)?$")


class _Key(NamedTuple):
    names: tuple[str, ...]
    first: int
    last: int


def yaml_outline(lines: Sequence[str]) -> Outline:
    """Keys of more than one line; those within another only where that is long."""
    comments = {i for i, line in enumerate(lines) if line.lstrip(" ").startswith("#")}
    upto = [0, *accumulate(map(len, lines))]
    found: list[Definition] = []
    around: list[Definition] = []
    free = 0  # the first line that no finished definition has
    for key in _keys(lines, comments):
        while around and around[-1].last < key.first:
            free = around.pop().last + 1
        if around and upto[around[-1].last + 1] - upto[around[-1].first] <= PARTED:
            continue
        if key.first < key.last and key.names[:-1] == (around[-1].names if around else ()):
            first = key.first
            floor = max(free, around[-1].first + 1) if around else free
            while first > floor and first - 1 in comments:
                first -= 1
            around.append(Definition(key.names, first, key.last))
            found.append(around[-1])
    return Outline(found, comments)


def _keys(lines: Sequence[str], comments: set[int]) -> list[_Key]:
    """All keys with their first and last line, in the order of the text."""
    found: list[_Key] = []
    around: list[tuple[int, int]] = []  # indent, index in `found`
    scalar = -1  # the indent of the key whose block of text is read
    last = 0
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if line.isspace() or i in comments or (0 <= scalar < indent):
            last = last if line.isspace() or i in comments else i
            continue
        scalar = -1
        match = _KEY.match(line)
        if match or line.startswith(("---", "...")):
            while around and around[-1][0] >= indent:
                at = around.pop()[1]
                found[at] = found[at]._replace(last=last)
        if match and len(around) < DEEPEST:
            names = found[around[-1][1]].names if around else ()
            around.append((indent, len(found)))
            found.append(_Key((*names, match[2].strip("\"' ")[:100]), i, i))
        if _SCALAR.search(line):
            scalar = indent
        last = i
    for _, at in around:
        found[at] = found[at]._replace(last=last)
    return found
