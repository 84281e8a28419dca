"""What lies on a sheet beside its cells: comments, text boxes, titles of charts, page headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .sheet_stream import Damaged, elements
from .sheet_table import one_line
from .xlsx_texts import item_text

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from .xlsx_book import Book

_CODE = re.compile(r'&"[^"]*+"|&[KS](?:[0-9A-F]{6}|[+-]?\d{2}[+-]\d{3})|&\d{1,3}|&[BIUESXYGKADTFZ]')
_NUMBERED = re.compile(r"&[PN]")
MOST_SHAPES = 20_000


def extra_lines(book: Book, part: str, margins: Iterable[str]) -> Iterator[str]:
    """Lines that stand after a sheet's rows."""
    relations = book.relations(part).values()
    threaded = [r.target for r in relations if r.kind == "threadedComment" and r.target in book.package]
    said: set[str] = set()
    for target in threaded:
        yield from _read_comments(book, target, "threadedComment", said)
    answered = set(said)
    there = [relation for relation in relations if relation.target in book.package]
    for relation in there:
        if relation.kind == "comments":
            yield from _read_comments(book, relation.target, "comment", answered)
    for relation in there:
        if relation.kind == "drawing":
            yield from _drawing(book, relation.target)
    yield from margin_lines(margins)


def _read_comments(book: Book, part: str, name: str, done: set[str]) -> Iterator[str]:
    """Each comment once: "B3: text". Cells in ``done`` had theirs in another part."""
    seen: set[str] = set()
    try:
        for element in elements(book.package.blocks(part), name):
            cell = element.get("ref", "")[:20]
            text = one_line(_comment_text(element))
            if text and not (cell in done and name == "comment"):
                seen.add(cell)
                yield f"{cell}: {text}" if cell else text
    except Damaged:
        book.package.damaged.append(part)
    done |= seen


def _comment_text(element: Element) -> str:
    for child in element.iterchildren():
        if str(child.tag).endswith("}text"):
            return child.text or "" if len(child) == 0 else item_text(child)
    return ""


def _drawing(book: Book, part: str) -> Iterator[str]:
    """Texts of shapes, and the titles of the charts, in the order they were drawn."""
    root = book.xml(part)
    charts = book.relations(part)
    for shape in () if root is None else list(root.iter("{*}txBody", "{*}chart"))[:MOST_SHAPES]:
        if str(shape.tag).endswith("}txBody"):
            yield from paragraphs(shape)
            continue
        id_ = next((str(value) for key, value in shape.attrib.items() if str(key).endswith("}id")), "")
        if id_ in charts and charts[id_].kind == "chart" and charts[id_].target in book.package:
            yield from chart_titles(book, charts[id_].target)


def chart_titles(book: Book, part: str) -> Iterator[str]:
    """The titles of a chart and of its axes."""
    root = book.xml(part)
    for title in () if root is None else root.iter("{*}title"):
        yield from paragraphs(title)


def paragraphs(element: Element) -> Iterator[str]:
    """The text of each paragraph of a drawing."""
    for paragraph in element.iter("{*}p"):
        text = one_line(
            "".join(
                node.text or "" if str(node.tag).endswith("}t") else " " for node in paragraph.iter("{*}t", "{*}br")
            )
        )
        if text:
            yield text


def margin_lines(codes: Iterable[str]) -> Iterator[str]:
    """What page headers and footers say, each once; page numbers, dates and file names are not text."""
    said: set[str] = set()
    for code in codes:
        for piece in re.split(r"&[LCR]", code):
            text = one_line(_CODE.sub("", piece).replace("&&", "&"))
            if text and not _NUMBERED.search(piece) and text not in said:
                said.add(text)
                yield text
