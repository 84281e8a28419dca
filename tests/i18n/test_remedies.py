"""Every reason for which a file is not found says what a person can do about it, in both languages."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from templates import _literals, _name, chinese, trees

ACTION = re.compile(
    r"\b(save|split|restore|install|raise|exclude|rename|convert|correct|repair|replace|remove|give|put|export|open it with|use a copy|try|tried|looked at again)\b",
    re.I,
)
CHINESE_ACTION = re.compile("请|或|再次|重试|重新|可以|授予")


def reasons() -> Iterator[tuple[str, str]]:
    """(template, where) of all ParseRefused, ParserDied and Unreadable of the product."""
    for path, tree in trees().items():
        constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and node.args
                and _name(node.func) in ("ParseRefused", "ParserDied", "Unreadable")
            ):
                yield from ((text, f"{path}:{node.lineno}") for text in _literals(node.args[0], constants) if text)


def test_every_reason_has_a_remedy() -> None:
    """The sentence names an action: save again, split, install, raise a limit, exclude."""
    found = list(reasons())
    assert len(found) > 30
    assert {text: where for text, where in found if not ACTION.search(text)} == {}


def test_the_chinese_sentence_names_it_too() -> None:
    """No remedy is lost in translation."""
    table = chinese()
    assert {table[t]: where for t, where in reasons() if t in table and not CHINESE_ACTION.search(table[t])} == {}
