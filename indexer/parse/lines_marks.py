"""Names that lines begin with: tables of TOML and INI, keys of YAML, definitions of languages without a grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from .code_outline import Definition, Outline
from .lines_yaml import yaml_outline

_COMMENT = re.compile(r"[ \t]*+(?:#|;|--|//|'|%|/\*|\*|<#)")
_TABLE = re.compile(r"\[\[?+[ \t]*+([^\[\]\n]++)\]\]?+[ \t]*+(?:[#;].*+)?$")
_QUOTES = re.compile(r'"""|' + "'''")
NAME = r"[\w$#@.`\"\[\]-]++"
_SQL_OBJECT = re.compile(
    r"[ \t]*+create[ \t]++(?:or[ \t]++(?:replace|alter)[ \t]++)?+(?:\w++[ \t]++){0,4}?"
    r"(table|view|index|type|sequence|schema|domain|function|procedure|proc|trigger|package(?:[ \t]++body)?+|event)[ \t]++"
    rf"(?:if[ \t]++not[ \t]++exists[ \t]++)?+({NAME})",
    re.I,
)
_SQL_END = re.compile(r".*;[ \t]*+(?:--.*+)?$")
_SQL_NEXT = re.compile(r"(?:go|/|delimiter\b.*+)[ \t]*+$", re.I)
_ROUTINES = ("function", "procedure", "proc", "trigger", "package", "package body", "event")


def sql_outline(lines: Sequence[str]) -> Outline:
    """CREATE statements: a table up to its semicolon, a routine up to the next object."""
    found: list[Definition] = []
    starts = [(i, m) for i, line in enumerate(lines) if (m := _SQL_OBJECT.match(line))]
    for (at, match), following in zip(starts, [*(i for i, _ in starts[1:]), len(lines)], strict=False):
        end = _SQL_NEXT if match[1].lower() in _ROUTINES else _SQL_END
        last = next((i for i in range(at, following) if end.match(lines[i].rstrip("\n"))), following - 1)
        last -= end is _SQL_NEXT and last > at and end.match(lines[last].rstrip("\n")) is not None
        found.append(Definition((re.sub(r'[`"\[\]]', "", match[2])[:100],), at, last))
    return _commented(lines, found)


def table_outline(lines: Sequence[str]) -> Outline:
    """``[table]`` and ``[[array]]`` lines, each up to the next."""
    starts: list[tuple[int, str]] = []
    inside = ""
    for i, line in enumerate(lines):
        if not inside and line[0] == "[" and (match := _TABLE.match(line.rstrip())):
            starts.append((i, match[1].strip()))
        for quotes in _QUOTES.findall(line):
            inside = "" if inside == quotes else inside or quotes
    ends = [*(at - 1 for at, _ in starts[1:]), len(lines) - 1]
    return _commented(
        lines, [Definition((name[:100],), at, end) for (at, name), end in zip(starts, ends, strict=False)]
    )


def _blocks(start: str, end: str) -> Callable[[Sequence[str]], Outline]:
    """Definitions that begin with ``start`` (its groups are the name) and end with the first line of ``end``."""
    begins, ends = re.compile(start, re.I), re.compile(end, re.I)

    def read(lines: Sequence[str]) -> Outline:
        found: list[Definition] = []
        for i, line in enumerate(lines):
            if match := begins.match(line):
                names = ".".join(group for group in match.groups() if group)
                found.append(Definition((names[:100],), i, len(lines) - 1))
            if found and found[-1].last == len(lines) - 1 and (i > found[-1].first or match) and ends.match(line):
                found[-1] = found[-1]._replace(last=i)
        cut = [d._replace(last=min(d.last, n.first - 1)) for d, n in pairwise(found)]
        return _commented(lines, cut + found[-1:])

    return read


def _commented(lines: Sequence[str], found: list[Definition]) -> Outline:
    """The comment lines right above a definition belong to it, not to the one before."""
    comments = {i for i, line in enumerate(lines) if _COMMENT.match(line)}
    return Outline(list(_with_comments(found, comments)), comments)


def _with_comments(found: list[Definition], comments: set[int]) -> Iterator[Definition]:
    free = 0
    for i, definition in enumerate(found):
        first, last = definition.first, definition.last
        while first > free and first - 1 in comments:
            first -= 1
        if i + 1 < len(found) and last + 1 == found[i + 1].first:
            while last > definition.first and last in comments:
                last -= 1
        free = last + 1
        yield definition._replace(first=first, last=last)


FORMS: Mapping[str, Callable[[Sequence[str]], Outline]] = {
    "tables": table_outline,
    "yaml": yaml_outline,
    "sql": sql_outline,
    "powershell": _blocks(r"(?:function|filter|class|workflow)[ \t]++([\w:-]++)", r"\}|.*\}[ \t]*+$"),
    "r": _blocks(r"([\w.]++)[ \t]*+(?:<-|=)[ \t]*+function\b", r"\}"),
    "perl": _blocks(r"(?:sub|package)[ \t]++([\w:]++)", r"\}"),
    "schema": _blocks(r"(?:message|service|struct|type|interface|input|enum|union|exception)[ \t]++(\w++)", r"\}"),
    "basic": _blocks(
        r"[ \t]*+(?:(?:public|private|friend|static)[ \t]++)*+(?:sub|function|property[ \t]++\w++)[ \t]++(\w++)",
        r"[ \t]*+end[ \t]++(?:sub|function|property)\b",
    ),
    "blocks": _blocks(
        r"(resource|module|variable|output|data|provider|locals|terraform)\b(?:[ \t]++\"([^\"\n]*+)\")?+(?:[ \t]++\"([^\"\n]*+)\")?+",
        r"\}",
    ),
    "component": _blocks(r"<(template|script|style)\b", r"</(?:template|script|style)>"),
}
