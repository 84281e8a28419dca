"""Drawings: which branch of a compatibility pair to read, and the texts a drawing holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from .docx_context import Context
from .docx_xml import CX, DGM, MC, A, C, M, O, V, W, drawn_text

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

FloatKind = Literal["box", "line", "diagram", "chart"]
# What makes the modern branch of an mc:AlternateContent worth more than the old one.
_TELLING = (W + "t", W + "sym", A + "t", M + "t", DGM + "relIds", C + "chart", CX + "chart", V + "textpath")


def pick(alternate: Element) -> Element | None:
    """The branch to read: the first modern one that has a text, else the fallback, never both."""
    choices = list(alternate.iterchildren(MC + "Choice"))
    branches = [*choices, *alternate.iterchildren(MC + "Fallback")]
    for branch in branches:
        if next(branch.iter(*_TELLING), None) is not None:
            return branch
    return branches[0] if branches else None


def drawn(element: Element, context: Context) -> Iterator[tuple[FloatKind, Element]]:
    """Text boxes, lines of drawn text, diagrams and charts of a drawing, in document order."""
    waiting = [element]
    while waiting:
        node = waiting.pop()
        kind = _DRAWN.get(node.tag)
        if kind is not None:
            yield kind, node
        elif node.tag == MC + "AlternateContent":
            branch = pick(node)
            waiting.extend(() if branch is None else [branch])
        elif not _invisible(node):
            if node.tag == O + "OLEObject":
                context.embedded.append(node.get("ProgID", ""))
            elif node.tag in (A + "blip", V + "imagedata"):
                context.pictures += 1
            waiting.extend(node.iterchildren(reversed=True))


_DRAWN: dict[str, FloatKind] = {
    W + "txbxContent": "box",
    A + "p": "line",
    V + "textpath": "line",
    DGM + "relIds": "diagram",
    C + "chart": "chart",
    CX + "chart": "chart",
}


def line_text(element: Element) -> str:
    """The text of a float of kind "line": WordArt or a paragraph of a drawn shape."""
    return element.get("string", "").strip() if element.tag == V + "textpath" else drawn_text(element)


def _invisible(node: Element) -> bool:
    properties = next((c for c in node.iterchildren() if str(c.tag).endswith("}docPr")), None)
    if properties is not None and properties.get("hidden") in ("1", "true", "on"):
        return True
    return "visibility:hidden" in node.get("style", "").replace(" ", "")
