"""Captured nodes to definitions: which of them are worth a section, under which names, on which lines.

    something with a body       always; inside a function only if that is longer than a screen
    one line inside a holder    stays with the holder (``int size() { return n; }``) ...
    a type on one line          stays with what stands around it ...
    a declaration without body  likewise ...
                                ... unless it has a comment of its own

Comments and attributes on the lines right above belong to the definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .code_names import name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

LEAVES = ("type", "sign")
DEEPEST = 12  # names in a path; what is deeper belongs to the last of them
SCREEN = 1024  # bytes: a function that one sees as a whole needs no parts


class Definition(NamedTuple):
    """Lines count from 0, both inclusive; ``names`` is the whole path, ``function`` says that it has no members."""

    names: tuple[str, ...]
    first: int
    last: int
    function: bool = False


class Outline(NamedTuple):
    """The definitions in document order, an outer one before those within it, and the lines of comments alone."""

    definitions: list[Definition]
    comments: set[int]


class _Open(NamedTuple):
    """A definition that the next node may stand in; a ``closed`` one has no parts of its own."""

    end: int  # byte
    last: int
    kind: str
    names: tuple[str, ...]
    closed: bool
    kept: bool


def outline(
    source: bytes, lines: Sequence[str], nodes: Iterable[tuple[str, Node]], comments: Iterable[Node]
) -> Outline:
    """What the nodes, sorted by their start, outer before inner, say of the text."""
    reading = _Reading(source, lines, _alone(lines, comments))
    for kind, node, around in _wrapped(nodes):
        reading.add(kind, node, around)
    return Outline(reading.found, reading.comments)


def _wrapped(nodes: Iterable[tuple[str, Node]]) -> Iterator[tuple[str, Node, Node]]:
    """Each definition once, with the outermost node that belongs to it."""
    wrap: Node | None = None
    seen = (-1, -1)
    for kind, node in nodes:
        if kind == "wrap":
            if wrap is None or wrap.end_byte < node.end_byte:
                wrap = node
        elif (node.start_byte, node.end_byte) != seen:  # captured twice: the first is the more exact
            seen = (node.start_byte, node.end_byte)
            yield kind, node, wrap if wrap is not None and node.end_byte <= wrap.end_byte else node
            wrap = None


def _alone(lines: Sequence[str], comments: Iterable[Node]) -> set[int]:
    """Lines with nothing but a comment or an attribute."""
    found: set[int] = set()
    for node in comments:
        first, last = _rows(node)
        if lines[first][: node.start_point.column].isspace() or node.start_point.column == 0:
            found.update(range(first, last + 1))
    return found


def _rows(node: Node) -> tuple[int, int]:
    first, (last, column) = node.start_point.row, node.end_point
    return first, last - 1 if column == 0 and last > first else last


class _Reading:
    def __init__(self, source: bytes, lines: Sequence[str], comments: set[int]) -> None:
        self._source, self._lines, self.comments = source, lines, comments
        self.found: list[Definition] = []
        self._open: list[_Open] = []
        self._scope: tuple[str, ...] = ()  # of the file: namespace A.B;
        self._free = 0  # the first line that no finished definition has

    def add(self, kind: str, node: Node, around: Node) -> None:
        """The next definition of the text."""
        parent = self._parent(around.start_byte)
        own = name_of(node, self._source)
        if kind == "scope":
            self._scope = own
        if kind == "scope" or not own:
            return  # nameless: what is in it belongs to what is around it
        names = (*(parent.names if parent else self._scope), *own)[:DEEPEST]
        first, last = self._lines_of(around)
        begin = self._with_comments(first)
        kept = last >= first and self._worth(kind, parent, around, begin < first)
        if kept:
            self.found.append(Definition(names, begin, last, kind == "def"))
        short = kind == "def" and around.end_byte - around.start_byte <= SCREEN
        self._open.append(_Open(around.end_byte, last, kind, names, short or not kept or kind in LEAVES, kept))

    def _parent(self, start: int) -> _Open | None:
        while self._open and self._open[-1].end <= start:
            done = self._open.pop()
            if done.kept:
                self._free = max(self._free, done.last + 1)
        return self._open[-1] if self._open else None

    def _lines_of(self, node: Node) -> tuple[int, int]:
        first, last = _rows(node)
        if node.type == "preproc_function_def":  # the grammar ends a macro at a comment within
            while last + 1 < len(self._lines) and self._lines[last].endswith("\\"):
                last += 1
        return max(first, self._free), last

    def _with_comments(self, first: int) -> int:
        while first > self._free and first - 1 in self.comments:
            first -= 1
        return first

    def _worth(self, kind: str, parent: _Open | None, node: Node, commented: bool) -> bool:
        if parent is not None and (parent.closed or (parent.kind == "def" and kind in ("sign", "object"))):
            return False
        first, last = _rows(node)
        if kind == "sign":
            return commented
        if first < last:
            return True
        alone = 2 * (node.end_byte - node.start_byte) > len(self._lines[first].strip())  # no line of many
        return alone and (commented or (kind == "def" and parent is None))
