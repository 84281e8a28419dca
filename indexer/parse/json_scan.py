"""JSON to lines, one member a line, tolerant of damage: the marks stay, escapes are decoded, layout is ours.

A scanner instead of `json.loads`: objects of a 60 MB file need ten times its size in memory,
depth would be limited, and a file that is cut off would have no text at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from .json_strings import decoded, shown

_STRING = r'"(?:[^"\\\n]|\\[^\n])*+"'
_MEMBER = re.compile(
    rf"\s*+({_STRING})\s*+:\s*+(?:({_STRING}|-?\d[^\s,\]}}\"{{\[:]*+|true|false|null)(?=[\s,\]}}])\s*+(,?)|(?=[{{\[]))"
)
_NUMBERS = re.compile(r"(?:\s*+-?\d[\d.eE+-]*+\s*+,){2,400}+")
_TOKEN = re.compile(rf'\s*+(?:({_STRING})|([{{\[])|([}}\]])|([:,])|(//[^\n]*+|/\*)|("[^\n]*+|[^\s{{}}\[\]:,"]++))')
_SCALAR = re.compile(r"-?\d[\d.eE+-]*+|true|false|null|-?Infinity|NaN")
LINE = 120  # characters of short values in one line
INDENTS = ["", *("  " * depth for depth in range(7))]  # by depth; deeper values are indented no further
DEEPEST_CUT = 8  # levels at which groups begin
SHOWN_DEPTH = 8  # keys in a place
TITLE = 200  # characters
KEY_CHARS = 40  # of a key in a place


class Group(NamedTuple):
    """Lines of about a chunk: where they begin in the file, how deep, under which path and keys."""

    text: str
    at: int
    depth: int
    place: str
    above: str


class _Open:
    """An open object or array."""

    __slots__ = ("count", "key", "mark", "value")

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.key = ""
        self.count = -1  # index of the element being read
        self.value = False  # whether a value waits for a comma


class Scan:
    """One pass over the text. ``damage`` is the offset of the first thing that is no JSON, -1 for none.

    ``size`` is how long a group should be before the next record may begin another.
    """

    def __init__(self, text: str, size: int) -> None:
        self.text = text
        self.damage = -1
        self.cut_off = False
        self.values = 0  # on the top level
        self.titles: dict[str, str] = {}  # short texts of the outermost object, by key
        self._size = size
        self._stack: list[_Open] = []
        self._out: list[str] = []  # the group being filled
        self._length = 0
        self._column = 0
        self._start = (0, 0, "", "")
        self._ready: list[Group] = []
        self._keyed = False  # a key waits for its value
        self._uncommented = False  # no */ is to come

    def groups(self) -> Iterator[Group]:
        """All of the text."""
        at, end, text = 0, len(self.text), self.text
        member, number, token = _MEMBER.match, _NUMBERS.match, _TOKEN.match
        while at < end:
            top = self._stack[-1] if self._stack else None
            if top is not None and top.mark == "{" and (found := member(text, at)):
                self._member(top, found)
            elif top is not None and top.mark == "[" and (found := number(text, at)):
                self._numbers(top, found)
            elif found := token(text, at):
                self._token(found)
                if found[5] == "/*":
                    at = self._comment(found.end())
                    continue
            else:
                break  # only white space is left
            at = found.end()
            if self._ready:
                yield from self._ready
                self._ready = []
        self.cut_off = bool(self._stack)
        self._cut(end, "")
        yield from self._ready

    def _member(self, top: _Open, found: re.Match[str]) -> None:
        key, value, comma = found.groups()
        if top.value:
            self._damaged(found.start(1))
        top.key = decoded(key)
        self._begin(top, found.start(1), False)
        if value is None:
            self._put(f'"{top.key}": ')
            self._keyed = True
            return
        if value[0] == '"':
            value = f'"{self._string(value)}"'
        self._put(f'"{top.key}": {value}{comma}')
        top.value = not comma

    def _numbers(self, top: _Open, found: re.Match[str]) -> None:
        """Many numbers at once."""
        self._begin(top, found.start(), False)
        values = found[0].replace(",", " ").split()
        top.count += len(values) - 1
        self._put(", ".join(values) + ", ")
        top.value = False

    def _token(self, found: re.Match[str]) -> None:
        string, opened, closed, mark, comment, word = found.groups()
        top = self._stack[-1] if self._stack else None
        at = found.start(found.lastindex or 0)
        if closed:
            self._close(closed, at)
        elif mark:
            self._put(": " if mark == ":" else ", " if top and top.mark == "[" else ",")
            self._keyed = mark == ":"
            if top:
                top.value = False
        elif comment:
            self._line(at, top)
            self._put(comment)
        else:
            self._value(top, at, string or opened or word)

    def _value(self, top: _Open | None, at: int, raw: str) -> None:
        if self._keyed:
            self._keyed = False
        elif top is None:
            self._cut(at, "") if self.values else None
            self.values += 1
        else:
            if top.value:
                self._damaged(at)
            self._begin(top, at, raw in "[{")
        if raw in "[{":
            self._put(raw)
            self._stack.append(_Open(raw))
            return
        if raw[0] == '"' and raw[-1] == '"' and len(raw) > 1:
            raw = f'"{self._string(raw)}"'
        elif not _SCALAR.fullmatch(raw):
            self._damaged(at)
        self._put(raw)
        if top:
            top.value = True

    def _string(self, raw: str) -> str:
        text = shown(decoded(raw))
        if len(self._stack) == 1 and len(text) <= TITLE:
            self.titles.setdefault(self._stack[0].key, text)
        return text

    def _close(self, mark: str, at: int) -> None:
        if not self._stack or self._stack[-1].mark != ("{" if mark == "}" else "["):
            self._damaged(at)
        else:
            top = self._stack.pop()
            mark = f" {mark}" if top.mark == "{" and top.count >= 0 else mark
            if self._stack:
                self._stack[-1].value = True
        self._keyed = False
        self._put(mark)

    def _comment(self, start: int) -> int:
        """The end of a comment that was opened; an open one is not looked for again."""
        close = -1 if self._uncommented else self.text.find("*/", start)
        self._uncommented = close < 0
        if close < 0:
            return start
        self._put(self.text[start : close + 2])
        return close + 2

    def _begin(self, top: _Open, at: int, container: bool) -> None:
        """A member or an element begins, on a line of its own unless it is short or the first of a record."""
        top.count += 1
        if top.mark == "[":
            if not container and self._column < LINE:
                return
        elif top.count == 0 and (len(self._stack) == 1 or self._stack[-2].mark == "["):
            self._put(" ")
            return
        self._line(at, top)

    def _line(self, at: int, top: _Open | None) -> None:
        depth = len(self._stack)
        if self._length >= self._size and top is not None and depth <= DEEPEST_CUT:
            record = top.mark == "[" or depth <= self._start[1]  # or further out than the group began
            if record or self._length >= 3 * self._size:
                self._cut(at, place(self._stack))
        if self._column:
            self._out[-1] = self._out[-1].rstrip()
            self._out.append("\n")
        indent = INDENTS[depth] if depth < len(INDENTS) else INDENTS[-1]
        self._out.append(indent)
        self._length += len(indent) + 1
        self._column = 0

    def _put(self, text: str) -> None:
        self._out.append(text)
        self._length += len(text)
        self._column += len(text)

    def _cut(self, at: int, where: str) -> None:
        """Ends the group; the next one begins at ``at``."""
        text = "".join(self._out).rstrip()
        if text:
            start, depth, path, above = self._start
            self._ready.append(Group(f"{text}\n", start, depth, path, above))
        self._start = (at, len(self._stack), where, keys_above(self._stack))
        self._out, self._length, self._column = [], 0, 0

    def _damaged(self, at: int) -> None:
        if self.damage < 0:
            self.damage = at


def place(stack: list[_Open]) -> str:
    """The path of the value that begins here, as JSONPath writes it: ``messages[3].content``."""
    if len(stack) <= SHOWN_DEPTH:
        return "".join(map(_step, stack)).lstrip(".")
    return "".join(map(_step, stack[:2])).lstrip(".") + "..." + "".join(map(_step, stack[-4:])).lstrip(".")


def keys_above(stack: list[_Open]) -> str:
    """The keys round a member, without indices."""
    outer = stack[max(0, len(stack) - 1 - SHOWN_DEPTH) : -1]
    return ".".join(opened.key[:KEY_CHARS] for opened in outer if opened.mark == "{" and opened.key)


def _step(opened: _Open) -> str:
    if opened.mark == "[":
        return f"[{max(opened.count, 0)}]"
    key = opened.key[:KEY_CHARS]
    return f".{key}" if key.isidentifier() else (json.dumps([key], ensure_ascii=False) if key else "")
