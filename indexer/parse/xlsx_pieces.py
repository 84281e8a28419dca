"""A sheet part cut into its rows: by the bytes where that is exact, as a tree where it is not.

Without comments, CDATA and document types (`Frame.plain`) "</row>" can only be the end of a row,
and a cell of the usual form can only be a cell. Cutting there takes half the time of building a
tree, which is still done for each row that holds anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from .sheet_stream import Damaged, elements

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MOST_PENDING = 64 << 20  # bytes of one row: 16,384 cells of 4,000 characters
_START = b"<sheetData>"
_ROW = re.compile(r"<row\b([^<>]*+)>")
_ATTRIBUTE = re.compile(r"""(\w+)\s*=\s*["']([^"'<>]*)["']""")
_NAME = re.compile(rb"<([A-Za-z][\w.-]*)[\s>]")
# The usual cell: reference, style, type; a formula, which is not read; a value or a text of its own.
_CELL = re.compile(
    r'<c r="([A-Z]{1,3})\d{1,7}"(?: s="(\d{1,6})")?(?: t="([a-zA-Z]++)")?(?: s="(\d{1,6})")?'
    r"(?:/>|>(?:<f(?:/>| [^<>]*+/>|(?: [^<>]*+)?>[^<]*+</f>))?"
    r"(?:<v>([^<]++)</v>|<is><t(?: [^<>]*+)?>([^<]++)</t></is>)</c>)"
)

Found = tuple[str, str, str, str, str, str]
"""Column letters, style, type, style (programs differ in the order), value, inline text."""


class Piece(NamedTuple):
    """One row: its attributes, and its cells in one of the two forms."""

    attributes: Mapping[str, str]
    found: list[Found]
    element: Element | None


def pieces(blocks: Iterable[bytes], plain: bool) -> Iterator[Piece]:
    """The rows of a sheet part in order. Damaged where it is cut off or no XML."""
    yield from _quick(blocks) if plain else _tree(blocks)


def _tree(blocks: Iterable[bytes]) -> Iterator[Piece]:
    write = _writer()
    for row in elements(blocks, "row"):
        found = _CELL.findall(write(row, encoding="unicode", with_tail=False))
        usual = len(found) == len(row)
        yield Piece({str(k): str(v) for k, v in row.attrib.items()}, found if usual else [], None if usual else row)


def _quick(blocks: Iterable[bytes]) -> Iterator[Piece]:
    pending = root = b""
    for block in blocks:
        pending += block
        if not root:
            at = pending.find(_START)
            if at < 0:
                continue
            root, pending = pending[:at], pending[at + len(_START) :]
        *rows, pending = pending.split(b"</row>")
        if len(pending) > MOST_PENDING:
            raise Damaged("a row without end")
        for row in rows:
            yield from _pieces(row, root)
    if b"</sheetData" not in pending:
        raise Damaged("the end is missing")


def _pieces(row: bytes, root: bytes) -> Iterator[Piece]:
    try:
        text = row.decode()
    except UnicodeDecodeError as error:
        raise Damaged("no UTF-8") from error
    start = text.rfind("<row")
    head = _ROW.match(text, start) if start >= 0 else None
    if head is None:
        raise Damaged("a row without beginning")
    attributes = dict(_ATTRIBUTE.findall(head[1]))
    if "r" not in attributes:  # rows without cells, which may stand before it, count as well
        yield from [Piece({}, [], None)] * text.count("<row", 0, start)
    found = _CELL.findall(text, head.end())
    if len(found) == text.count("<c", head.end()):
        yield Piece(attributes, found, None)
    else:
        yield Piece(attributes, [], _parsed(text[start:], root))


def _parsed(row: str, root: bytes) -> Element:
    """A row by itself as a tree, under the namespaces of its sheet."""
    from lxml import etree

    name = _NAME.search(root)
    end = b"</row></sheetData></" + (name[1] if name else b"worksheet") + b">"
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, remove_pis=True)
    try:
        tree = etree.fromstring(root + _START + row.encode() + end, parser)
    except etree.XMLSyntaxError as error:
        raise Damaged(" ".join(str(error).split())[:120]) from error
    return next(tree.iter("{*}row"))


def _writer() -> Callable[..., str]:
    from lxml import etree

    return etree.tostring
