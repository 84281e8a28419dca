"""The package of a book: which documents it has, their order, its table of contents, what is encrypted."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from indexer.core.errors import ParseRefused

if TYPE_CHECKING:
    from lxml.etree import _Element

    from .archive import Archive

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
PAGE_TYPES = frozenset(
    "application/xhtml+xml text/html application/x-dtbook+xml text/x-oeb1-document image/svg+xml application/xml".split()  # noqa: SIM905
)
PAGE_NAMES = (".xhtml", ".html", ".htm", ".xml", ".svg")
_DOCTYPE = re.compile(rb"<!DOCTYPE[^<>\[]{0,1000}>", re.I)
_NUMBERS = re.compile(r"\d+")
MAX_ENTRIES = 20_000
FACT = 4000  # characters of a description


class Book(NamedTuple):
    """What the package says."""

    pages: list[str]  # member names in reading order
    contents: dict[str, tuple[str, ...]]  # member name to its path of titles in the table of contents
    missing: list[str]
    facts: dict[str, str]  # title, author ...


def read_package(archive: Archive) -> Book:
    """The book of an archive. Raises ParseRefused when its documents are encrypted or there are none."""
    package = _package_name(archive)
    if package is None:
        names = sorted((n for n in archive.names() if _is_page(n) and not n.startswith("META-INF/")), key=_natural)
        return _checked(archive, Book(names, {}, [], {}))
    root = parse_lenient(archive.read(package))
    base = posixpath.dirname(package)
    items = {e.get("id", ""): e for e in root.iter("{*}item")}
    pages: list[str] = []
    missing: list[str] = []
    for reference in root.iter("{*}itemref"):
        item = items.get(reference.get("idref", ""))
        if item is None or not _is_page_item(item):
            continue
        name = member(archive, base, item.get("href", ""))
        if name is None:
            missing.append(unquote(item.get("href", ""))[:100])
        elif name not in pages:
            pages.append(name)
    return _checked(archive, Book(pages, _contents(archive, base, root, items), missing, _facts(root)))


def member(archive: Archive, base: str, href: str) -> str | None:
    """The member a link names; letter case and escapes differ in many books."""
    path = posixpath.normpath(posixpath.join(base, unquote(href.partition("#")[0])))
    if path in archive:
        return path
    return next((name for name in archive.names() if name.lower() == path.lower()), None)


def parse_lenient(data: bytes) -> _Element:
    """The root of a package document; a plain document type is left out, damage is recovered from."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, recover=True, remove_comments=True, remove_pis=True
    )
    head = _DOCTYPE.sub(b"", data[:4096], count=1)
    if b"<!ENTITY" in data or b"<!entity" in data:
        raise ParseRefused(
            "The package of the book declares XML entities; save it again with its application, or exclude it"
        )
    try:
        root = etree.fromstring(head + data[4096:], parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    return etree.Element("none") if root is None else root


def _checked(archive: Archive, book: Book) -> Book:
    if ENCRYPTION in archive and book.pages:
        root = parse_lenient(archive.read(ENCRYPTION))
        locked = {member(archive, "", e.get("URI", "")) for e in root.iter("{*}CipherReference")}
        if locked.intersection(book.pages):  # fonts alone are scrambled in many free books
            raise ParseRefused(
                "The book is protected by DRM (its text is encrypted); replace it with a copy without protection, or exclude it"
            )
    if not book.pages:
        raise ParseRefused("The file is damaged: it has no readable book inside. Restore it from a good copy")
    return book


def _package_name(archive: Archive) -> str | None:
    if CONTAINER in archive:
        for file in parse_lenient(archive.read(CONTAINER)).iter("{*}rootfile"):
            name = member(archive, "", file.get("full-path", ""))
            if name is not None:
                return name
    return next((n for n in archive.names() if n.lower().endswith(".opf") and not n.startswith("__MACOSX/")), None)


def _is_page(name: str) -> bool:
    return name.lower().endswith(PAGE_NAMES) and not name.startswith("__MACOSX/")


def _is_page_item(item: _Element) -> bool:
    return item.get("media-type", "").lower() in PAGE_TYPES or _is_page(item.get("href", "").partition("#")[0])


def _natural(name: str) -> tuple[str, ...]:
    return tuple(_NUMBERS.sub(lambda match: match[0].zfill(8), name).split("/"))


def _facts(root: _Element) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for element in root.iter("{http://purl.org/dc/elements/1.1/}*"):
        name = str(element.tag).rpartition("}")[2]
        text = " ".join("".join(map(str, element.itertext())).split())[:FACT]
        if text and name in ("title", "creator", "publisher", "date", "language", "description"):
            found.setdefault(name, []).append(text)
    facts = {name: values[0] for name, values in found.items()}
    if "creator" in found:
        facts["author"] = ", ".join(found["creator"])[:500]
        del facts["creator"]
    return facts


# ---- table of contents ----------------------------------------------------------------


def _contents(archive: Archive, base: str, root: _Element, items: dict[str, _Element]) -> dict[str, tuple[str, ...]]:
    """The first entry for each document, from the navigation document of EPUB 3, else the NCX of EPUB 2."""
    found: dict[str, tuple[str, ...]] = {}
    navigation = next((e for e in items.values() if "nav" in e.get("properties", "").split()), None)
    spine = next(root.iter("{*}spine"), None)
    ncx = items.get("" if spine is None else spine.get("toc", ""))
    if ncx is None:
        ncx = next((e for e in items.values() if e.get("media-type") == "application/x-dtbncx+xml"), None)
    for item, entries in ((navigation, _nav_entries), (ncx, _ncx_entries)):
        name = None if item is None else member(archive, base, item.get("href", ""))
        if name is None:
            continue
        for href, titles in entries(parse_lenient(archive.read(name))):
            target = member(archive, posixpath.dirname(name), href)
            if target is not None and len(found) < MAX_ENTRIES:
                found.setdefault(target, titles)
        if found:
            break
    return found


def _nav_entries(root: _Element) -> Iterator[tuple[str, tuple[str, ...]]]:
    for nav in root.iter("{*}nav"):
        if nav.get("{http://www.idpf.org/2007/ops}type", "toc") != "toc":
            continue
        for link in nav.iter("{*}a"):
            titles = [_words(link)]
            for item in link.iterancestors("{*}li"):
                label = next((e for e in item if str(e.tag).endswith(("}a", "}span"))), None)
                if label is not None and label is not link:
                    titles.append(_words(label))
            yield link.get("href", ""), tuple(title for title in reversed(titles) if title)


def _ncx_entries(root: _Element) -> Iterator[tuple[str, tuple[str, ...]]]:
    for point in root.iter("{*}navPoint"):
        content = point.find("{*}content")
        if content is None:
            continue
        around = [point, *point.iterancestors("{*}navPoint")]
        labels = [label for p in reversed(around) if (label := p.find("{*}navLabel")) is not None]
        yield content.get("src", ""), tuple(title for label in labels if (title := _words(label)))


def _words(element: _Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())[:200]
