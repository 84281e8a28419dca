"""What Python's own `ast` says of a module: the names and lines of its definitions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.core.model import Section

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Known(NamedTuple):
    """Lines from 1: of the first decorator, of the word def or class, and the last."""

    names: tuple[str, ...]
    first: int
    line: int
    last: int
    is_class: bool


def known(source: str) -> list[Known]:
    """Functions and classes, but for those within functions."""
    return list(_within(ast.parse(source), ()))


def _within(node: ast.AST, names: tuple[str, ...]) -> Iterator[Known]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            own = (*names, child.name)
            first = min((d.lineno for d in child.decorator_list), default=child.lineno)
            yield Known(own, first, child.lineno, child.end_lineno or 0, isinstance(child, ast.ClassDef))
            if isinstance(child, ast.ClassDef):
                yield from _within(child, own)
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _within(child, names)


def disagreements(source: str, sections: tuple[Section, ...]) -> list[str]:
    """Where the sections contradict `ast`, as sentences."""
    lines = source.split("\n")
    by_line = [section for section in sections for _ in range(section.text.count("\n") or 1)]
    return [
        f"{item}: {by_line[item.line - 1].headings} {by_line[item.line - 1].place}"
        for item in known(source)
        if not (_stays(item, lines) or _right(item, lines, by_line[item.line - 1]))
    ]


def _stays(item: Known, lines: list[str]) -> bool:
    """A class or a member of one line without a comment of its own is no section."""
    alone = item.first == item.last and (item.is_class or len(item.names) > 1)
    return alone and not (item.first > 1 and lines[item.first - 2].lstrip().startswith("#"))


def _right(item: Known, lines: list[str], section: Section) -> bool:
    """The section of the word def or class has the name, and the lines of the definition but for comments around it.

    A class, and a function with long parts of its own, may have its first line with its first part.
    """
    if section.headings != item.names:
        return section.headings[: len(item.names)] == item.names
    first, *more = map(int, re.findall(r"\d+", section.place))
    last = max([first, *more])
    return (
        first <= item.first
        and all(map(_comment, lines[first - 1 : item.first - 1]))
        and last >= item.line
        and all(map(_comment, lines[item.last : last]))
    )


def _comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")
