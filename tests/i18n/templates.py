"""Every sentence the product can say, found in its source: ``python tests/i18n/templates.py`` lists
those that have no Chinese yet.

A template is the literal first argument of ``Message(...)``, of an error class, of ``_(...)``, ``_t(...)``,
``t(...)``, ``say(...)``, or of a method of something called ``out``; and the help texts in ``COMMANDS``.
The pages of the Web UI say theirs with ``t("…")``. Literals joined by ``a if x else b`` and constants of the module are followed. Words made of an enum's
value (``Message(state)``) are added from the enums.
"""

from __future__ import annotations

import ast
import json
import re
import string
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from indexer.core.model import ChangeKind, State  # noqa: E402 - also run as a script, from anywhere

PACKAGE = ROOT / "indexer"
_SAID = re.compile(r"""\bt\(\s*(?:"([^"]*)"|'([^']*)')""")
SPEAKERS = frozenset({"Message", "_", "_t", "t", "say"})


@dataclass(frozen=True)
class Found:
    """A template, or (``text`` None) a place where the template is no literal."""

    text: str | None
    where: str


def trees() -> dict[str, ast.Module]:
    """Path from the root to syntax tree, of every module of the package."""
    return {str(p.relative_to(ROOT)): ast.parse(p.read_text("utf-8")) for p in sorted(PACKAGE.rglob("*.py"))}


def error_classes(modules: dict[str, ast.Module]) -> frozenset[str]:
    """IndexerError and everything that derives from it, by name."""
    bases = {
        node.name: {b.id if isinstance(b, ast.Name) else getattr(b, "attr", "") for b in node.bases}
        for tree in modules.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {"IndexerError"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return frozenset(found)


def templates(modules: dict[str, ast.Module]) -> Iterator[Found]:
    """All templates of the modules in order, duplicates included."""
    speakers = SPEAKERS | error_classes(modules)
    for path, tree in modules.items():
        constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        constants |= {n.target.id: n.value for n in tree.body if _annotated(n)}  # type: ignore[attr-defined]
        if isinstance(table := constants.get("COMMANDS"), ast.Dict):
            rows = [row for row in table.values if isinstance(row, ast.Tuple)]
            yield from (Found(t, f"{path}:{row.lineno}") for row in rows for t in _literals(row.elts[-1], {}))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and (_name(node.func) in speakers or _of_out(node.func)):
                yield from (Found(t, f"{path}:{node.lineno}") for t in _literals(node.args[0], constants))


@cache
def said() -> tuple[Found, ...]:
    """All templates of the package."""
    return tuple(templates(trees()))


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _annotated(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None


def _of_out(function: ast.expr) -> bool:
    """``out.warn``, ``self.out.text``: but ``out.line`` and ``out.json`` print results as they are."""
    if not isinstance(function, ast.Attribute) or function.attr in ("line", "json", "append", "write"):
        return False
    return _name(function.value) == "out"


def of_pages() -> Iterator[Found]:
    """What the templates and scripts of the Web UI say: ``t("…")``."""
    for path in sorted((PACKAGE / "web" / "ui").glob("*/*")):
        if path.suffix in (".html", ".js"):
            for double, single in _SAID.findall(path.read_text("utf-8")):
                yield Found(double or single, str(path.relative_to(ROOT)))


def words() -> set[str]:
    """What ``Message(value)`` makes of an enum."""
    return {str(value) for value in (*State, *ChangeKind)}


def _literals(node: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str | None]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if any(c.isalpha() for c in node.value):  # "\n" is said alike everywhere
            yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (t for branch in (node.body, node.orelse) for t in _literals(branch, constants))
    elif isinstance(node, ast.BoolOp):
        yield from (t for branch in node.values for t in _literals(branch, constants))
    elif isinstance(node, ast.Name) and node.id in constants and not isinstance(constants[node.id], ast.Name):
        yield from (t for t in _literals(constants[node.id], constants) if t is not None)
    elif isinstance(node, (ast.JoinedStr, ast.BinOp)):
        yield None  # put together at run time: no key of a translation
    # anything else passes on a message made elsewhere


def placeholders(template: str) -> set[tuple[str, str]]:
    """(field, format) pairs of a template."""
    return {(name, spec or "") for _, name, spec, _ in string.Formatter().parse(template) if name is not None}


def chinese() -> dict[str, str]:
    """The translations."""
    table: dict[str, str] = json.loads((PACKAGE / "locale" / "zh.json").read_text("utf-8"))
    return table


if __name__ == "__main__":
    have = chinese()
    for item in [*said(), *of_pages(), *(Found(w, "enum") for w in sorted(words()))]:
        if item.text not in have:
            print(f"{item.where}\t{json.dumps(item.text, ensure_ascii=False)}")
