"""The characters of an OpenDocument paragraph, and what hangs on it: notes, boxes, drawings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .docx_xml import number
from .odf_package import DRAW, OFFICE, TEXT
from .odf_styles import Styles

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_SPACE = re.compile(r"[ \t\r\n]+")
MAX_BLANKS = 200
_PAGE_NUMBERS = frozenset((TEXT + "page-number", TEXT + "page-count", TEXT + "page-continuation"))
# What is in a paragraph and not shown there.
_SILENT = frozenset(
    (TEXT + "script", TEXT + "note-citation", TEXT + "tracked-changes", *(OFFICE + n for n in ("annotation", "forms")))
)
_SHAPES = frozenset(
    DRAW + name
    for name in (
        *("frame", "g", "custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon", "path"),
        *("connector", "caption", "regular-polygon"),
    )
)


@dataclass(slots=True)
class Inline:
    """What a paragraph holds."""

    pieces: list[str] = field(default_factory=list)
    shapes: list[Element] = field(default_factory=list)
    notes: list[Element] = field(default_factory=list)

    def text(self) -> str:
        """The characters; line ends of the XML are blanks, those of the author stay."""
        return "".join(self.pieces).strip()

    def say(self, text: str | None) -> None:
        """Characters of the XML: white space collapses, as the format wants it."""
        if text:
            text = _SPACE.sub(" ", text)
            if text.startswith(" ") and (not self.pieces or self.pieces[-1][-1:] in (" ", "\n")):
                text = text[1:]
            if text:
                self.pieces.append(text)


def read_inline(parent: Element, styles: Styles, inline: Inline, margin: bool = False) -> None:
    """Collects what the element shows into ``inline``."""
    inline.say(parent.text)
    for child in parent.iterchildren():
        _child(child, styles, inline, margin)
        inline.say(child.tail)


def _child(child: Element, styles: Styles, inline: Inline, margin: bool) -> None:
    tag = child.tag
    if tag == TEXT + "s":
        inline.pieces.append(" " * min(number(child.get(TEXT + "c"), 1), MAX_BLANKS))
    elif tag == TEXT + "tab":
        inline.pieces.append("\t")
    elif tag == TEXT + "line-break":
        inline.pieces.append("\n")
    elif tag in _SHAPES:
        inline.shapes.append(child)
    elif tag == TEXT + "note":
        inline.notes.append(child)
    elif tag == TEXT + "ruby":
        _ruby(child, styles, inline, margin)
    elif tag in _SILENT or (margin and tag in _PAGE_NUMBERS) or _is_hidden(child, styles):
        return
    else:
        read_inline(child, styles, inline, margin)


def _ruby(child: Element, styles: Styles, inline: Inline, margin: bool) -> None:
    for part in child.iterchildren(TEXT + "ruby-base"):
        read_inline(part, styles, inline, margin)
    reading = "".join(str(t) for part in child.iterchildren(TEXT + "ruby-text") for t in part.itertext()).strip()
    if reading:
        inline.pieces.append(f"({reading})")


def _is_hidden(child: Element, styles: Styles) -> bool:
    if child.tag == TEXT + "span":
        return styles.hidden("text", child.get(TEXT + "style-name", ""))
    if child.tag == TEXT + "hidden-text":
        return child.get(TEXT + "is-hidden", "false") == "true"
    return child.get(TEXT + "display", "") == "none"
