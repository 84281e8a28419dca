"""Formulas (OMML) on one line, in the way Word's own linear format writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .docx_xml import M, W

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_DROPPED = frozenset({W + "del", W + "moveFrom"})
# What stands before an argument when something stands before that.
_BEFORE = {M + "sup": "^", M + "sub": "_", M + "den": "/"}


def linear(element: Element) -> str:
    """The characters of a formula in reading order; ``a/b``, ``x^2``, ``x_1``, brackets as drawn."""
    if element.tag == M + "t":
        return element.text or ""
    if element.tag in _DROPPED or element.tag.endswith("Pr"):
        return ""
    if element.tag == M + "d":
        return _delimited(element)
    parts: list[str] = [_operator(element)]
    for child in element.iterchildren():
        text = linear(child)
        if text:
            parts.append(_BEFORE.get(child.tag, "") if any(parts) else "")
            parts.append(text)
        if child.tag in (M + "mr", M + "e") and element.tag in (M + "m", M + "mr", M + "eqArr"):
            parts.append(" ")
    return "".join(parts).rstrip(" ")


def _operator(element: Element) -> str:
    if element.tag == M + "nary":
        return _property(element, "naryPr", "chr", "∫")
    return "√" if element.tag == M + "rad" else ""


def _delimited(element: Element) -> str:
    inner = _property(element, "dPr", "sepChr", "|").join(linear(child) for child in element.iterchildren(M + "e"))
    return _property(element, "dPr", "begChr", "(") + inner + _property(element, "dPr", "endChr", ")")


def _property(element: Element, group: str, name: str, default: str) -> str:
    found = element.find(f"{M}{group}/{M}{name}")
    return default if found is None else found.get(M + "val", "")
