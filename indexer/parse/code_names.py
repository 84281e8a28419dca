"""The name of a definition as its language writes it: the path from its outermost holder within the node."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

MOST = 100  # characters of one name
DEEPEST = 40  # declarators around a C name: int *(*(*f)(void))[3]
_ARGUMENTS = re.compile(r"<[^<>]*+>|\[[^\[\]]*+\]")
_EXPORTS = re.compile(r"^(?:module\.)?exports\.(?=.)")
_CPP = {"function_definition", "declaration", "field_declaration", "type_definition"}
_FIXED = {
    "constructor_declaration": "",
    "init_declaration": "init",
    "deinit_declaration": "deinit",
    "subscript_declaration": "subscript",
    "secondary_constructor": "constructor",
    "indexer_declaration": "this[]",
    "companion_object": "Companion",
}


def name_of(node: Node, source: bytes) -> tuple[str, ...]:
    """The parts of a definition's own name, outermost first; () for one without a name."""
    kind = node.type
    if kind == "impl_item":
        return _impl(node, source)
    if kind == "method_declaration" and (receiver := node.child_by_field_name("receiver")) is not None:
        return _receiver(receiver, source) + _plain(node, source)
    if kind in _CPP and node.child_by_field_name("declarator") is not None:
        return _declared(node, source)
    if kind == "assignment_expression":
        return _assigned(text(node.child_by_field_name("left"), source))
    if kind == "pair":
        return _one(text(node.child_by_field_name("key"), source).strip("\"'`"))
    if kind == "assignment_statement":  # Lua
        target = node.named_child(0) if node.named_child_count else None
        return _parts(text(target, source), r"[.:]")
    return _plain(node, source)


def text(node: Node | None, source: bytes) -> str:
    """The node's source on one line. Not ``node.text``, which reads a large source from its start."""
    if node is None:
        return ""
    start = node.start_byte
    return " ".join(source[start : min(node.end_byte, start + 4 * MOST)].decode("utf-8", "replace").split())


def _plain(node: Node, source: bytes) -> tuple[str, ...]:
    kind = node.type
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is None:
        return _unnamed(node, source)
    if kind == "destructor_declaration":
        return _one("~" + text(name, source))
    if name.type in ("dot_index_expression", "method_index_expression"):  # Lua
        return _parts(text(name, source), r"[.:]")
    if name.type in ("scope_resolution", "nested_namespace_specifier"):
        return _parts(text(name, source), "::")
    if kind == "namespace_definition" and name.type == "namespace_name":
        return _one(text(name, source))
    return _one(text(name, source).strip("\"'`"))


def _unnamed(node: Node, source: bytes) -> tuple[str, ...]:
    kind = node.type
    if kind in ("function_expression", "arrow_function", "class"):
        return ("default",)  # export default
    if kind in ("operator_declaration", "conversion_operator_declaration"):
        sign = node.child_by_field_name("operator") or node.child_by_field_name("type")
        return _one(f"operator {text(sign, source)}")
    return _one(_FIXED.get(kind, ""))


def _one(name: str) -> tuple[str, ...]:
    return (name[:MOST],) if name else ()


def _parts(name: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip()[:MOST] for part in re.split(separator, name) if part.strip())


def _impl(node: Node, source: bytes) -> tuple[str, ...]:
    kind, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
    bare = _without_arguments(text(kind, source))
    return _one(f"impl {text(trait, source)} for {text(kind, source)}" if trait is not None else bare)


def _receiver(receiver: Node, source: bytes) -> tuple[str, ...]:
    """Go: ``(c *Cache[K, V])`` is the type Cache."""
    words = re.findall(r"\w+", _without_arguments(text(receiver, source)))
    return _one(words[-1]) if words else ()


def _declared(node: Node, source: bytes) -> tuple[str, ...]:
    """C and C++: the name within its declarators; ``ns::Type<T>::method`` has three parts."""
    at: Node | None = node
    for _ in range(DEEPEST):
        inner = at.child_by_field_name("declarator") if at is not None else None
        if inner is None and at is not None and at.type in ("parenthesized_declarator", "reference_declarator"):
            inner = next((c for c in at.named_children if c.type != "comment"), None)
        if inner is None or inner.type == "abstract_function_declarator":
            break
        at = inner
    if at is None or at is node:
        return ()
    name = text(at, source)
    if at.type == "operator_cast":
        name = name.partition("(")[0].strip()
    if "operator" in name:  # its sign may be < or >
        head, _, tail = name.rpartition("operator")
        return (*_parts(_without_arguments(head), "::"), f"operator{tail}"[:MOST])
    return _parts(_without_arguments(name), "::")


def _assigned(target: str) -> tuple[str, ...]:
    """``module.exports.f``, ``exports.f`` are f; ``Type.prototype.f`` belongs to Type."""
    if target in ("module.exports", "exports"):
        return ("exports",)
    parts = _parts(_EXPORTS.sub("", target), r"\.")
    return tuple(p for p in parts if p not in ("prototype", "this", "window", "globalThis"))[-4:]


def _without_arguments(name: str) -> str:
    """The name without ``<T>`` and ``[K, V]``, nested ones too."""
    for _ in range(8):
        name, found = _ARGUMENTS.subn("", name)
        if not found:
            break
    return name
