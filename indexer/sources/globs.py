"""One gitignore line as a regular expression, held to ``git ls-files`` by property tests.

Own code, because the walk asks about every folder on the way down by itself: libraries answer
for whole paths, and to do so give folder rules a lower rank, which breaks the common
``*``, ``!*/``, ``!*.md`` (pathspec 1.1 re-includes no folder there).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple


class Rule(NamedTuple):
    """One line: what it matches, whether only folders, whether the name alone, whether it re-includes."""

    match: Callable[[str], Any]
    folders: bool
    name: bool
    keep: bool


def compiled(lines: Iterable[str]) -> Sequence[Rule]:
    """The rules of some lines, the last one first, for the last one that matches decides."""
    return [rule for line in lines if (rule := _rule(line)) is not None][::-1]


def verdict(rules: Sequence[Rule], path: str) -> bool | None:
    """True: excluded, False: re-included, None: no rule speaks of it. Folders end in /."""
    folder = path.endswith("/")
    whole = path.removesuffix("/")
    name = whole.rpartition("/")[2]
    for rule in rules:
        if (folder or not rule.folders) and rule.match(name if rule.name else whole):
            return not rule.keep
    return None


def _rule(line: str) -> Rule | None:
    """None for blank lines, comments, and what cannot match anything."""
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    keep = line.startswith("!")
    pattern = line.removeprefix("!")
    if line.startswith("#") or not pattern.strip("/"):
        return None
    folders = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    name = "/" not in pattern
    source = _regex(pattern.removeprefix("/"))
    try:
        return Rule(re.compile(source, re.DOTALL).fullmatch, folders, name, keep) if source is not None else None
    except re.error:
        return None  # a range such as [z-a]


def _regex(pattern: str) -> str | None:
    out, i = [], 0
    while i < len(pattern):
        c = pattern[i]
        if c == "*":
            piece, i = _stars(pattern, i)
        elif c == "[":
            piece, i = _class(pattern, i)
        elif c == "\\":
            piece, i = (re.escape(pattern[i + 1]), i + 2) if i + 1 < len(pattern) else ("", -1)
        else:
            piece, i = "[^/]" if c == "?" else re.escape(c), i + 1
        if i < 0:
            return None
        out.append(piece)
    return "".join(out)


def _stars(pattern: str, start: int) -> tuple[str, int]:
    """``*`` stays in a folder; ``**`` between slashes is any number of folders."""
    end = start
    while end < len(pattern) and pattern[end] == "*":
        end += 1
    alone = end - start > 1 and (start == 0 or pattern[start - 1] == "/")
    if alone and end == len(pattern):
        return ".*", end
    if alone and pattern[end] == "/":
        return "(?:.*/)?", end + 1
    return "[^/]*", end


_NAMED = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "xdigit": "0-9a-fA-F",
}


def _class(pattern: str, start: int) -> tuple[str, int]:
    """A bracket expression; -1 when it is never closed."""
    i = start + 1
    negated = pattern[i : i + 1] in ("!", "^")
    i += negated
    out, first = "", True
    while i < len(pattern) and (pattern[i] != "]" or first):
        first = False
        known = re.match(r"\[:(\w+):\]", pattern[i:])
        if known and known[1] in _NAMED:
            out, i = out + _NAMED[known[1]], i + known.end()
        elif pattern[i] == "\\" and i + 1 < len(pattern):
            out, i = out + re.escape(pattern[i + 1]), i + 2
        else:
            spans = pattern[i] == "-" and out and out[-1] != "-" and pattern[i + 1 : i + 2] not in ("]", "-")
            out, i = out + ("-" if spans else re.escape(pattern[i])), i + 1
    if i >= len(pattern):
        return "", -1
    return f"(?!/)[{'^' if negated else ''}{out}]", i + 1
