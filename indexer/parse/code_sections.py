"""Definitions to sections: every line of a source text in exactly one, in the order of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from indexer.core.model import Section

from .lines_groups import grouped, placed, split_lines

if TYPE_CHECKING:
    from .code_outline import Outline

HEAD = 200  # characters of a head, a comment or brackets that are no passage of their own
CLOSING = 12  # lines of them, with blank ones
_WORD = re.compile(r"\w")
_OPENING = re.compile(r"[{(\[:]\s*+\Z|\A\s*+#\s*+(?:if|else|elif)")  # else: · extern "C" { · #ifdef X
_CLOSING = re.compile(r"(?:#[ \t]*+endif\b[^\n]*+|\b(?:end|fi|done|esac)\b|[\W_])*+\Z")


class _Run(NamedTuple):
    """Neighbouring lines of one definition (or of none), from line ``at`` on."""

    lines: list[str]
    names: tuple[str, ...]
    at: int
    whole: bool  # of a definition, not what stands between
    function: bool
    before: int = 0  # lines that were put in front
    after: int = 0  # lines that were put behind


def sections(text: str, outline: Outline) -> tuple[Section, ...]:
    """The text in sections; their concatenation is the text."""
    runs = _runs(split_lines(text), outline)
    return tuple(section for run in _tidied(runs, outline.comments) for section in _sections(run))


def _sections(run: _Run) -> Iterator[Section]:
    if not run.whole:
        yield from grouped(run.lines, run.at, run.names)
        return
    own = run.lines[run.before : len(run.lines) - run.after]
    yield Section("".join(run.lines), run.names, kind="code", place=placed(own, run.at + run.before))


def _runs(lines: list[str], outline: Outline) -> Iterator[_Run]:
    owner = [-1] * len(lines)
    for i, (_, first, last, _) in enumerate(outline.definitions):
        last = min(last, len(lines) - 1)
        owner[first : last + 1] = [i] * (last + 1 - first)
    at = 0
    for number, run in groupby(owner):
        end = at + sum(1 for _ in run)
        if number >= 0:
            of = outline.definitions[number]
            yield _Run(lines[at:end], of.names, at, True, of.function)
        else:
            banner = _banner(lines, at, end, outline.comments) if end < len(lines) else end
            yield from (_Run(lines[a:b], (), a, False, False) for a, b in ((at, banner), (banner, end)) if a < b)
        at = end


def _banner(lines: list[str], at: int, end: int, comments: set[int]) -> int:
    """Where the comments begin that end these lines: they are about what follows."""
    begin = end
    for i in range(end - 1, at - 1, -1):
        if i in comments:
            begin = i
        elif not lines[i].isspace():
            break
    return begin


def _tidied(runs: Iterator[_Run], comments: set[int]) -> Iterator[_Run]:
    """Closing brackets go with what they close; a head of one line and an announcing comment go with what follows."""
    held: _Run | None = None
    for run in runs:
        if held is None:
            held = run
        elif _closes(run) or _rests(run, held):
            held = held._replace(lines=held.lines + run.lines, after=held.after + len(run.lines))
        elif run.whole and run.names[: len(held.names)] == held.names and _announces(held, comments):
            before = len(held.lines)
            held = run._replace(lines=held.lines + run.lines, at=held.at, before=before)
        else:
            yield held
            held = run
    if held is not None:
        yield held


def _closes(run: _Run) -> bool:
    text = "".join(run.lines[:CLOSING])
    return len(run.lines) <= CLOSING and len(text) <= HEAD and _CLOSING.match(text) is not None


def _rests(run: _Run, before: _Run) -> bool:
    """Whether a run is the last line of a function after a part of it: ``return inner``."""
    inside = run.function and 0 < len(run.names) < len(before.names) and before.names[: len(run.names)] == run.names
    return inside and len(run.lines) <= CLOSING and sum(not line.isspace() for line in run.lines) == 1


def _announces(run: _Run, comments: set[int]) -> bool:
    """Whether a run is too little to be found: blank, a head of one line, a short comment."""
    if len(run.lines) > CLOSING:
        return False
    filled = [i for i, line in enumerate(run.lines) if _WORD.search(line)]
    if not filled:
        return True
    short = sum(map(len, run.lines)) <= HEAD
    head = len(filled) == 1 and (run.names != () or _OPENING.search(run.lines[filled[0]]) is not None)
    return short and (head or all(run.at + i in comments for i in filled))
