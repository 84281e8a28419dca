"""Parts of a package read as a stream: a sheet of any length costs the memory of one row.

`archive.open_zip` has judged the package; what is read here whole goes through it. A stream is
not held in memory, so it has a wider limit of its own, and the same limit on inflation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.tables import ParseLimits

from .archive import Archive, Budget, open_zip
from .sniff import identify, refusal

if TYPE_CHECKING:
    from lxml.etree import XMLPullParser
    from lxml.etree import _Element as Element

WIDER = 5  # times ``inflated_mb`` that may pass through as streams


class Damaged(Exception):
    """A stream ended where it should not; what came before was good."""


class Package:
    """A zip package: small parts as bytes, large ones as streams. Names are found in any letter case."""

    def __init__(self, data: bytes, limits: ParseLimits) -> None:
        if data[:2] != b"PK" and (kind := identify(data, binary=True)) is not None:
            raise refusal(kind)
        self._archive: Archive = open_zip(data, limits)
        self._names = {_key(name): name for name in self._archive.names()}
        self._streams = Budget(limits.inflated_mb * WIDER)
        self.damaged: list[str] = []

    def names(self) -> tuple[str, ...]:
        """All part names as the package spells them."""
        return self._archive.names()

    def __contains__(self, name: object) -> bool:
        return _key(str(name)) in self._names

    def read(self, name: str) -> bytes | None:
        """A part as a whole; None when it is missing, or damaged (then it is in ``damaged``)."""
        real = self._names.get(_key(name))
        if real is None:
            return None
        try:
            return self._archive.read(real)
        except ParseRefused as refused:
            if refused.__cause__ is None:  # a limit or a trick ends the file, damage only the part
                raise
            self.damaged.append(name)
            return None

    def blocks(self, name: str) -> Iterator[bytes]:
        """A part in pieces. Damaged when it cannot be unpacked to its end."""
        try:
            yield from self._archive.blocks(self._names[_key(name)], self._streams)
        except ParseRefused as refused:
            if refused.__cause__ is None:
                raise
            raise Damaged(name) from refused


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def elements(blocks: Iterable[bytes], *names: str) -> Iterator[Element]:
    """The elements of these local names as each one ends, forgotten when the next is asked for.

    ParseRefused for a document type; Damaged where the XML is not well-formed.
    """
    from lxml import etree

    parser = _parser(names)
    first = True
    try:
        for block in blocks:
            if first and b"<!DOCTYPE" in block.replace(b"\0", b""):
                raise _entities()
            parser.feed(block)
            for element in _ended(parser):
                if first and element.getroottree().docinfo.internalDTD is not None:
                    raise _entities()
                first = False
                yield element
        parser.close()
    except etree.XMLSyntaxError as error:
        yield from _ended(parser)
        raise Damaged(" ".join(str(error).split())[:120]) from error
    yield from _ended(parser)


def _parser(names: Sequence[str]) -> XMLPullParser:
    from lxml import etree

    return etree.XMLPullParser(
        events=("end",),
        tag=tuple("{*}" + name for name in names),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,  # the library's own guards against amplification; a cell has 32,767 characters
    )


def _entities() -> ParseRefused:
    return ParseRefused(
        "The file declares XML entities, which no office program writes; save it again with its application, or exclude it"
    )


def _ended(parser: object) -> Iterator[Element]:
    for _, element in parser.read_events():  # type: ignore[attr-defined]
        yield element
        element.clear()
        parent = element.getparent()
        while parent is not None and element.getprevious() is not None:
            del parent[0]
