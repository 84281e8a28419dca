"""The definitions of a source text: what they are called and on which lines they stand."""

from __future__ import annotations

import sys
import time
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .code_languages import LANGUAGES

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

    from indexer.core.tables import ParseLimits

    from .code_outline import Outline

PIECE = 1 << 16  # bytes handed to the parser at a time
LONG_LINES = 300  # characters on average: minified, where a line is no place
MOST_BYTES = 2 << 20  # of a text to be parsed: a tree takes up to 200 bytes a byte
# The parser reports every 100 steps: 0.005 reports a byte for ordinary code, 0.06 for the densest.
STEPS_A_BYTE, STEPS = 0.12, 5_000


def grammar_missing(language: str) -> bool:
    """Whether the package with the language's grammar (or tree-sitter itself) is not installed."""
    return find_spec("tree_sitter") is None or find_spec(LANGUAGES[language].module) is None


def outlined(text: str, language: str, limits: ParseLimits) -> Outline | None:
    """The definitions of a text; None for one that is too large or too hostile to parse."""
    from .code_outline import outline

    lines = text.split("\n")
    data = text.encode("utf-8", "replace")
    if len(data) > MOST_BYTES or len(text) > LONG_LINES * len(lines):
        return None
    found = _captures(data, language, limits)
    return None if found is None else outline(data, lines, *found)


@lru_cache(maxsize=32)
def _tools(language: str) -> tuple[Parser, Query]:
    from tree_sitter import Language, Parser, Query

    what = LANGUAGES[language]
    grammar = Language(getattr(import_module(what.module), what.function)())
    return Parser(grammar), Query(grammar, what.query)


class _Patience:
    """How much the parser may do.

    A limit in steps, because the same bytes must give the same sections on every run; CPU time
    and memory only for what some grammars (Lua) make of nested garbage, which is quadratic.
    """

    def __init__(self, size: int, limits: ParseLimits) -> None:
        self._steps = STEPS + int(size * STEPS_A_BYTE)
        self._end = time.process_time() + limits.cpu_seconds / 4
        self._most = _peak_mb() + limits.memory_mb / 4

    def ended(self, _: int, __: bool) -> bool:
        """Whether to give up; asked every 100 steps."""
        self._steps -= 1
        return self._steps <= 0 or time.process_time() > self._end or _peak_mb() > self._most


def _peak_mb() -> float:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)


def _captures(data: bytes, language: str, limits: ParseLimits) -> tuple[list[tuple[str, Node]], list[Node]] | None:
    """Definitions in document order, and the comments; None when the parser gave up."""
    from tree_sitter import QueryCursor

    parser, query = _tools(language)
    try:
        tree = parser.parse(lambda at, _: data[at : at + PIECE], progress_callback=_Patience(len(data), limits).ended)
    except ValueError:  # it gave up
        parser.reset()
        return None
    by_name = QueryCursor(query, match_limit=1 << 16).captures(tree.root_node)
    notes = by_name.pop("note", [])
    nodes = [(name, node) for name, all_ in by_name.items() for node in all_]
    nodes.sort(key=lambda n: (n[1].start_byte, -n[1].end_byte, n[0] != "wrap", n[0] != "sign"))
    return nodes, notes
