"""Shared and inline strings: the words of a cell without phonetic readings, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .sheet_stream import Damaged, elements
from .sheet_table import one_line

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from .xlsx_book import Book

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def shared_strings(book: Book) -> list[str]:
    """All shared strings in order; those after a damage are missing."""
    part = book.related_to_book("sharedStrings", "xl/sharedStrings.xml")
    texts: list[str] = []
    if part is None:
        return texts
    try:
        texts.extend(one_line(item_text(item)) for item in elements(book.package.blocks(part), "si"))
    except Damaged:
        book.package.damaged.append(part)
    return texts


def item_text(item: Element) -> str:
    """The text of a string item (``si`` or ``is``): its own and that of its runs, not the readings above it."""
    return unescape("".join(_pieces(item)))


def _pieces(item: Element) -> Iterator[str]:
    for child in item.iterchildren():
        tag = str(child.tag)
        if tag.endswith("}t"):
            yield child.text or ""
        elif tag.endswith("}r"):
            for inner in child.iterchildren():
                if str(inner.tag).endswith("}t"):
                    yield inner.text or ""


def unescape(text: str) -> str:
    """Characters that XML cannot hold are written _x000D_ in spreadsheets."""
    return _ESCAPED.sub(_character, text) if "_x" in text else text


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if code >= 32 or code in (9, 10, 13) else ""
